// Single values, and tuples of two to six values, have overloads of their own. The overload with a
// parameter pack is correct for every number of values, but Swift 6.3 does not see through a pack
// that `Set(try db.fetch(Int.self, "SELECT 1"))` has elements that are Hashable.

extension DatabaseReader {
  /// Returns the values of a read statement that has one column; throws what `Connection.fetch`
  /// throws.
  public func fetch<Value: ColumnValue>(
    _ type: Value.Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [Value] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the values of a read statement that has one column. The statement runs on a thread of
  /// the database.
  public func fetch<Value: ColumnValue>(
    _ type: Value.Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [Value] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of two values, taken by position.
  public func fetch<A: ColumnValue, B: ColumnValue>(
    _ type: (A, B).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(A, B)] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of two values, taken by position. The
  /// statement runs on a thread of the database.
  public func fetch<A: ColumnValue, B: ColumnValue>(
    _ type: (A, B).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [(A, B)] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of three values, taken by position.
  public func fetch<A: ColumnValue, B: ColumnValue, C: ColumnValue>(
    _ type: (A, B, C).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(A, B, C)] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of three values, taken by position. The
  /// statement runs on a thread of the database.
  public func fetch<A: ColumnValue, B: ColumnValue, C: ColumnValue>(
    _ type: (A, B, C).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [(A, B, C)] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of four values, taken by position.
  public func fetch<A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue>(
    _ type: (A, B, C, D).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(A, B, C, D)] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of four values, taken by position. The
  /// statement runs on a thread of the database.
  public func fetch<A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue>(
    _ type: (A, B, C, D).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [(A, B, C, D)] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of five values, taken by position.
  public func fetch<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue
  >(
    _ type: (A, B, C, D, E).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(A, B, C, D, E)] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of five values, taken by position. The
  /// statement runs on a thread of the database.
  public func fetch<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue
  >(
    _ type: (A, B, C, D, E).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [(A, B, C, D, E)] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of six values, taken by position.
  public func fetch<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue, F: ColumnValue
  >(
    _ type: (A, B, C, D, E, F).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(A, B, C, D, E, F)] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of six values, taken by position. The
  /// statement runs on a thread of the database.
  public func fetch<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue, F: ColumnValue
  >(
    _ type: (A, B, C, D, E, F).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [(A, B, C, D, E, F)] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.fetch(type, sql) }
  }
}
