/// A row of a result, its values copied: it can be kept and sent anywhere.
///
/// ```swift
/// let row = try db.row("SELECT id, title FROM Post LIMIT 1")
/// let id = try row?["id", as: Unique64.self]
/// ```
/// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
public struct Row: Sendable {
  let names: ColumnNames
  /// The values, in the order of the columns.
  public let values: [DatabaseValue]

  /// Copies the row at which a statement stands; text that is no UTF-8 throws `ColumnValueError`.
  public init(copying row: borrowing StatementRow) throws {
    names = row.statement.columnNames
    var values: [DatabaseValue] = []
    values.reserveCapacity(row.count)
    for index in 0..<row.count { values.append(try row.databaseValue(at: index)) }
    self.values = values
  }

  /// The names of the columns, in order; a name may come twice.
  public var columnNames: [String] { names.names }

  /// How many columns the row has.
  public var count: Int { values.count }

  /// The value at `index`, from 0; nil where there is no such column.
  public subscript(index: Int) -> DatabaseValue? {
    // Not `nil`, which is a DatabaseValue too: NULL.
    values.indices.contains(index) ? values[index] : DatabaseValue?.none
  }

  /// The value of the column of that name, without case as in SQL; nil if there is none, and if
  /// several columns have the name, of which `get(_:named:)` throws.
  public subscript(name: String) -> DatabaseValue? {
    names.index(of: name).map { values[$0] }
  }

  /// The value at `index`, from 0, as `type`; throws as `get(_:at:as:)` does.
  public subscript<Value: ColumnValue>(index: Int, as type: Value.Type) -> Value {
    get throws { try get(type, at: index) }
  }

  /// The value of the column of that name as `type`; throws as `get(_:named:as:)` does.
  public subscript<Value: ColumnValue>(name: String, as type: Value.Type) -> Value {
    get throws { try get(type, named: name) }
  }

  /// The value at `index`, from 0, as `type`.
  ///
  /// Throws `DatabaseError` (`.range`) for an index that is none, and `ColumnValueError` for a
  /// value that is none of the type: a NULL where the type is not optional, too.
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, at index: Int, as form: StoredForm = .standard
  ) throws -> Value {
    guard values.indices.contains(index) else {
      throw DatabaseError(
        code: .range,
        message: "there is no column \(index): the row has \(count) columns, counted from 0")
    }
    do {
      return try values[index].read(as: form)
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: columnNames[index], row: nil)
    }
  }

  /// The value of the column of that name, without case as in SQL.
  ///
  /// Throws `DatabaseError` (`.range`) if no column has the name, or several have it.
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, named name: String, as form: StoredForm = .standard
  ) throws -> Value {
    try get(type, at: try names.requireIndex(of: name), as: form)
  }
}

extension Row: CustomStringConvertible {
  /// The columns with their values as SQL literals.
  public var description: String {
    zip(columnNames, values).map { "\($0): \($1)" }.joined(separator: ", ")
  }
}
