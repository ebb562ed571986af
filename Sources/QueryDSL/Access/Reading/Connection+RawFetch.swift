import SQLCore

// These methods read rows of raw SQL as models. The statement runs unchanged. The columns of the
// model are found in the statement's result by their names, once for each statement.

extension Connection {
  /// Returns the rows of a raw statement as values of one type: a model or another `ResultRow`.
  /// Each column of the type is found in the result by its name. The result may have other columns.
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
  ///   """
  ///   SELECT name, count(*) AS posts FROM Author JOIN Post ON authorID = Author.id GROUP BY name
  ///   """)
  /// ```
  ///
  /// Inside `write { }`, the statement may also be a write with a RETURNING clause. Throws
  /// `DatabaseError` (`.range`) if a column of the model is missing from the result or occurs more
  /// than once. Also throws everything that `fetch` of a query throws.
  public func fetch<R: ResultRow>(_ row: R.Type, _ sql: SQL) throws -> [R] {
    let core = try use()
    let statement = try core.lendStatement(for: sql, asColumnsOf: R.layout)
    defer { core.giveBack(statement) }
    do {
      return try R.load(all: statement, on: core, findingColumnsByName: true)
    } catch let error as ColumnValueError where !statement.pointee.isReadOnly {
      // A statement that writes runs to its end, because SQLite reports a violated foreign key only
      // at the end.
      while try core.step(statement) {}
      throw error
    }
  }
}

extension Connection {
  /// Not available: the type of the rows is missing.
  @available(
    *, unavailable,
    message: "say what the rows are, as in fetch(String.self, sql), or call rows(sql)"
  )
  public func fetch(_ sql: SQL) throws -> [Row] { throw QueryError.rowsOfRawSQL }
}

extension QueryError {
  fileprivate static var rowsOfRawSQL: QueryError {
    QueryError("say what the rows of raw SQL are, as in `fetch(String.self, sql)`")
  }
}

extension DatabaseReader {
  /// Not available: the type of the rows is missing.
  @available(
    *, unavailable,
    message: "say what the rows are, as in fetch(String.self, sql), or call rows(sql)"
  )
  public func fetch(_ sql: SQL) throws -> [Row] { throw QueryError.rowsOfRawSQL }

  /// Returns the rows of a raw statement as values of one type: a model or another `ResultRow`.
  /// Throws the errors of `Connection.fetch`.
  public func fetch<R: ResultRow>(
    _ row: R.Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [R] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(row, sql) }
  }

  /// Returns the rows of a raw statement as values of one type: a model or another `ResultRow`.
  /// Throws the errors of `Connection.fetch`.
  public func fetch<R: ResultRow>(
    _ row: R.Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [R] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.fetch(row, sql) }
  }
}

extension ConnectionCore {
  /// Returns the compiled statement for raw SQL, with its values bound. The caller must return the
  /// statement with `giveBack(_:)`. Throws unless the statement's result has each column of a model
  /// exactly once.
  func lendStatement(
    for sql: SQL, asColumnsOf layout: ModelLayout
  ) throws -> StatementPointer {
    let statement = try lendStatement(for: sql)
    do {
      // The columns are checked before the statement runs, because the statement may write.
      _ = try layout.positions(in: statement)
      return statement
    } catch {
      giveBack(statement)
      throw error
    }
  }
}

extension ModelLayout {
  /// Returns the position of each column of the model in the result of a statement. After a change
  /// of the schema, SQLite compiles a statement again at its first step, and the positions must be
  /// found again.
  func positions(in statement: StatementPointer) throws -> ColumnPositions {
    try statement.positions(
      ofColumns: columns.map(\.name), layout: number, model: String(describing: model))
  }
}

extension Row {
  /// The value that a row has for a column of a model. The column is found in the row by its name,
  /// and the value is read in the stored form that the model declares.
  ///
  /// ```swift
  /// let row = try db.row("SELECT * FROM Post JOIN Author ON authorID = Author.key LIMIT 1")
  /// let title = try row?[\Post.$title]
  /// ```
  /// Throws the errors of `get(_:named:as:)`, and `ModelError` if the key path is not a column.
  public subscript<M: ResultRow, Value: ColumnValue>(
    column: KeyPath<M, ColumnReference<Value>>
  ) -> Value {
    get throws {
      let layout = try M.layout
      guard let index = layout.index(of: column) else {
        throw ModelError(M.self, "\(column) is not a column")
      }
      return try get(Value.self, named: layout.columns[index].name, as: layout.columns[index].form)
    }
  }
}

extension SQL.StringInterpolation {
  /// Appends the name of a model's table, quoted: `"UPDATE \(Post.self) SET …"`.
  public mutating func appendInterpolation<M: TableModel>(_ model: M.Type) {
    appendInterpolation(identifier: M.tableName)
  }

  /// Appends the names of all columns of a model, qualified with the table, quoted and separated by
  /// commas: `"SELECT \(columnsOf: Post.self) FROM Post"`.
  ///
  /// - Parameter tableAlias: The name that the statement gives to the table; nil if the table has
  ///   no alias.
  public mutating func appendInterpolation<M: TableModel>(
    columnsOf model: M.Type, tableAlias: String? = nil
  ) {
    let table = Identifier(tableAlias ?? M.tableName).quoted
    guard let layout = try? M.layout else {
      return appendInterpolation(identifier: "\(M.self), which is not a model")
    }
    appendInterpolation(
      unsafe: layout.columns.map { "\(table).\(Identifier($0.name).quoted)" }
        .joined(separator: ", "))
  }

  /// Appends the name of a column, quoted: `"SELECT \(\Post.$title) …"`.
  ///
  /// If the key path is not a column of the model, the statement throws `DatabaseError` when it is
  /// prepared.
  public mutating func appendInterpolation<M: TableModel, Value>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) {
    guard let layout = try? M.layout, let index = layout.index(of: column) else {
      // No table has a column of this name, so preparing the statement fails.
      return appendInterpolation(identifier: "\(column), which is not a column of \(M.tableName)")
    }
    appendInterpolation(identifier: layout.columns[index].name)
  }
}
