import SQLCore

/// The times at which rows and their columns were changed last, to keep the newest value of each
/// column whatever the order in which changes arrive.
///
/// Only the entries of the log that are not older than the arriving transactions can be newer, so
/// only these are read.
struct RowClock {
  /// A time, and the database that decides between equal ones.
  private struct Stamp: Comparable {
    let time: Int64
    let database: String

    static func < (left: Stamp, right: Stamp) -> Bool {
      left.time == right.time ? left.database < right.database : left.time < right.time
    }
  }

  private struct Place: Hashable {
    let table: String
    let key: [DatabaseValue]
    /// The column, folded; nil for the existence of the row.
    let column: String?
  }

  let identity: String
  private var stamps: [Place: Stamp] = [:]
  /// The newest values of columns, for rows whose insertion arrives after later changes.
  private var values: [Place: DatabaseValue] = [:]

  init(identity: String) { self.identity = identity }

  mutating func read(for transactions: [LogTransaction], on connection: Connection) throws {
    guard let start = transactions.map(\.time).min() else { return }
    let first = try connection.row(
      #"SELECT min("sequence") FROM "apus_log_entry" WHERE "time" >= \#(start)"#)
    guard let first = try first?.get(Int64?.self, at: 0) else { return }
    var position = max(first - 1, try connection.purgedLogPosition())
    while true {
      let entries = try connection.logEntries(
        afterNumber: position, limit: 500, withMarks: true)
      guard let last = entries.last else { return }
      for entry in entries { note(LogTransaction(entry, of: identity)) }
      position = last.sequence
    }
  }

  private mutating func note(_ transaction: LogTransaction) {
    let stamp = Stamp(time: transaction.time, database: transaction.origin.database)
    for change in transaction.changes {
      if change.kind != .updated { note(place(of: change, nil), stamp) }
      guard change.kind != .deleted else { continue }
      for column in change.changedColumns {
        note(place(of: change, column), stamp, change.new(column))
      }
    }
  }

  private mutating func note(_ place: Place, _ stamp: Stamp, _ value: DatabaseValue? = nil) {
    guard stamps[place].map({ $0 <= stamp }) ?? true else { return }
    stamps[place] = stamp
    values[place] = value
  }

  private func place(of change: AnyLogChange, _ column: String?) -> Place {
    Place(
      table: change.table.lowercasedASCII, key: change.keyValues,
      column: column?.lowercasedASCII)
  }

  /// Returns the changes of a transaction without the columns and rows that were changed later, and
  /// notes the time of the others.
  mutating func newer(_ transaction: LogTransaction) -> [AnyLogChange] {
    let stamp = Stamp(time: transaction.time, database: transaction.origin.database)
    func isNewer(_ change: AnyLogChange, _ column: String?) -> Bool {
      stamps[place(of: change, column)].map { $0 < stamp } ?? true
    }
    let changes: [AnyLogChange] = transaction.changes.compactMap { change in
      let columns = change.shape.columns
      let kept = columns.indices.filter {
        change.shape.key.contains($0) || isNewer(change, columns[$0])
      }
      switch change.kind {
      case .deleted: return isNewer(change, nil) ? change : nil
      case .inserted:
        guard isNewer(change, nil) else { return nil }
        // Later changes of the row may have arrived before it.
        return change.replacing { index in
          kept.contains(index) ? nil : values[place(of: change, columns[index])]
        }
      case .updated:
        let narrowed = change.narrowed(to: Set(kept))
        return narrowed.changedColumns.isEmpty && narrowed.uncertain.isEmpty ? nil : narrowed
      }
    }
    note(transaction)
    return changes
  }
}
