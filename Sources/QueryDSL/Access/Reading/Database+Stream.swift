import SQLCore

extension Database {
  /// Returns the rows of a query as a stream. All rows are read in one snapshot.
  ///
  /// ```swift
  /// for try await post in db.stream(Post.where { $0.$views > 100 }) { … }
  /// for try await (id, title) in db.stream(Post.select(\.$id, \.$title)) { … }
  /// ```
  ///
  /// The stream reads rows in batches on a thread of the database, while the caller iterates. In
  /// contrast, `fetch` reads all rows at once. Nothing runs before the caller requests the first
  /// row. A query that cannot be written as SQL throws `QueryError` at that time. `RowStream`
  /// describes the resources that a stream holds, and its other errors.
  public func stream<Q: Fetchable>(
    _ query: Q, deadline: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RowStream<Q.Row> {
    let query = query.query
    return RowStream(
      database: self,
      source: RowSource(query) { try $0.lendStatement(for: query.statement) },
      deadline: deadline, place: SourcePlace(fileID, line))
  }

  /// Returns the rows of a raw statement as a stream of models or rows. All rows are read in one
  /// snapshot. Each column of the type is matched to the result column of the same name. The result
  /// may have additional columns.
  ///
  /// ```swift
  /// for try await post in db.stream(Post.self, "SELECT * FROM Post WHERE views > \(100)") { … }
  /// ```
  ///
  /// The stream throws `DatabaseError` (`.range`) if a column of the model is missing from the
  /// result, or occurs more than once.
  public func stream<R: ResultRow>(
    _ row: R.Type, _ sql: SQL, deadline: Duration? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> RowStream<R> {
    RowStream(
      database: self,
      source: RowSource(
        prepare: { try $0.lendStatement(for: sql, asColumnsOf: R.layout) },
        load: { core, statement, memory, capacity, row, progress in
          let layout = try R.layout
          if !progress.isAtRow {
            progress.isAtRow = try core.step(statement)
            progress.isAtEnd = !progress.isAtRow
          }
          guard !progress.isAtEnd else { return }
          try layout.loadRows(
            of: statement, on: core, at: try layout.positions(in: statement), into: memory,
            capacity: capacity, row: row, progress: &progress)
        }),
      deadline: deadline, place: SourcePlace(fileID, line))
  }
}

extension RowSource {
  /// Makes the source of a query's rows. If each row is a model, one call reads many models, by a
  /// function that all model types share. Other rows, and models that a closure makes, are read one
  /// by one.
  fileprivate init(
    _ query: Query<Element>,
    prepare: @escaping @Sendable (ConnectionCore) throws -> StatementPointer
  ) {
    guard !query.decoding.isMapped, let layout = query.statement.layout,
      layout.model == Element.self
    else {
      let read = query.decoding.one
      self.init(prepare: prepare) { core, statement in
        var reader = RowReader(core: core, statement: statement)
        return try read(&reader)
      }
      return
    }
    self.init(prepare: prepare) { core, statement, memory, capacity, row, progress in
      try layout.loadRows(
        of: statement, on: core, into: memory, capacity: capacity, row: row, progress: &progress)
    }
  }
}

extension SelectStatement {
  /// The layout of the model if the statement selects all columns of one table, and nothing else.
  var layout: ModelLayout? {
    switch selection {
    case .table(let table): LayoutRegistry.shared.layout(number: table.layout)
    case .terms(let terms):
      if terms.count == 1, case .table(let table) = terms[0] {
        LayoutRegistry.shared.layout(number: table.layout)
      } else {
        nil
      }
    }
  }
}

extension ModelLayout {
  /// Loads the next rows as models into memory, which must have room for `capacity` models. `row`
  /// is the number of the first of these rows, so that an error can name its row.
  fileprivate func loadRows(
    of statement: StatementPointer, on core: ConnectionCore, at positions: ColumnPositions? = nil,
    into memory: UnsafeMutableRawPointer, capacity: Int, row: Int, progress: inout RowProgress
  ) throws {
    do {
      try core.loadRows(
        of: statement, columns: slots, at: positions, into: memory, capacity: capacity,
        initializingOthers: hasIgnored ? { self.initializeIgnored(in: $0) } : nil,
        progress: &progress)
    } catch {
      throw locate(
        error, column: progress.column, row: row + progress.count, of: statement, positions)
    }
  }
}
