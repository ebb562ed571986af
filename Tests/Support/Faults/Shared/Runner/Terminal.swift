import Foundation

/// Lines for the log, and one line that is written over while somebody looks.
enum Terminal {
  private static let isTerminal = isatty(1) == 1

  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Shows how far it is; nothing where the output is a file.
  static func show(_ line: String) {
    guard isTerminal else { return }
    FileHandle.standardOutput.write(Data("\r\u{1B}[K\(line)".utf8))
  }
}
