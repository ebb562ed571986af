import SQLCore

/// An index of the rows of a write, by their key, and by their values before and after.
///
/// Many observers watch one row each: the first that searches builds the index, and each further
/// search costs only as much as it finds. The index is built on the observers' side, never by the
/// writer.
final class RowIndex: Sendable {
  /// The rows of a write, by the values of one column.
  private struct Column {
    var rows: [DatabaseValue: [Int]] = [:]
    /// The rows that have a value of each storage class.
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
