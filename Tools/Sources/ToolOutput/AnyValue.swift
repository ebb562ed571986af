import Apus

/// A value of any storage class, as it stands in the file, also a text that is not UTF-8.
package struct AnyValue: ColumnValue {
  /// The value.
  package let value: DatabaseValue

  /// No storage class fits all values; this one is never asked for, since nothing is written.
  package static var storageClass: StorageClass { .blob }

  /// Reads a value.
  package init(_ cell: borrowing Cell) throws {
    value = try cell.databaseValue()
  }

  /// Returns the value.
  package func databaseValue(as form: StoredForm) throws -> DatabaseValue { value }
}

extension Connection {
  /// Runs a statement, and passes the names of its columns once and then the values of each row.
  ///
  /// - Parameter row: returns false to end the statement.
  package func forEachRow(
    of sql: SQL, names: ([String]) throws -> Void, row: ([DatabaseValue]) throws -> Bool
  ) throws {
    let statement = try prepare(sql)
    try names(try statement.columnNames)
    let count = try statement.columnNames.count
    while try statement.step() {
      var values: [DatabaseValue] = []
      values.reserveCapacity(count)
      for index in 0..<count { values.append(try statement.get(AnyValue.self, at: index).value) }
      guard try row(values) else { return }
    }
  }
}
