import Apus
@_spi(Tools) import SQLCore

extension Connection {
  /// Runs a statement. Passes the names of its columns to `names`, and then the values of each row
  /// to `row`. Throws after an interruption.
  ///
  /// - Parameter row: a closure that returns false to end the statement.
  package func forEachRow(
    of sql: SQL, names: ([String]) throws -> Void, row: ([DatabaseValue]) throws -> Bool
  ) throws {
    let statement = try prepare(sql)
    try names(try statement.columnNames)
    let count = try statement.columnNames.count
    while let values = try statement.nextRow(count) {
      guard try row(values) else { return }
    }
  }
}

extension Statement {
  /// Returns the stored values of the next row, including texts that are not UTF-8; nil at the end.
  /// Throws after an interruption.
  ///
  /// - Parameter count: the number of columns.
  package func nextRow(_ count: Int) throws -> [DatabaseValue]? {
    try Interruption.check()
    guard try step() else { return nil }
    return try withRow { row in try (0..<count).map { try row.databaseValue(at: $0) } }
  }
}
