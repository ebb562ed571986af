import SQLCore

/// What a write did to one row of a table, in the end.
///
/// However often a row was touched, it is one change, from what it was before the write to what it
/// is after; a row that is as it was is none.
public struct TableRowChange: Sendable {
  /// What happened to the row.
  public let kind: RowChangeKind
  /// The values of the primary key, as they are stored; the rowid where there is none.
  public var keyValues: [DatabaseValue] { change.key.values }
  /// The columns whose values differ, in the order of the table; of a row that was inserted or
  /// deleted, all that are watched. Generated columns that are calculated on reading are not told.
  public var changedColumns: [String] {
    guard let old = change.old, let new = change.new else { return columns }
    return columns.indices.filter { old[$0] != new[$0] }.map { columns[$0] }
  }

  private let change: NetChange
  private let keyNames: [String]
  private let columns: [String]

  init(_ change: NetChange, keyNames: [String], columns: [String]) {
    self.change = change
    self.keyNames = keyNames
    self.columns = columns
    kind =
      switch (change.old, change.new) {
      case (nil, _): .inserted
      case (_, nil): .deleted
      default: .updated
      }
  }

  /// The value of a column before, found by its name, without case; nil where the row was not
  /// there, and for a column that is not told.
  public func old(_ column: String) -> DatabaseValue? {
    change.old.flatMap { value(of: column, in: $0) }
  }

  /// The value of a column after; nil where the row is gone, and for a column that is not told.
  public func new(_ column: String) -> DatabaseValue? {
    change.new.flatMap { value(of: column, in: $0) }
  }

  /// Whether the column is among those that are told.
  func tells(_ column: String) -> Bool {
    let folded = column.lowercasedASCII
    return (keyNames + columns).contains { $0.lowercasedASCII == folded }
  }

  private func value(of column: String, in values: [DatabaseValue]) -> DatabaseValue? {
    let folded = column.lowercasedASCII
    if let key = keyNames.firstIndex(where: { $0.lowercasedASCII == folded }) {
      return keyValues[key]
    }
    return columns.firstIndex { $0.lowercasedASCII == folded }.map { values[$0] }
  }
}

/// What happened to a row.
public enum RowChangeKind: Hashable, Sendable {
  /// It was not there before.
  case inserted
  /// It was there before, and has other values.
  case updated
  /// It is not there any more.
  case deleted
}
