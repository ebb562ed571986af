import Apus
import ToolOutput

/// The rows of a table in the order of its key, read one group at a time.
///
/// A group holds the rows of one key. It has more than one row only if the key holds NULL, or if the
/// table has no key and holds the same row several times.
final class KeyedRows {
  typealias Row = [DatabaseValue]

  /// The error for a table whose rows a merge cannot compare, because they are not in order.
  struct Misordered: Error, CustomStringConvertible {
    let table: String

    var description: String {
      "\(table) cannot be compared: its keys are not in order. Is a text of a key not UTF-8, or is "
        + "an index damaged? `apus check` finds damage."
    }
  }

  private let statement: Statement
  private let table: String
  private let count: Int
  /// The positions of the key columns among all columns; all positions if the table has no key.
  private let key: [Int]
  private var next: Row?

  init(of shape: TableShape, in connection: Connection, _ pair: TablePair) throws {
    table = shape.name
    count = pair.columns.count
    let found = pair.keyColumns.compactMap { name in
      pair.columns.firstIndex { $0.lowercased() == name.lowercased() }
    }
    key = found.isEmpty ? Array(pair.columns.indices) : found
    var sql: SQL = "SELECT "
    for (index, column) in pair.columns.enumerated() {
      sql.append(index == 0 ? "\(identifier: column)" : ", \(identifier: column)")
    }
    sql.append(" FROM \(identifier: shape.name) ORDER BY ")
    for (index, position) in key.enumerated() {
      // Keys are compared here in the order of bytes, whatever collation the column declares.
      let column = pair.columns[position]
      sql.append(
        index == 0
          ? "\(identifier: column) COLLATE BINARY" : ", \(identifier: column) COLLATE BINARY")
    }
    statement = try connection.prepare(sql)
    next = try step()
  }

  private func step() throws -> Row? { try statement.nextRow(count) }

  func keyValues(_ row: Row) -> [DatabaseValue] { key.map { row[$0] } }

  /// Compares the keys of two rows.
  func compare(_ first: Row, _ second: Row) -> Int {
    for position in key {
      let order = first[position].compare(second[position])
      if order != 0 { return order }
    }
    return 0
  }

  /// Returns the rows of the next key; nil at the end.
  func nextGroup() throws -> [Row]? {
    guard let first = next else { return nil }
    var group = [first]
    while true {
      next = try step()
      guard let next else { return group }
      let order = compare(first, next)
      guard order <= 0 else { throw Misordered(table: table) }
      if order < 0 { return group }
      group.append(next)
    }
  }
}
