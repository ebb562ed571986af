// Single values, and tuples of two to six values, have overloads of their own. The overload with a
// parameter pack is correct for every number of values, but Swift 6.3 does not see through a pack
// that `Set(try db.fetch(Int.self, "SELECT 1"))` has elements that are Hashable.

extension Connection {
  /// Returns the values of a statement that has one column.
  ///
  /// ```swift
  /// let titles = try connection.fetch(String.self, "SELECT title FROM Post").sorted()
  /// ```
  /// Throws `ColumnValueError` if a value has another type, and `DatabaseError` if the statement
  /// has another number of columns.
  public func fetch<Value: ColumnValue>(_ type: Value.Type, _ sql: SQL) throws -> [Value] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples of two values, taken by position.
  public func fetch<A: ColumnValue, B: ColumnValue>(
    _ type: (A, B).Type, _ sql: SQL
  ) throws -> [(A, B)] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples of three values, taken by position.
  public func fetch<A: ColumnValue, B: ColumnValue, C: ColumnValue>(
    _ type: (A, B, C).Type, _ sql: SQL
  ) throws -> [(A, B, C)] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples of four values, taken by position.
  public func fetch<A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue>(
    _ type: (A, B, C, D).Type, _ sql: SQL
  ) throws -> [(A, B, C, D)] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples of five values, taken by position.
  public func fetch<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue
  >(
    _ type: (A, B, C, D, E).Type, _ sql: SQL
  ) throws -> [(A, B, C, D, E)] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples of six values, taken by position.
  public func fetch<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue, F: ColumnValue
  >(
    _ type: (A, B, C, D, E, F).Type, _ sql: SQL
  ) throws -> [(A, B, C, D, E, F)] {
    try tuples(of: type, sql)
  }
}
