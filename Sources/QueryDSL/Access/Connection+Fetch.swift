import SQLCore

extension Connection {
  /// All rows of a query: one statement.
  ///
  /// Throws `QueryError` for a query that cannot be SQL, `DatabaseError` for what SQLite reports,
  /// and `ColumnValueError` for a value that is none of its column's type, with table, column and
  /// row.
  @inlinable
  public func fetch<Query: Fetchable>(_ query: Query) throws -> [Query.Row] {
    let core = try use()
    let request = query.request
    let statement = try core.lendStatement(forSelect: request.statement)
    defer { core.giveBack(statement) }
    return try request.decoding.all(core, statement, request.statement.maximumRowCount)
  }

  /// The first row of a query, or nil: one statement, which ends after its first row.
  public func first<Query: Fetchable>(_ query: Query) throws -> Query.Row? {
    let core = try use()
    var request = query.request
    if request.statement.limit == nil, request.statement.offset == nil {
      request.statement.setLimit(1)
    }
    let statement = try core.lendStatement(for: request.statement)
    defer { core.giveBack(statement) }
    guard try core.step(statement) else { return nil }
    var reader = RowReader(core: core, statement: statement)
    do {
      return try request.decoding.one(&reader)
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: nil, row: 0)
    }
  }

  /// How many rows a query gives: one statement, `SELECT count(*)`.
  public func count(_ query: some Fetchable) throws -> Int {
    try integer(of: CountStatement(query: query.request.statement))
  }

  /// Whether a query gives any row: one statement, `SELECT EXISTS (…)`.
  public func exists(_ query: some Fetchable) throws -> Bool {
    try integer(of: ExistsStatement(query: query.request.statement)) != 0
  }

  private func integer(of query: some Renderable) throws -> Int {
    let core = try use()
    let statement = try core.lendStatement(for: query)
    defer { core.giveBack(statement) }
    guard try core.step(statement) else { return 0 }
    return try StatementRow(statement: statement).get(Int.self, at: 0)
  }

  /// The model with that key, or nil: one index seek.
  ///
  /// ```swift
  /// let post = try connection.find(Post.self, id)
  /// // SELECT … FROM "Post" WHERE "id" = ?
  /// ```
  /// A UUID that is not found as text in the case that Apus writes is looked for in the other case:
  /// one seek more.
  @inlinable
  public func find<M: Model>(_ model: M.Type, _ id: M.ID) throws -> M? {
    let core = try use()
    let layout = try M.layout
    let statement = try withUnsafePointer(to: id) {
      try core.lendStatement(finding: layout, withKeyAt: UnsafeRawPointer($0))
    }
    defer { core.giveBack(statement) }
    if try !core.step(statement) {
      let isFound = try withUnsafePointer(to: id) {
        try core.step(statement, toOtherSpellingsOf: UnsafeRawPointer($0), layout)
      }
      guard isFound else { return nil }
    }
    return try M.load(layout, rowOf: statement, on: core, row: 0)
  }
}

extension ConnectionCore {
  /// The same, with the key bound.
  @usableFromInline
  func lendStatement(
    finding layout: ModelLayout, withKeyAt key: UnsafeRawPointer
  ) throws -> StatementPointer {
    let statement = try lendFindStatement(layout)
    do {
      try bind(key: layout.keySlots, at: key, to: statement)
    } catch {
      giveBack(statement)
      throw error
    }
    return statement
  }

  /// `SELECT … FROM "T" WHERE key = ?`
  func lendFindStatement(_ layout: ModelLayout) throws -> StatementPointer {
    try lendStatement(.find, of: layout) {
      let names = layout.columns.map(\.quotedName).joined(separator: ", ")
      return "SELECT \(names) FROM \(layout.quotedTableName) WHERE \(layout.keyCondition)"
    }
  }
}

extension ModelLayout {
  /// `"id" = ?`, for each column of the key.
  var keyCondition: String {
    keyColumns.map { "\(columns[$0].quotedName) = ?" }.joined(separator: " AND ")
  }
}
