import SQLCore

extension Connection {
  /// Runs a command and gives back the rows that it wrote; one statement, for models one each.
  ///
  /// Throws `QueryError` for a command that cannot be SQL, `DatabaseError` for what SQLite reports.
  /// A value that is none of its column's type throws `ColumnValueError` once all rows are written:
  /// the transaction around undoes them.
  public func fetch<Command, Row>(_ command: Returning<Command, Row>) throws -> [Row] {
    let core = try use()
    guard let written = command.command as? any ModelCommand else {
      throw Returning<Command, Row>.unknown
    }
    var rows: [Row] = []
    try written.forEachStatement(returning: command.clause, on: core) { statement in
      let found = try command.decoding.allWritten(by: statement, on: core)
      if rows.isEmpty { rows = found } else { rows += found }
    }
    return rows
  }

  /// Runs a command on all its rows, and gives back the first that it wrote; nil where it wrote
  /// none.
  public func first<Command, Row>(_ command: Returning<Command, Row>) throws -> Row? {
    try fetch(command).first
  }
}

extension RowDecoding {
  /// All rows that a statement gives back of what it wrote, which it runs to its end whatever
  /// happens: a violated foreign key shows there alone.
  func allWritten(by statement: StatementPointer, on core: ConnectionCore) throws -> [Row] {
    do {
      return try all(core, statement, .max)
    } catch let error as ColumnValueError {
      while try core.step(statement) {}
      throw error
    }
  }
}

extension Database {
  /// Runs a command and gives back the rows that it wrote, in a transaction of its own; throws as
  /// `Connection.fetch` does, and has then written nothing.
  public func fetch<Command, Row>(_ command: Returning<Command, Row>) throws -> [Row] {
    try write { try $0.fetch(command) }
  }

  /// Runs a command and gives back the rows that it wrote, in a transaction of its own; throws as
  /// `Connection.fetch` does, and has then written nothing.
  nonisolated(nonsending)
    public func fetch<Command, Row>(_ command: Returning<Command, Row>) async throws -> [Row]
  {
    try await writeData { try $0.fetch(command) }
  }

  /// Runs a command on all its rows, and gives back the first that it wrote.
  public func first<Command, Row>(_ command: Returning<Command, Row>) throws -> Row? {
    try write { try $0.first(command) }
  }

  /// Runs a command on all its rows, and gives back the first that it wrote.
  nonisolated(nonsending)
    public func first<Command, Row>(_ command: Returning<Command, Row>) async throws -> Row?
  {
    try await writeData { try $0.first(command) }
  }
}
