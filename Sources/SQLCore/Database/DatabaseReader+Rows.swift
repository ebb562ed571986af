// Raw SQL on a reader. Each call is a separate access, and each statement has its own snapshot.
// `Connection` has the same methods.
extension DatabaseReader {
  /// Returns all rows of a read statement.
  public func rows(
    _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [Row] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.rows(sql) }
  }

  /// Returns all rows of a read statement, which runs on a thread of the database.
  public func rows(
    _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [Row] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.rows(sql) }
  }

  /// Returns the first row of a read statement; nil if the statement returns no row.
  public func row(
    _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> Row? {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.row(sql) }
  }

  /// Returns the first row of a read statement; nil if the statement returns no row.
  public func row(
    _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Row? {
    try await _readWithoutTransaction(on: .caller, fileID, line) { try $0.row(sql) }
  }

  /// Returns the rows of a read statement as a text table, for display, as in
  /// `print(try db.table("SELECT …"))`.
  public func table(
    _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> ResultTable {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.table(sql) }
  }

  /// Returns the rows of a read statement as a text table, for display. The statement runs on a
  /// thread of the database.
  public func table(
    _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> ResultTable {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.table(sql) }
  }

  /// Returns the rows of a read statement as tuples of the given types. Values are taken by
  /// position.
  public func fetch<each Value: ColumnValue>(
    _ type: (repeat each Value).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(repeat each Value)] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a read statement as tuples of the given types. The statement runs on a
  /// thread of the database.
  public func fetch<each Value: ColumnValue>(
    _ type: (repeat each Value).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [(repeat each Value)] {
    try await _readWithoutTransaction(on: .background, fileID, line) { connection in
      UncheckedSendable(try connection.fetch((repeat each Value).self, sql))
    }.value
  }
}

// Single values, and tuples of two to six values, have their own overloads. The overload with a
// parameter pack would work for them, too. But from a pack, Swift 6.3 does not infer that the
// elements of `Set(try db.fetch(Int.self, "SELECT 1"))` are Hashable.

extension DatabaseReader {
  /// Returns the values of a read statement that has one column. Throws the same errors as
  /// `Connection.fetch`.
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

/// A tuple of Sendable values. The compiler cannot infer from a parameter pack that the tuple is
/// Sendable.
///
/// `@unchecked Sendable`: the tuple holds only values of `ColumnValue` types, which are Sendable.
private struct UncheckedSendable<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
