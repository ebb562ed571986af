import SQLCore

/// An observer of tables: what it watches, and the queue that its commits are delivered to.
struct Subscription: Sendable {
  /// The part of a table that is watched.
  struct Interest: Sendable {
    /// The columns, folded; nil for all.
    var columns: Set<String>?
    /// The keys of the rows; nil for all rows.
    var keys: Set<RowKey>?
  }

  /// The watched tables; nil for all.
  let tables: [QualifiedTableName: Interest]?
  /// Receives the commits that touch the tables.
  let queue: any CommitReceiver
  /// Whether the observer finds out by itself what changed, so that a report without a change does
  /// no harm.
  var isLive = false
  /// Whether every change of the schema is reported, besides the events of its tables.
  var watchesSchema = false
  /// Whether the database's file is watched for this observer.
  var watchesFile = false
}

/// A receiver of the commits that concern a subscription.
protocol CommitReceiver: AnyObject, Sendable {
  /// Receives a commit, on the writer's thread. It must not wait, or run code of the user's.
  func append(_ commit: Commit)
  /// Called when nothing more will come.
  func end()
}
