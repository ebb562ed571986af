import Foundation

/// How far a part is, on a line of its standard error for whoever runs it.
enum Progress {
  static func show(_ number: Int) {
    FileHandle.standardError.write(Data("at \(number)\n".utf8))
  }
}
