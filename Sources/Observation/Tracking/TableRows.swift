import SQLCore

/// How a table and its columns are called, as they are declared.
final class TableNames: Sendable {
  let table: String
  let keys: [String]
  /// The recorded columns; those of the key are none.
  let columns: [String]
  let foldedColumns: [String]
  /// How many columns the key has; nil where it is the rowid.
  let keyCount: Int?

  init(_ table: String, keys: [String] = [], columns: [String] = [], keyCount: Int? = nil) {
    self.table = table
    self.keys = keys
    self.columns = columns
    self.keyCount = keyCount
    foldedColumns = columns.map(\.lowercasedASCII)
  }

  /// The places of the columns of which these are the folded names; of all for nil.
  func places(of columns: Set<String>?) -> [Int] {
    guard let columns else { return Array(foldedColumns.indices) }
    return foldedColumns.indices.filter { columns.contains(foldedColumns[$0]) }
  }
}

/// What one `write` changed in one table.
struct TableRows: Sendable {
  let names: TableNames
  /// Where the values of the rows stand; shared by all that a transaction changed.
  let values: RecordedValues
  /// The rows that differ, in the order in which they were first touched.
  var rows: [RecordedRow] = []
  var events: Set<TableEvent> = []

  /// Whether a row came or went, or one of the columns differs in some row.
  ///
  /// - Parameter watched: folded; nil for all.
  func touches(_ watched: Set<String>?) -> Bool {
    guard events.isEmpty else { return true }
    guard let watched else { return !rows.isEmpty }
    let places = names.places(of: watched)
    return rows.contains { differs($0, at: places) }
  }

  /// Whether the row came or went, or differs at one of the places.
  func differs(_ row: RecordedRow, at places: [Int]) -> Bool {
    guard row.old >= 0, row.new >= 0 else { return true }
    return places.contains { !isSame(row, at: $0) }
  }

  /// Whether a row that was there before and is there after has the same value at a place.
  func isSame(_ row: RecordedRow, at place: Int) -> Bool {
    values.isSame(row.old, row.new, at: place, of: names.columns.count)
  }

  func key(of row: RecordedRow) -> RowKey { values.key(row.key, keyCount: names.keyCount) }

  /// A value before; nil where the row was not there.
  func old(_ row: RecordedRow, at place: Int) -> DatabaseValue? {
    guard row.old >= 0 else { return nil }
    return values.value(of: row.old, at: place, of: names.columns.count)
  }

  /// A value after; nil where the row is gone.
  func new(_ row: RecordedRow, at place: Int) -> DatabaseValue? {
    guard row.new >= 0 else { return nil }
    return values.value(of: row.new, at: place, of: names.columns.count)
  }

  /// A row with its values at these places as it is after, and nothing of before.
  func newState(of row: RecordedRow, at places: [Int]) -> NetChange {
    NetChange(
      key: key(of: row), old: nil,
      new: row.new < 0 ? nil : places.compactMap { new(row, at: $0) })
  }

  /// A row with its values at these places.
  func change(_ row: RecordedRow, at places: [Int]) -> NetChange {
    NetChange(
      key: key(of: row),
      old: row.old < 0 ? nil : places.compactMap { old(row, at: $0) },
      new: row.new < 0 ? nil : places.compactMap { new(row, at: $0) })
  }
}
