import SQLCore

/// How a table and its columns are called, as they are declared.
final class TableNames: Sendable {
  let table: String
  let keys: [String]
  /// The recorded columns; those of the key are none.
  let columns: [String]
  let foldedColumns: [String]
  /// Those of the key and the recorded ones, in the order of the table.
  let ordered: [String]
  /// How many columns the key has; nil where it is the rowid.
  let keyCount: Int?

  init(
    _ table: String, keys: [String] = [], columns: [String] = [], ordered: [String]? = nil,
    keyCount: Int? = nil
  ) {
    self.table = table
    self.keys = keys
    self.columns = columns
    self.ordered = ordered ?? keys + columns
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
  var rows: [RecordedRow] = [] {
    didSet { index = RowIndex() }
  }
  var events: Set<TableEvent> = []
  /// Finds rows; shared by all who watch.
  private var index = RowIndex()

  init(names: TableNames, values: RecordedValues, rows: [RecordedRow] = []) {
    self.names = names
    self.values = values
    self.rows = rows
  }

  /// Whether what is watched of the table was touched: a row came or went, or one of the columns
  /// differs in some row.
  func touches(_ interest: Subscription.Interest) -> Bool {
    guard events.isEmpty else { return true }
    guard let watched = interest.columns else { return !rows.isEmpty }
    let places = names.places(of: watched)
    guard let keys = interest.keys else { return rows.contains { differs($0, at: places) } }
    return indices(ofKeys: keys).contains { differs(rows[$0], at: places) }
  }

  /// The rows with these keys, in order: at the cost of the keys, and not of the rows, once one of
  /// those who watch has looked.
  func indices(ofKeys keys: Set<RowKey>) -> [Int] { index.indices(ofKeys: keys, in: self) }

  /// The rows that may have a value at a place, before or after, in order: those that have it, and
  /// those that have one of another storage class, which SQLite may take for equal.
  func indices(of value: DatabaseValue, at place: Int) -> [Int] {
    index.indices(of: value, at: place, in: self)
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

  /// Whether a row's key and its values at these places, before and after, are what SQLite has:
  /// text that is invalid is not.
  func isExact(_ row: RecordedRow, at places: [Int]) -> Bool {
    for state in [row.old, row.new] where state >= 0 {
      for place in places
      where values.exactValue(of: state, at: place, of: names.columns.count) == nil {
        return false
      }
    }
    guard let keyCount = names.keyCount else { return true }
    return (0..<keyCount).allSatisfy {
      values.exactValue(of: Int(row.key), at: $0, of: keyCount + 1) != nil
    }
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
