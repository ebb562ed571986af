import SQLCore

/// The changes that one transaction made in the watched tables. All observers share this object.
package final class Commit: Sendable {
  /// The number of the commit. The writer's commits are counted from 1.
  let sequence: UInt64
  /// The changes of each write in the transaction, in the order of the writes. Writes that changed
  /// nothing are left out.
  package let writes: [WriteChanges]
  /// The number of changed rows in all writes.
  let rowCount: Int
  /// The reason why every table counts as changed; nil if `writes` has the changes.
  package let everything: TableEvent?

  init(sequence: UInt64, writes: [WriteChanges]) {
    self.sequence = sequence
    self.writes = writes
    rowCount = writes.reduce(0) { $0 + $1.tables.values.reduce(0) { $0 + $1.rows.count } }
    everything = nil
  }

  /// Creates a commit that only reports an event, after which every table counts as changed.
  init(everything: TableEvent) {
    sequence = 0
    writes = []
    rowCount = 0
    self.everything = everything
  }
}

/// The changes that one `write` made.
package struct WriteChanges: Sendable {
  package let label: String?
  /// The author of the write; nil if the write named no author.
  package internal(set) var author: String?
  package var tables: [QualifiedTableName: NettedTable] = [:]
  /// The reason why the predicates of `changes(of:where:)` could not be tested on the rows. Nil if
  /// they were tested, or if there are no predicates.
  var unfilteredReason: String?
}

/// The subscription of one observer: the tables that it watches, and the queue that receives its
/// commits.
package struct Subscription: Sendable {
  /// The part of a table that is watched.
  package struct Interest: Sendable {
    /// The names of the watched columns in lower case; nil for all columns.
    var columns: Set<String>?
    /// The keys of the watched rows; nil for all rows.
    var keys: Set<RowKey>?
    /// The routes to the rows that matter; nil if all rows matter. A row matters if it has the
    /// values of at least one route, before or after a change.
    var routes: [RowRoute]?

    package init(columns: Set<String>? = nil, keys: Set<RowKey>? = nil) {
      self.columns = columns
      self.keys = keys
    }
  }

  /// The watched tables; nil for all tables.
  let tables: [QualifiedTableName: Interest]?
  /// The queue that receives the commits that touch the tables.
  let queue: any CommitReceiver
  /// Whether the observer itself finds out what changed, as a live query does. It is then harmless
  /// to report a change that did not happen.
  var isLive = false
  /// Whether every change of the schema is reported, even if it concerns other tables.
  var watchesSchema = false
  /// Whether this observer needs the database's file to be watched.
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
  /// Receives a commit, on the writer's thread. An implementation must not wait and must not run
  /// the user's code.
  func append(_ commit: Commit)
  /// Called on the writer's thread after all receivers have received the commit.
  func wake()
  /// Called when there will be no more commits.
  func end()
}

extension CommitReceiver {
  package func wake() {}
}

/// The name of a table in the main database or in an attached database. Both parts are folded,
/// because SQLite ignores their case.
package struct QualifiedTableName: Hashable, Sendable {
  /// `main`, or the name under which the database is attached, folded.
  package let schema: String
  /// The name of the table, folded.
  package let name: String

  package init(schema: String = "main", _ name: String) {
    self.schema = schema.lowercasedASCII
    self.name = name.lowercasedASCII
  }

  /// Hashes only the table's name, because that is faster and each commit hashes several names. Few
  /// tables have the same name in two databases.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Whether the table has rows of the user. False for SQLite's own tables, for temporary tables,
  /// which only the writer sees, and for the library's own table `apus_unique64`.
  var isObservable: Bool {
    schema != "temp" && !name.hasPrefix("sqlite_") && name != "apus_unique64"
  }
}

/// An event that concerns a table as a whole, in addition to the listed row changes.
///
/// ```swift
/// for await changes in db.changes(of: Post.self) where changes.events.contains(.schemaChanged) {
///   print("the table has other columns now")
/// }
/// ```
public enum TableEvent: Hashable, Sendable {
  /// The list of changed rows is not complete. The most frequent reasons are that more than
  /// `Configuration.maximumTrackedRows` rows changed, that the write was already running when the
  /// watching began, that a backup or a new table replaced the rows, and that SQLite was built
  /// without the pre-update hook.
  case tableChanged
  /// The table, or one of its indexes or triggers, was created, altered or dropped.
  case schemaChanged
  /// Another process, or another connection to the file, committed a change. The change may or may
  /// not concern this table.
  case changedElsewhere
}
