import SQLCore

/// The changes of one transaction in the watched tables, shared by all observers.
package final class Commit: Sendable {
  /// The number of the commit in the database, counted from 1.
  let sequence: UInt64
  /// The changes of each write that shared the transaction, in their order, without the writes that
  /// changed nothing.
  package let writes: [WriteChanges]
  /// The number of changed rows in all writes.
  let rowCount: Int
  /// Set if any table may have changed: the event that says why.
  package let everything: TableEvent?

  init(sequence: UInt64, writes: [WriteChanges]) {
    self.sequence = sequence
    self.writes = writes
    rowCount = writes.reduce(0) { $0 + $1.tables.values.reduce(0) { $0 + $1.rows.count } }
    everything = nil
  }

  /// Creates a commit that may have touched any table.
  init(everything: TableEvent) {
    sequence = 0
    writes = []
    rowCount = 0
    self.everything = everything
  }
}

/// The changes of one `write`.
package struct WriteChanges: Sendable {
  package let label: String?
  /// The author of the write, if it named one.
  package internal(set) var author: String?
  package var tables: [QualifiedTableName: NettedTable] = [:]
  /// The reason why predicates could not be tested on the rows; nil if they were tested, or if
  /// there are none.
  var unfilteredReason: String?
}

/// An observer of tables: what it watches, and the queue to which its commits are delivered.
package struct Subscription: Sendable {
  /// The part of a table that is watched.
  package struct Interest: Sendable {
    /// The columns, folded; nil for all.
    var columns: Set<String>?
    /// The keys of the rows; nil for all rows.
    var keys: Set<RowKey>?
    /// The values that a row must have, before or after a change, to matter; nil if all rows
    /// matter. A row that matters has the values of at least one route.
    var routes: [RowRoute]?

    package init(columns: Set<String>? = nil, keys: Set<RowKey>? = nil) {
      self.columns = columns
      self.keys = keys
    }
  }

  /// The watched tables; nil for all.
  let tables: [QualifiedTableName: Interest]?
  /// Receives the commits that touch the tables.
  let queue: any CommitReceiver
  /// Whether the observer itself finds out what changed, so that a report without a change does no
  /// harm.
  var isLive = false
  /// Whether every change of the schema is reported, in addition to the events of the tables.
  var watchesSchema = false
  /// Whether the database's file is watched for this observer.
  var watchesFile = false

  package init(
    tables: [QualifiedTableName: Interest]?, queue: any CommitReceiver, isLive: Bool = false,
    watchesSchema: Bool = false
  ) {
    self.tables = tables
    self.queue = queue
    self.isLive = isLive
    self.watchesSchema = watchesSchema
  }
}

/// A receiver of the commits that concern a subscription.
package protocol CommitReceiver: AnyObject, Sendable {
  /// Receives a commit, on the writer's thread. It must not wait, or run code of the user's.
  func append(_ commit: Commit)
  /// Called when all receivers have the commit, on the writer's thread.
  func wake()
  /// Called when nothing more will come.
  func end()
}

extension CommitReceiver {
  package func wake() {}
}

/// A table of the main database or of an attached one, with its names folded as SQLite compares
/// them.
package struct QualifiedTableName: Hashable, Sendable {
  /// `main`, or the name under which a database is attached; folded.
  package let schema: String
  /// The name of the table, folded.
  package let name: String

  package init(schema: String = "main", _ name: String) {
    self.schema = schema.lowercasedASCII
    self.name = name.lowercasedASCII
  }

  /// Hashes the name only. Few tables have the same name in two databases, and each commit hashes
  /// several names.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Whether the rows of the table are the user's: it is neither one of SQLite's own tables, nor a
  /// temporary table, which only the writer sees, nor the table with the mark of generated ids.
  var isObservable: Bool {
    schema != "temp" && !name.hasPrefix("sqlite_") && name != "apus_unique64"
  }
}

/// An event of a table beyond the changed rows that are listed.
///
/// ```swift
/// for await changes in db.changes(of: Post.self) where changes.events.contains(.schemaChanged) {
///   print("the table has other columns now")
/// }
/// ```
public enum TableEvent: Hashable, Sendable {
  /// Rows changed that are not listed: there were more than `Configuration.maximumTrackedRows`, the
  /// write was running when the watching began, or SQLite was built without the pre-update hook.
  case tableChanged
  /// The table, or one of its indexes or triggers, was created, altered or dropped.
  case schemaChanged
  /// Another process, or another connection to the file, committed a change, which may concern this
  /// table.
  case changedElsewhere
}
