import SQLCore

extension PreparedQuery {
  init<Q: Fetchable>(
    _ build: @escaping @Sendable (repeat each Parameter) -> Q
  ) throws where Q.Row == Row {
    var places = ParameterPlaces()
    let query = build(repeat places.next((each Parameter).self)).query
    body = try PreparedBody(query) { arguments in
      var places = ParameterPlaces()
      return build(repeat places.next((each Parameter).self, from: arguments)).query
    }
  }
}

extension PreparedCommand {
  init<Command: TableCommand>(_ build: (repeat each Parameter) -> Command) throws {
    var places = ParameterPlaces()
    let command = build(repeat places.next((each Parameter).self))
    (template, place) = try PreparedTemplate.make(of: command, nil)
  }
}

extension PreparedReturning {
  init<Command: TableCommand>(
    _ build: (repeat each Parameter) -> Returning<Command, Row>
  ) throws {
    var places = ParameterPlaces()
    let returning = build(repeat places.next((each Parameter).self))
    guard case .rendered(let command, let clause) = returning.source else {
      throw Returning<Command, Row>.unknown
    }
    (template, place) = try PreparedTemplate.make(of: command, clause)
    decoding = returning.decoding
  }
}

extension PreparedTemplate {
  fileprivate static func make(
    of command: some TableCommand, _ returning: ReturningClause?
  ) throws -> (PreparedTemplate, CommandPlace) {
    guard let command = command as? any ModelCommand else {
      throw QueryError("\(type(of: command)) is not a command of Apus")
    }
    return try make(of: command, returning)
  }

  private static func make(
    of command: some ModelCommand, _ returning: ReturningClause?
  ) throws -> (PreparedTemplate, CommandPlace) {
    guard command.statementCount == 1 else {
      throw QueryError(
        "an insert of \(command.statementCount) models is not a single statement; prepare the "
          + "insert of one model, or set the columns")
    }
    // Each call of the prepared command writes the values that the model has now, including its
    // key. Therefore the key must not have been changed since the model was loaded.
    try command.requireUnchangedKeys()
    let template =
      if let returning {
        try PreparedTemplate(ReturningStatement(command: command, returning: returning))
      } else {
        try PreparedTemplate(command)
      }
    return (template, CommandPlace { command.locate($0, on: $1) })
  }
}

extension Connection {
  /// Prepares a query with parameters. `prepare` renders the query once. `fetch`, `first`, `count`
  /// and `exists` then use the rendered SQL. They render the query again only if its results are
  /// cached.
  ///
  /// ```swift
  /// let byTitle = try tx.prepare { (title: SQLParameter<String>, minimum: SQLParameter<Int>) in
  ///   Post.where { $0.$title == title && $0.$views >= minimum }
  /// }
  /// try tx.fetch(byTitle("News", 3))
  /// // SELECT … FROM "Post" WHERE "title" = ? AND "views" >= ?
  /// ```
  /// The closure runs during this call, with placeholders for the arguments. An `if` in the closure
  /// therefore cannot depend on the arguments. Throws `QueryError` for a query that cannot be
  /// written as SQL, and `DatabaseError` if SQLite cannot compile the query.
  public func prepare<Q: Fetchable, each Parameter: QueryParameter>(
    _ build: @escaping @Sendable (repeat each Parameter) -> Q
  ) throws -> PreparedQuery<Q.Row, repeat each Parameter> {
    let prepared = try PreparedQuery<Q.Row, repeat each Parameter>(build)
    try prepared.body.rows.compile(on: try use())
    return prepared
  }

  /// Prepares an insert, an update or a deletion with parameters. Throws the same errors as the
  /// function that prepares a query.
  ///
  /// An insert of several models is not a single statement and throws `QueryError`. An upsert of a
  /// model throws `KeyChanged` if the model's key was changed and the upsert could update the row
  /// with the new key.
  public func prepare<Command: TableCommand, each Parameter: QueryParameter>(
    _ build: (repeat each Parameter) -> Command
  ) throws -> PreparedCommand<repeat each Parameter> {
    let prepared = try PreparedCommand<repeat each Parameter>(build)
    try prepared.template.compile(on: try use())
    return prepared
  }

  /// Prepares an insert, an update or a deletion that returns rows. Throws the same errors as the
  /// function that prepares a query.
  public func prepare<Command: TableCommand, Row, each Parameter: QueryParameter>(
    _ build: (repeat each Parameter) -> Returning<Command, Row>
  ) throws -> PreparedReturning<Row, repeat each Parameter> {
    let prepared = try PreparedReturning<Row, repeat each Parameter>(build)
    try prepared.template.compile(on: try use())
    return prepared
  }
}

extension Database {
  /// Prepares a query with parameters, on a reader; throws the errors of `Connection.prepare`.
  public func prepare<Q: Fetchable, each Parameter: QueryParameter>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ build: @escaping @Sendable (repeat each Parameter) -> Q
  ) throws -> PreparedQuery<Q.Row, repeat each Parameter> {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.prepare(build) }
  }

  /// Prepares a query with parameters, on a reader; throws the errors of `Connection.prepare`.
  public func prepare<Q: Fetchable, each Parameter: QueryParameter>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ build: @escaping @Sendable (repeat each Parameter) -> Q
  ) async throws -> PreparedQuery<Q.Row, repeat each Parameter> {
    let prepared = try PreparedQuery<Q.Row, repeat each Parameter>(build)
    let template = prepared.body.rows
    try await _readWithoutTransaction(on: .caller, fileID, line) {
      try template.compile(on: try $0.use())
    }
    return prepared
  }

  /// Prepares an insert, an update or a deletion with parameters, on the writer; throws the errors
  /// of `Connection.prepare`.
  public func prepare<Command: TableCommand, each Parameter: QueryParameter>(
    _ build: (repeat each Parameter) -> Command
  ) throws -> PreparedCommand<repeat each Parameter> {
    let prepared = try PreparedCommand<repeat each Parameter>(build)
    try writeWithoutTransaction { try prepared.template.compile(on: try $0.use()) }
    return prepared
  }

  /// Prepares an insert, an update or a deletion with parameters, on the writer; throws the errors
  /// of `Connection.prepare`.
  public func prepare<Command: TableCommand, each Parameter: QueryParameter>(
    _ build: (repeat each Parameter) -> Command
  ) async throws -> PreparedCommand<repeat each Parameter> {
    let prepared = try PreparedCommand<repeat each Parameter>(build)
    let template = prepared.template
    try await writeWithoutTransaction { try template.compile(on: try $0.use()) }
    return prepared
  }

  /// Prepares an insert, an update or a deletion that returns rows, on the writer; throws the
  /// errors of `Connection.prepare`.
  public func prepare<Command: TableCommand, Row, each Parameter: QueryParameter>(
    _ build: (repeat each Parameter) -> Returning<Command, Row>
  ) throws -> PreparedReturning<Row, repeat each Parameter> {
    let prepared = try PreparedReturning<Row, repeat each Parameter>(build)
    try writeWithoutTransaction { try prepared.template.compile(on: try $0.use()) }
    return prepared
  }

  /// Prepares an insert, an update or a deletion that returns rows, on the writer; throws the
  /// errors of `Connection.prepare`.
  public func prepare<Command: TableCommand, Row, each Parameter: QueryParameter>(
    _ build: (repeat each Parameter) -> Returning<Command, Row>
  ) async throws -> PreparedReturning<Row, repeat each Parameter> {
    let prepared = try PreparedReturning<Row, repeat each Parameter>(build)
    let template = prepared.template
    try await writeWithoutTransaction { try template.compile(on: try $0.use()) }
    return prepared
  }
}
