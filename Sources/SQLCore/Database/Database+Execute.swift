// Raw SQL on a database: each call is an access of its own. `Connection` has the same verb.
extension Database {
  /// Runs one or more statements in one transaction. Interpolated values are bound.
  public func execute(_ sql: SQL) throws {
    try write { try $0.execute(sql) }
  }

  /// Runs one or more statements in one transaction. Interpolated values are bound.
  public func execute(_ sql: SQL) async throws {
    try await write { try $0.execute(sql) }
  }
}
