import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A transaction in the change log: what it changed in the logged tables, and what is known of it.
public struct LogEntry: Sendable, Identifiable {
  /// The place of a transaction in the log of another database, from which it was applied.
  public struct Origin: Hashable, Sendable {
    /// The identity of the other database.
    public let database: String
    /// The position of the transaction there. Changes that had to wait are in an entry of their own,
    /// with the position of their transaction.
    public let position: LogPosition
    /// Whether the entry has changes that had to wait.
    var isLate = false

    /// The number of the transaction there.
    public var sequence: Int64 { position.number }
  }

  /// The position of the entry. A reader continues after it, and it names the transaction in all
  /// copies of the file.
  public let position: LogPosition
  /// The microseconds since 1970, by the clock of the program that wrote. A `Date` is less exact.
  let time: Int64
  /// The label, as in `db.write(label: "import") { … }`; nil if the write has none.
  public let label: String?
  /// The author, as in `connection.setLogAuthor("ada")`; nil if the write has none.
  public let author: String?
  /// The place in another log from which the transaction was applied; nil if it was made here.
  public let origin: Origin?
  /// The schema version of the program that migrated the file last before the transaction; nil if
  /// it has none.
  public let schemaVersion: Int?
  /// The number of the entry that the transaction undoes; nil if it undoes none.
  public let undoneSequence: Int64?
  /// The name of a table whose earlier changes are not all in the log; nil in most entries.
  ///
  /// A migration writes such an entry when it begins to log a table that has rows, or changes
  /// values of a logged table itself. A reader of the log needs a full copy of the table.
  public let gap: String?
  /// The rows that differ, in the order in which they were first changed.
  public let changes: [AnyLogChange]

  /// The number of the entry. Later transactions of a log have greater numbers; some may be missing.
  /// A file that was restored from a backup gives the same numbers to other transactions.
  public var sequence: Int64 { position.number }

  /// The position of the entry.
  public var id: LogPosition { position }

  /// The time by the clock of the program that wrote, in milliseconds. It is later than that of all
  /// transactions which the log had then.
  public var date: Date { Date(timeIntervalSince1970: Double(time) / 1_000_000) }

  /// Returns the changes of a model's table, in the order in which the rows were first changed.
  ///
  /// ```swift
  /// for change in try entry.changes(of: Post.self) {
  ///   print(change.kind, try change.key, try change.new(\.$title))
  /// }
  /// ```
  /// Changes that were logged under a former name of the table are not among them.
  public func changes<M: Model>(of model: M.Type) -> [LogChange<M>] {
    let name = M.tableName
    return changes.filter { $0.table.isSame(as: name) }.map {
      LogChange(row: $0, sequence: sequence)
    }
  }
}
