import ArgumentParser
import Foundation
import ToolOutput

/// The exit statuses of the tool, beside 0.
enum ExitStatus {
  /// The command failed.
  static let failure = ExitCode(1)
  /// The arguments are wrong.
  static let usage = ExitCode(2)
  /// The command worked, and found what it was looking for: a fault, a difference.
  static let found = ExitCode(3)
}

/// A failure of a command, in words.
struct CommandError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The standard error.
enum ErrorOutput {
  /// Writes a message, which may contain names and texts of a file.
  static func write(_ message: String) {
    let safe = message.escapedForTerminal(keepingLineBreaks: true)
    FileHandle.standardError.write(Data((safe + "\n").utf8))
  }
}
