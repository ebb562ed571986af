import Foundation

/// The work of a process that a part starts.
enum ChildRun {
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 3, let number = Int(arguments[2]) else {
      throw Violation("usage: Faults child WHAT PATH NUMBER")
    }
    try await OnTrial.runChild(arguments[0], path: arguments[1], number: number)
  }

  /// Prints a whole line at once.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Foundation.write(1, bytes, bytes.count)
  }
}
