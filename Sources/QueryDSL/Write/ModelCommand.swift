import SQLCore

/// A command, as a connection runs it.
protocol ModelCommand: Renderable, Sendable {
  var layout: ModelLayout { get throws }
  /// The columns to which the command assigns values; nil for a deletion.
  var assignedColumns: [String]? { get }

  /// The number of statements of the command.
  var statementCount: Int { get }

  /// Lends the statements of the command to a closure, one after another, each bound and ready to
  /// run. Adds the place in the data to an error of the closure.
  func forEachStatement(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws

  /// Runs the command, and returns the number of rows that it changed.
  func run(on core: ConnectionCore) throws -> Int
}

extension ModelCommand {
  var statementCount: Int { 1 }

  func forEachStatement(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws {
    try withStatement(returning: returning, on: core, body)
  }

  func run(on core: ConnectionCore) throws -> Int {
    var count = 0
    try withStatement(returning: nil, on: core) { statement in
      try core.run(statement)
      count = core.changeCount
    }
    return count
  }

  /// Lends the single statement of the command to a closure. Adds the foreign key to an error of
  /// the closure.
  func withStatement(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws {
    let statement = try core.lendStatement(for: self, returning: returning)
    defer { core.giveBack(statement) }
    do {
      try body(statement)
    } catch let error as DatabaseError {
      throw locate(error, on: core)
    }
  }

  /// Returns an error with its foreign key, or the columns of an overflow, which SQLite does not
  /// name.
  func locate(_ error: DatabaseError, on core: ConnectionCore) -> DatabaseError {
    guard error.isForeignKeyWithoutPlace || error.code.primary == .error, let layout = try? layout
    else { return error }
    return layout.locate(error, running: self, on: core)
  }
}
