import SQLCore

/// Somebody who watches tables, and how to reach them.
struct Subscription: Sendable {
  /// What of a table is watched.
  struct Interest: Sendable {
    /// The columns, folded; nil for all.
    var columns: Set<String>?
    /// The rows; nil for all.
    var keys: Set<RowKey>?
  }

  /// The tables; nil for all.
  let tables: [QualifiedTableName: Interest]?
  /// Where the commits go that touch them.
  let queue: CommitQueue
  /// Whether it looks for itself what changed: it may be told of what may be nothing.
  var isLive = false
  /// Whether it is told of every change of the schema, besides what happens to its tables.
  var watchesSchema = false
  /// Whether the file of the database is watched for it.
  var watchesFile = false
}
