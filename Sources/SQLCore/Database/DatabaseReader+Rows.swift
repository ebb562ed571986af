// Raw SQL on a reader: each call is an access of its own, and each statement a snapshot of its own.
// `Connection` has the same verbs.
extension DatabaseReader {
  /// All rows of a statement that reads.
  public func rows(_ sql: SQL) throws -> [Row] {
    try readWithoutTransaction { try $0.rows(sql) }
  }

  /// All rows of a statement that reads, on a thread of its own.
  nonisolated(nonsending)
    public func rows(_ sql: SQL) async throws -> [Row]
  {
    try await readWithoutTransaction(on: .background) { try $0.rows(sql) }
  }

  /// The first row of a statement that reads; nil where there is none.
  public func row(_ sql: SQL) throws -> Row? {
    try readWithoutTransaction { try $0.row(sql) }
  }

  /// The first row of a statement that reads; nil where there is none.
  nonisolated(nonsending)
    public func row(_ sql: SQL) async throws -> Row?
  {
    try await readWithoutTransaction { try $0.row(sql) }
  }

  /// The rows of a statement that reads, as text to be looked at: `print(try db.table("SELECT …"))`.
  public func table(_ sql: SQL) throws -> ResultTable {
    try readWithoutTransaction { try $0.table(sql) }
  }

  /// The rows of a statement that reads, as text to be looked at, on a thread of its own.
  nonisolated(nonsending)
    public func table(_ sql: SQL) async throws -> ResultTable
  {
    try await readWithoutTransaction(on: .background) { try $0.table(sql) }
  }

  /// Rows of a statement that reads, as tuples of the given types, by position.
  public func fetch<each Value: ColumnValue>(
    _ type: (repeat each Value).Type, _ sql: SQL
  ) throws -> [(repeat each Value)] {
    try readWithoutTransaction { try $0.fetch(type, sql) }
  }

  /// Rows of a statement that reads, as tuples of the given types, on a thread of its own.
  nonisolated(nonsending)
    public func fetch<each Value: ColumnValue>(
      _ type: (repeat each Value).Type, _ sql: SQL
    ) async throws -> [(repeat each Value)]
  {
    try await readWithoutTransaction(on: .background) { connection in
      UncheckedSendable(try connection.fetch((repeat each Value).self, sql))
    }.value
  }
}

/// Tuples of Sendable values are Sendable; the compiler does not see it through a pack.
///
/// `@unchecked Sendable`: it is made of `ColumnValue`s alone, which are Sendable.
private struct UncheckedSendable<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
