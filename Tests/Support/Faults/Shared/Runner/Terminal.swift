import Foundation

/// The output of a run: lines for the log and, on a terminal, one line that is overwritten.
enum Terminal {
  private static let isTerminal = isatty(1) == 1

  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Shows the progress; does nothing if the output is a file.
  static func show(_ line: String) {
    guard isTerminal else { return }
    FileHandle.standardOutput.write(Data("\r\u{1B}[K\(line)".utf8))
  }
}
