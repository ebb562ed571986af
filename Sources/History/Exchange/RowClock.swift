import QueryDSL
import SQLCore

/// The times at which rows and their columns were last changed. They are compared with the times of
/// arriving changes, so that each column keeps its newest value, in whatever order the changes
/// arrive.
///
/// An entry of the log that is older than every arriving transaction cannot have newer values. So
/// such entries are not read.
struct RowClock {
  /// The time of a transaction and its origin, by which two transactions are ordered. If the times
  /// are equal, the identities of the databases are compared. If these are equal as well, the
  /// positions are compared. This is needed because a database that was restored may use the same
  /// time twice.
  private struct Stamp: Comparable {
    let time: Int64
    let origin: LogEntry.Origin

    init(_ transaction: LogTransaction) {
      time = transaction.time
      origin = transaction.origin
    }

    static func < (left: Stamp, right: Stamp) -> Bool {
      (left.time, left.origin.database, left.origin.sequence, left.origin.position.epoch)
        < (right.time, right.origin.database, right.origin.sequence, right.origin.position.epoch)
    }
  }

  private struct Place: Hashable {
    let table: String
    let key: [DatabaseValue]
    /// The name of the column in lower case. Nil if the time is that of the insertion or deletion
    /// of the whole row.
    let column: String?
  }

  let identity: String
  private var stamps: [Place: Stamp] = [:]
  /// The newest values of columns, by row. They are needed if later changes of a row arrive before
  /// its insertion.
  private var values: [Place: [String: DatabaseValue]] = [:]

  init(identity: String) { self.identity = identity }

  mutating func read(
    for transactions: [LogTransaction], in tables: inout PresentTables, on connection: Connection
  ) throws {
    guard let start = transactions.map(\.time).min(),
      let first = try connection.firstLogEntry(since: start)
    else { return }
    var position = max(first - 1, try connection.purgedLogPosition())
    while true {
      let entries = try connection.logEntries(
        afterNumber: position, limit: 500, withMarks: true)
      guard let last = entries.last else { return }
      for entry in entries {
        let transaction = try tables.present(LogTransaction(entry, of: identity))
        for change in transaction.changes { note(change, of: transaction) }
      }
      position = last.sequence
    }
  }

  /// Notes the time of a change that was applied.
  mutating func note(_ change: AnyLogChange, of transaction: LogTransaction) {
    let stamp = Stamp(transaction)
    if change.kind != .updated { note(place(of: change, nil), stamp) }
    guard change.kind != .deleted else { return }
    for column in change.changedColumns {
      note(place(of: change, column), stamp, change.new(column))
    }
  }

  private mutating func note(_ place: Place, _ stamp: Stamp, _ value: DatabaseValue? = nil) {
    guard stamps[place].map({ $0 <= stamp }) ?? true else { return }
    stamps[place] = stamp
    guard let column = place.column, let value else { return }
    values[Place(table: place.table, key: place.key, column: nil), default: [:]][column] = value
  }

  private func place(of change: AnyLogChange, _ column: String?) -> Place {
    Place(
      table: change.table.lowercasedASCII, key: change.keyValues,
      column: column?.lowercasedASCII)
  }

  /// Returns the part of a change that is not outdated; nil if no part is left.
  ///
  /// If columns were changed later, they are removed from an update. An insertion keeps these
  /// columns, but gets their later values. An insertion or a deletion is outdated as a whole if the
  /// row was inserted or deleted later.
  func newer(_ change: AnyLogChange, of transaction: LogTransaction) -> AnyLogChange? {
    let stamp = Stamp(transaction)
    func isNewer(_ column: String?) -> Bool {
      stamps[place(of: change, column)].map { $0 < stamp } ?? true
    }
    let columns = change.shape.columns
    let kept = columns.indices.filter { change.shape.key.contains($0) || isNewer(columns[$0]) }
    switch change.kind {
    case .deleted: return isNewer(nil) ? change : nil
    case .inserted:
      guard isNewer(nil) else { return nil }
      // Changes that were made later may have arrived before this change. They may also set columns
      // that this change does not have.
      guard let newer = values[place(of: change, nil)] else { return change }
      return change.replacing { index in
        kept.contains(index) ? nil : newer[columns[index].lowercasedASCII]
      }.adding(newer)
    case .updated:
      let narrowed = change.narrowed(to: Set(kept))
      return narrowed.changedColumns.isEmpty && narrowed.uncertain.isEmpty ? nil : narrowed
    }
  }
}
