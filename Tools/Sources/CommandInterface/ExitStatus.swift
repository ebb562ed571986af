import ArgumentParser

/// The exit statuses of the tool, except 0.
package enum ExitStatus {
  /// The command failed.
  package static let failure = ExitCode(1)
  /// The arguments are wrong.
  package static let usage = ExitCode(2)
  /// The command succeeded, and found what it looks for, such as a fault or a difference.
  package static let found = ExitCode(3)
}
