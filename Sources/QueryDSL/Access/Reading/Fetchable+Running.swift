import SQLCore

// The methods of queries that are rendered each time they run. The call of a prepared query has its
// own.

extension Fetchable {
  /// Renders the query and returns all rows; programs do not use it directly, but call `fetch`.
  @inlinable
  public func _rows(on connection: Connection) throws -> [Row] {
    let core = try connection.use()
    let query = query
    let statement = try core.lendStatement(forSelect: query.statement)
    defer { core.giveBack(statement) }
    return try query.decoding.all(core, statement, query.statement.maximumRowCount)
  }

  /// Renders the query and returns the first row, or nil; programs do not use it directly, but call
  /// `first`.
  public func _first(on connection: Connection) throws -> Row? {
    let core = try connection.use()
    var query = query
    if query.statement.limit == nil, query.statement.offset == nil {
      query.statement.setLimit(1)
    }
    let statement = try core.lendStatement(for: query.statement)
    defer { core.giveBack(statement) }
    return try query.decoding.first(of: statement, on: core)
  }

  /// Renders the query and returns the number of rows; programs do not use it directly, but call
  /// `count`.
  public func _count(on connection: Connection) throws -> Int {
    try integer(of: CountStatement(query: query.statement), on: connection)
  }

  /// Renders the query and returns whether there is any row; programs do not use it directly, but
  /// call `exists`.
  public func _exists(on connection: Connection) throws -> Bool {
    try integer(of: ExistsStatement(query: query.statement), on: connection) != 0
  }

  /// Whether the query has a limit; programs do not use it directly.
  public var _isLimited: Bool { query.statement.limit != nil }

  private func integer(of query: some Renderable, on connection: Connection) throws -> Int {
    let core = try connection.use()
    let statement = try core.lendStatement(for: query)
    defer { core.giveBack(statement) }
    guard try core.step(statement) else { return 0 }
    return try StatementRow(statement: statement).get(Int.self, at: 0)
  }
}

extension RowDecoding {
  /// Returns the first row of a statement, or nil.
  func first(of statement: StatementPointer, on core: ConnectionCore) throws -> Row? {
    guard try core.step(statement) else { return nil }
    var reader = RowReader(core: core, statement: statement)
    do {
      return try one(&reader)
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: nil, row: 0)
    }
  }
}
