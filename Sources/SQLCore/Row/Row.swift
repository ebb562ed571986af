/// A row of a result with its values copied, so that it can be kept and sent across threads.
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

  /// Copies the current row of a statement. A text that is not UTF-8 becomes `.invalidText`.
  /// Copying such a text does not throw, but reading it as a Swift type does.
  public init(copying row: borrowing StatementRow) throws {
    names = row.statement.columnNames
    var values: [DatabaseValue] = []
    values.reserveCapacity(row.count)
    for index in 0..<row.count { values.append(try row.databaseValue(at: index)) }
    self.values = values
  }

  /// The names of the columns, in order; a name may occur more than once.
  public var columnNames: [String] { names.names }

  /// The number of columns.
  public var count: Int { values.count }

  /// The value at `index`, counted from 0; nil if there is no such column.
  public subscript(index: Int) -> DatabaseValue? {
    // A plain `nil` would be the literal of the database value NULL, and not an Optional without a
    // value.
    values.indices.contains(index) ? values[index] : DatabaseValue?.none
  }

  /// The value of the column named `name`; nil if no column has that name, or if several columns
  /// have it. In both cases, `get(_:named:as:)` throws. Names are compared without case, as in SQL.
  public subscript(name: String) -> DatabaseValue? {
    names.index(of: name).map { values[$0] }
  }

  /// The value at `index`, counted from 0, as `type`. Throws the same errors as `get(_:at:as:)`.
  public subscript<Value: ColumnValue>(index: Int, as type: Value.Type) -> Value {
    get throws { try get(type, at: index) }
  }

  /// The value of the column named `name` as `type`. Throws the same errors as `get(_:named:as:)`.
  public subscript<Value: ColumnValue>(name: String, as type: Value.Type) -> Value {
    get throws { try get(type, named: name) }
  }

  /// Returns the value at `index`, counted from 0, as `type`.
  ///
  /// Throws `DatabaseError` (`.range`) if there is no such column. Throws `ColumnValueError` if the
  /// value cannot be read as `type`. NULL can be read only if `type` is optional.
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

  /// Returns the value of the column named `name`. Names are compared without case, as in SQL.
  ///
  /// Throws `DatabaseError` (`.range`) if no column has that name or several have it. Also throws
  /// the errors of `get(_:at:as:)`.
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, named name: String, as form: StoredForm = .standard
  ) throws -> Value {
    try get(type, at: try names.requireIndex(of: name), as: form)
  }
}

extension Row: CustomStringConvertible {
  /// The columns and their values as SQL literals.
  public var description: String {
    zip(columnNames, values).map { "\($0): \($1)" }.joined(separator: ", ")
  }
}
