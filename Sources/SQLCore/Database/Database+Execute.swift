// Raw SQL on a database: each call is an access of its own. `Connection` has the same verbs.
extension Database {
  /// Runs one statement or several in one transaction; values interpolated are bound.
  public func execute(_ sql: SQL) throws {
    try write { try $0.execute(sql) }
  }

  /// Runs one statement or several in one transaction; values interpolated are bound.
  nonisolated(nonsending)
    public func execute(_ sql: SQL) async throws
  {
    try await write { try $0.execute(sql) }
  }

  /// All rows of a statement that reads.
  public func rows(_ sql: SQL) throws -> [Row] {
    try reading { try $0.lend().rows(sql) }
  }

  /// All rows of a statement that reads, on a thread of the database.
  nonisolated(nonsending)
    public func rows(_ sql: SQL) async throws -> [Row]
  {
    try await reading(hops: true) { try $0.lend().rows(sql) }
  }

  /// The first row of a statement that reads; nil where there is none.
  public func row(_ sql: SQL) throws -> Row? {
    try reading { try $0.lend().row(sql) }
  }

  /// The first row of a statement that reads; nil where there is none.
  nonisolated(nonsending)
    public func row(_ sql: SQL) async throws -> Row?
  {
    try await reading(hops: false) { try $0.lend().row(sql) }
  }

  /// The rows of a statement that reads, as text to be looked at: `print(try db.table("SELECT …"))`.
  public func table(_ sql: SQL) throws -> ResultTable {
    try reading { try $0.lend().table(sql) }
  }

  /// The rows of a statement that reads, as text to be looked at, on a thread of the database.
  nonisolated(nonsending)
    public func table(_ sql: SQL) async throws -> ResultTable
  {
    try await reading(hops: true) { try $0.lend().table(sql) }
  }

  /// Rows of a statement that reads, as tuples of the given types, by position.
  public func fetch<each Value: ColumnValue>(
    _ type: (repeat each Value).Type, _ sql: SQL
  ) throws -> [(repeat each Value)] {
    try reading { try $0.lend().fetch(type, sql) }
  }

  /// Rows of a statement that reads, as tuples of the given types, on a thread of the database.
  nonisolated(nonsending)
    public func fetch<each Value: ColumnValue>(
      _ type: (repeat each Value).Type, _ sql: SQL
    ) async throws -> [(repeat each Value)]
  {
    try await reading(hops: true) { core in
      UncheckedSendable(try core.lend().fetch((repeat each Value).self, sql))
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
