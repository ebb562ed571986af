import Foundation

/// The number of a part that is being tried, reported on standard error to the process that runs
/// the part.
enum Progress {
  static func show(_ number: Int) {
    FileHandle.standardError.write(Data("at \(number)\n".utf8))
  }

  /// Returns the last number that was shown.
  static func last(in errors: String) -> Int? {
    errors.split(separator: "\n").last { $0.hasPrefix("at ") && Int($0.dropFirst(3)) != nil }
      .flatMap { Int($0.dropFirst(3)) }
  }
}
