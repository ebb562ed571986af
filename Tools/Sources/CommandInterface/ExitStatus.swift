import ArgumentParser

/// The exit statuses of the tool, except 0.
package enum ExitStatus {
  /// The command failed.
  package static let failure = ExitCode(1)
  /// The arguments are wrong.
  package static let usage = ExitCode(2)
  /// The command worked, and found what it was looking for: a fault, a difference.
  package static let found = ExitCode(3)
}
