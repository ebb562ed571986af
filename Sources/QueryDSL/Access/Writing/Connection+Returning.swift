import SQLCore

extension Connection {
  /// Runs a command and returns the written rows. The call usually runs one statement. An insert of
  /// models runs one statement for each model, and an insert of very many rows runs several.
  ///
  /// Throws `QueryError` for a command that cannot be written as SQL, and `DatabaseError` if SQLite
  /// reports an error. A value that is not valid for its column's type throws `ColumnValueError`
  /// after the statement has written all its rows, so the surrounding transaction must undo these
  /// rows. If the command has several models or statements, the call itself undoes them.
  public func fetch<Command, Row>(_ command: Returning<Command, Row>) throws -> [Row] {
    let core = try use()
    switch command.source {
    case .prepared(let call): return try call.rows(command.decoding, on: core)
    case .rendered(let written, let clause):
      guard let written = written as? any ModelCommand else {
        throw Returning<Command, Row>.unknown
      }
      var rows: [Row] = []
      try written.forEachStatement(returning: clause, on: core) { statement in
        let found = try command.decoding.allWritten(by: statement, on: core)
        if rows.isEmpty { rows = found } else { rows += found }
      }
      return rows
    }
  }

  /// Runs a command and returns the first row that it wrote, or nil. The command still writes all
  /// its rows. Throws the errors of `fetch`.
  public func first<Command, Row>(_ command: Returning<Command, Row>) throws -> Row? {
    try fetch(command).first
  }
}

extension RowDecoding {
  /// Returns all rows of a statement that writes. The statement runs to its end even if a row
  /// cannot be read, because SQLite reports a violated foreign key only at the end.
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
  /// Runs a command in a transaction of its own and returns the rows that it wrote.
  ///
  /// Throws the errors of `Connection.fetch`. If it throws, nothing is written.
  public func fetch<Command, Row>(_ command: Returning<Command, Row>) throws -> [Row] {
    try writeData { try $0.fetch(command) }
  }

  /// Runs a command in a transaction of its own and returns the rows that it wrote.
  ///
  /// Throws the errors of `Connection.fetch`. If it throws, nothing is written.
  public func fetch<Command, Row>(_ command: Returning<Command, Row>) async throws -> [Row] {
    try await writeData { try $0.fetch(command) }
  }

  /// Runs a command in a transaction of its own, and returns the first row that it wrote, or nil.
  /// The command still writes all its rows.
  public func first<Command, Row>(_ command: Returning<Command, Row>) throws -> Row? {
    try writeData { try $0.first(command) }
  }

  /// Runs a command in a transaction of its own, and returns the first row that it wrote, or nil.
  /// The command still writes all its rows.
  public func first<Command, Row>(_ command: Returning<Command, Row>) async throws -> Row? {
    try await writeData { try $0.first(command) }
  }
}
