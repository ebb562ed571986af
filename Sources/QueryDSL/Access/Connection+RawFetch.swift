import SQLCore

// Rows of raw SQL as models: the statement runs as it is written, whatever it is, and each column of
// the model is found in its result by its name, once for each statement.

extension Connection {
  /// Returns the rows of a raw statement as models or rows: columns are found by their names, and
  /// others are not read.
  ///
  /// ```swift
  /// let posts = try connection.fetch(Post.self, "SELECT * FROM Post WHERE views > \(100)")
  ///
  /// struct Summary: ResultRow {
  ///   @Column var name: String
  ///   @Column var posts: Int
  /// }
  /// let summaries = try connection.fetch(
  ///   Summary.self,
  ///   "SELECT name, count(*) AS posts FROM Author JOIN Post ON authorID = Author.id GROUP BY name")
  /// ```
  ///
  /// The statement may write, with RETURNING, in `write { }`. Throws `DatabaseError` (`.range`) if the
  /// result lacks a column of the model, or has several of its name; and what `fetch` of a query
  /// throws.
  public func fetch<R: ResultRow>(_ row: R.Type, _ sql: SQL) throws -> [R] {
    let core = try use()
    let statement = try core.lendStatement(for: sql, asColumnsOf: R.layout)
    defer { core.giveBack(statement) }
    do {
      return try R.load(all: statement, on: core, findingColumnsByName: true)
    } catch let error as ColumnValueError where !statement.pointee.isReadOnly {
      // What writes runs to its end: a foreign key that it violates is seen there only.
      while try core.step(statement) {}
      throw error
    }
  }
}

extension DatabaseReader {
  /// Returns the rows of a raw statement as models or rows; throws as `Connection.fetch` does.
  public func fetch<R: ResultRow>(_ row: R.Type, _ sql: SQL) throws -> [R] {
    try readWithoutTransaction { try $0.fetch(row, sql) }
  }

  /// Returns the rows of a raw statement as models or rows; throws as `Connection.fetch` does.
  nonisolated(nonsending)
    public func fetch<R: ResultRow>(_ row: R.Type, _ sql: SQL) async throws -> [R]
  {
    try await readWithoutTransaction(on: .background) { try $0.fetch(row, sql) }
  }
}

extension ConnectionCore {
  /// Lends a raw statement, its values bound, whose result has the columns of a model, each once.
  func lendStatement(
    for sql: SQL, asColumnsOf layout: ModelLayout
  ) throws -> StatementPointer {
    let statement = try lendStatement(for: sql)
    do {
      // A statement that writes must not run in vain.
      _ = try layout.positions(in: statement)
      return statement
    } catch {
      giveBack(statement)
      throw error
    }
  }
}

extension ModelLayout {
  /// Where the columns are in the result of a statement. After a change of the schema SQLite compiles
  /// a statement again when it takes its first step: this is asked again then.
  func positions(in statement: StatementPointer) throws -> ColumnPositions {
    try statement.positions(
      ofColumns: columns.map(\.name), layout: number, model: String(describing: model))
  }
}
