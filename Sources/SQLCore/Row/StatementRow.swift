import CSQLite

/// The row at which a statement stands: its values are read without copying the rest.
///
/// It cannot be copied and so not kept; `Row` is the copy that can.
/// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
public struct StatementRow: ~Copyable {
  package let statement: StatementPointer

  package init(statement: StatementPointer) {
    self.statement = statement
  }

  /// How many columns the row has.
  public var count: Int { Int(sqlite3_column_count(statement.handle)) }

  /// The names of the columns, in order; a name may come twice.
  public var columnNames: [String] { statement.columnNames.names }

  /// The value at `index`, from 0, as `type`.
  ///
  /// Throws `DatabaseError` (`.range`) for an index that is none, and `ColumnValueError` for a
  /// value that is none of the type: a NULL where the type is not optional, too.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, at index: Int, as form: StoredForm = .standard
  ) throws -> Value {
    let cell = try cell(at: index, form: form)
    do {
      return try Value(cell)
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: columnNames[index], row: nil)
    }
  }

  /// The value of the column of that name, without case as in SQL.
  ///
  /// Throws `DatabaseError` (`.range`) if no column has the name, or several have it.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, named name: String, as form: StoredForm = .standard
  ) throws -> Value {
    try get(type, at: try statement.columnNames.requireIndex(of: name), as: form)
  }

  /// The value at `index`, from 0, whatever its storage class.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func databaseValue(at index: Int) throws -> DatabaseValue {
    let cell = try cell(at: index, form: .standard)
    do {
      return try cell.databaseValue()
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: columnNames[index], row: nil)
    }
  }

  /// The storage class of the value at `index`, from 0.
  func storageClass(at index: Int) throws -> StorageClass {
    try cell(at: index, form: .standard).storageClass
  }

  /// Whether the value at `index`, from 0, is NULL.
  package func isNull(at index: Int) throws -> Bool {
    try storageClass(at: index) == .null
  }

  /// The value at `index` as somebody reads it: nil for NULL, and bytes counted.
  func text(at index: Int) throws -> String? {
    let cell = try cell(at: index, form: .standard)
    do {
      switch cell.storageClass {
      case .integer: return String(try cell.integer())
      case .real: return String(try cell.real())
      case .text: return try cell.text()
      // In the words of Data's own description.
      case .blob: return "\(try cell.withBytes(\.count)) bytes"
      case .null: return nil
      }
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: columnNames[index], row: nil)
    }
  }

  func cell(at index: Int, form: StoredForm) throws -> Cell {
    guard index >= 0, index < count,
      let value = sqlite3_column_value(statement.handle, Int32(index))
    else {
      throw DatabaseError(
        code: .range,
        message: "there is no column \(index): the row has \(count) columns, counted from 0")
    }
    return Cell(value: value, form: form)
  }

  func requireColumns<each Value>(ofTypes types: repeat (each Value).Type) throws {
    var expected = 0
    for _ in repeat each types { expected += 1 }
    guard expected == count else {
      throw DatabaseError(
        code: .range,
        message: "the result has \(count) columns, and the tuple has \(expected) types",
        sql: statement.sql)
    }
  }
}
