import Apus

/// The comparison of a table's rows in two states, by a merge in the order of the key.
///
/// It holds a few rows at a time, and reads each row of both states once.
package struct TableComparison {
  /// The change of a row: its values in the old and in the new state. The values are nil for a
  /// state in which the row does not exist.
  package struct Change {
    package let old: [DatabaseValue]?
    package let new: [DatabaseValue]?
  }

  private let pair: TablePair

  /// - Parameters:
  ///   - old: the connection to the old state; not used if the table does not exist there.
  ///   - new: the connection to the new state.
  package static func changes(
    of pair: TablePair, old: Connection, new: Connection, _ body: (Change) throws -> Void
  ) throws {
    guard !pair.columns.isEmpty else { return }
    let before = try pair.old.map { try KeyedRows(of: $0, in: old, pair) }
    let after = try pair.new.map { try KeyedRows(of: $0, in: new, pair) }
    guard let order = before ?? after else { return }
    var left = try before?.nextGroup()
    var right = try after?.nextGroup()
    while left != nil || right != nil {
      let position =
        if let first = left?.first, let second = right?.first {
          order.compare(first, second)
        } else {
          left == nil ? 1 : -1
        }
      try report(position <= 0 ? left ?? [] : [], position >= 0 ? right ?? [] : [], body)
      if position <= 0 { left = try before?.nextGroup() }
      if position >= 0 { right = try after?.nextGroup() }
    }
  }

  /// Reports the changes of the rows with one key. If each state has one row with the key, a
  /// difference is an update. Otherwise, a row of only the old state was deleted, and a row of only
  /// the new state was inserted.
  private static func report(
    _ old: [KeyedRows.Row], _ new: [KeyedRows.Row], _ body: (Change) throws -> Void
  ) throws {
    guard old != new else { return }
    if old.count == 1, new.count == 1 {
      return try body(Change(old: old[0], new: new[0]))
    }
    var counts: [KeyedRows.Row: Int] = [:]
    for row in new { counts[row, default: 0] += 1 }
    for row in old {
      if let count = counts[row], count > 0 {
        counts[row] = count - 1
      } else {
        try body(Change(old: row, new: nil))
      }
    }
    for row in new {
      guard let count = counts[row], count > 0 else { continue }
      counts[row] = count - 1
      try body(Change(old: nil, new: row))
    }
  }
}

extension TablePair {
  /// Returns a change in the form in which it is shown. For an update, this form has only the
  /// columns whose values differ.
  package func difference(_ change: TableComparison.Change) -> RowDifference {
    let row = change.new ?? change.old ?? []
    let key = keyColumns.compactMap { name in
      columns.firstIndex { $0.lowercased() == name.lowercased() }
    }.map { row[$0] }
    guard let old = change.old else {
      return RowDifference(.inserted, table: name, key: key, columns: columns, new: row)
    }
    guard let new = change.new else {
      return RowDifference(.deleted, table: name, key: key, columns: columns, old: row)
    }
    let differing = columns.indices.filter { old[$0] != new[$0] }
    return RowDifference(
      .updated, table: name, key: key, columns: differing.map { columns[$0] },
      old: differing.map { old[$0] }, new: differing.map { new[$0] })
  }
}
