import SQLCore

/// A command that `run` accepts: an insert, an update or a deletion.
public protocol Runnable: Sendable {
  /// The SQL of the command, with its values. Throws `QueryError` if the command is invalid.
  var sql: SQL { get throws }
}
