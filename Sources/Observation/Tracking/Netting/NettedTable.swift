import SQLCore

/// The declared names of a table and its columns.
package final class TableNames: Sendable {
  package let table: String
  package let keys: [String]
  /// The recorded columns, without the columns of the key.
  package let columns: [String]
  let foldedColumns: [String]
  /// The key's columns and the recorded columns, in the order of the table.
  package let ordered: [String]
  /// The number of the key's columns; nil if the rowid is the key.
  package let keyCount: Int?

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

  /// Returns the indices of the given columns in the property `columns`. The given names are in
  /// lower case; nil stands for all columns.
  func places(of columns: Set<String>?) -> [Int] {
    guard let columns else { return Array(foldedColumns.indices) }
    return foldedColumns.indices.filter { columns.contains(foldedColumns[$0]) }
  }
}

/// The changes that one `write` made in one table.
package struct NettedTable: Sendable {
  package let names: TableNames
  /// The values of the rows. All changes of a transaction share this buffer.
  package let values: RecordedValues
  /// The changed rows, in the order in which they were first changed.
  package internal(set) var rows: [NettedRow] = [] {
    didSet { index = RowIndex() }
  }
  package internal(set) var events: Set<TableEvent> = []
  /// The former and the new key of each row whose key an UPDATE changed. In `rows`, such a change
  /// is a deletion of the former key and an insertion of the new key. If a row with the same key
  /// exists both before and after the write, `rows` has an update of this row instead.
  package var rekeyedKeys: Set<RowKey> = []
  /// The index that finds rows by key and by value. All observers share it.
  private var index = RowIndex()

  init(names: TableNames, values: RecordedValues, rows: [NettedRow] = []) {
    self.names = names
    self.values = values
    self.rows = rows
  }

  /// Returns whether the write inserted or deleted a watched row, or changed a watched column of a
  /// watched row. Also returns true if there are events.
  func touches(_ interest: Subscription.Interest) -> Bool {
    guard events.isEmpty else { return true }
    guard let watched = interest.columns else { return !rows.isEmpty }
    let places = names.places(of: watched)
    guard let keys = interest.keys else { return rows.contains { differs($0, at: places) } }
    return indices(ofKeys: keys).contains { differs(rows[$0], at: places) }
  }

  /// Returns the indices of the rows with the given keys, in ascending order. After the first call,
  /// which builds the index, the cost does not depend on the number of rows.
  func indices(ofKeys keys: Set<RowKey>) -> [Int] { index.indices(ofKeys: keys, in: self) }

  /// Returns the indices, in ascending order, of the rows that may have the given value before or
  /// after the write, in the recorded column with the index `place`. Rows with a value of another
  /// storage class are included, because SQLite may consider the values equal.
  func indices(of value: DatabaseValue, at place: Int) -> [Int] {
    index.indices(of: value, at: place, in: self)
  }

  /// Returns whether the row was inserted or deleted, or changed in one of the recorded columns
  /// with these indices.
  func differs(_ row: NettedRow, at places: [Int]) -> Bool {
    guard row.old >= 0, row.new >= 0 else { return true }
    return places.contains { !isSame(row, at: $0) }
  }

  /// Returns whether an updated row has the same value before and after the write, in the recorded
  /// column with the index `place`.
  package func isSame(_ row: NettedRow, at place: Int) -> Bool {
    values.isSame(row.old, row.new, at: place, of: names.columns.count)
  }

  package func key(of row: NettedRow) -> RowKey { values.key(row.key, keyCount: names.keyCount) }

  /// Returns the row's value before the write in the recorded column `place`; nil if the row did
  /// not exist.
  func old(_ row: NettedRow, at place: Int) -> DatabaseValue? {
    guard row.old >= 0 else { return nil }
    return values.value(of: row.old, at: place, of: names.columns.count)
  }

  /// Returns the row's value after the write in the recorded column `place`; nil if the row is
  /// gone.
  func new(_ row: NettedRow, at place: Int) -> DatabaseValue? {
    guard row.new >= 0 else { return nil }
    return values.value(of: row.new, at: place, of: names.columns.count)
  }

  /// Returns whether the recorded values of the row are exactly the stored values. The method
  /// checks the row's key, and the values before and after the write in the recorded columns with
  /// these indices. Text that is invalid in its encoding is not exact.
  func isExact(_ row: NettedRow, at places: [Int]) -> Bool {
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

  /// Returns the row's key, and its values after the write in the recorded columns with these
  /// indices.
  func newState(of row: NettedRow, at places: [Int]) -> NettedRowValues {
    NettedRowValues(
      key: key(of: row), old: nil,
      new: row.new < 0 ? nil : places.compactMap { new(row, at: $0) })
  }

  /// Returns the row's key, and its values before and after the write in the recorded columns with
  /// these indices.
  func change(_ row: NettedRow, at places: [Int]) -> NettedRowValues {
    NettedRowValues(
      key: key(of: row),
      old: row.old < 0 ? nil : places.compactMap { old(row, at: $0) },
      new: row.new < 0 ? nil : places.compactMap { new(row, at: $0) })
  }
}

/// The net change of one row in a write. The values are in `RecordedValues`.
package struct NettedRow: Sendable {
  /// The rowid, if it is the key. Otherwise the byte offset in `RecordedValues` at which the values
  /// of the key begin. If one of them is NULL, the rowid follows them.
  package let key: Int64
  /// The byte offset in `RecordedValues` of the row's values before the write; −1 if the row did
  /// not exist.
  package var old: Int
  /// The byte offset in `RecordedValues` of the row's values after the write; −1 if the row is
  /// gone.
  package var new: Int
}

/// An index of the changed rows of one table in one write. It finds rows by their key, and by their
/// values before and after the write.
///
/// Many observers may each watch a different row. The first observer that searches builds the
/// index, so the writer never does. The cost of each later search depends only on the number of
/// rows that it finds.
final class RowIndex: Sendable {
  /// The indices of the rows of a write, by their values in one column.
  private struct Column {
    var rows: [DatabaseValue: [Int]] = [:]
    /// For each storage class, the rows that have a value of this class.
    var classes: [StorageClass: [Int]] = [:]
  }

  private struct State {
    var keys: [RowKey: Int]?
    var columns: [Int: Column] = [:]
  }

  private let state = Lock(State())

  func indices(ofKeys keys: Set<RowKey>, in table: NettedTable) -> [Int] {
    let known = state.withLock { state in
      if let known = state.keys { return known }
      var known: [RowKey: Int] = [:]
      known.reserveCapacity(table.rows.count)
      for (index, row) in table.rows.enumerated() { known[table.key(of: row)] = index }
      state.keys = known
      return known
    }
    guard keys.count < table.rows.count else {
      return table.rows.indices.filter { keys.contains(table.key(of: table.rows[$0])) }
    }
    return keys.compactMap { known[$0] }.sorted()
  }

  func indices(of value: DatabaseValue, at place: Int, in table: NettedTable) -> [Int] {
    let column = state.withLock { state in
      if let known = state.columns[place] { return known }
      let made = Self.column(at: place, in: table)
      state.columns[place] = made
      return made
    }
    var found = column.rows[value] ?? []
    for (storageClass, rows) in column.classes
    where storageClass != value.storageClass && storageClass != .null {
      found += rows
    }
    return found.count > 1 ? Set(found).sorted() : found
  }

  private static func column(at place: Int, in table: NettedTable) -> Column {
    var column = Column()
    for (index, row) in table.rows.enumerated() {
      let old = table.old(row, at: place)
      let new = table.new(row, at: place)
      for value in old == new ? [old] : [old, new] {
        guard let value else { continue }
        column.rows[value, default: []].append(index)
        if column.classes[value.storageClass]?.last != index {
          column.classes[value.storageClass, default: []].append(index)
        }
      }
    }
    return column
  }
}
