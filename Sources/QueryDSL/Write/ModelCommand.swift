import SQLCore

/// What `run` takes: an insert, an update or a deletion.
public protocol Runnable: Sendable {
  /// The SQL that it becomes, with its values; throws `QueryError` where it cannot be SQL.
  var sql: SQL { get throws }
}

/// An insert, an update or a deletion of one table's rows, which can return them.
public protocol TableCommand<M>: Runnable {
  /// The model of the table.
  associatedtype M: Model
  /// The columns of the table.
  var columns: Columns<M> { get }
}

/// A command as a connection runs it.
protocol ModelCommand: Renderable, Sendable {
  var layout: ModelLayout { get throws }
  /// The columns that it assigns; nil for a deletion.
  var assignedColumns: [String]? { get }

  /// How many statements it consists of.
  var statementCount: Int { get }

  /// Lends the statements that the command consists of, one after another, each bound and ready to
  /// run; an error of the closure gets its place.
  func forEachStatement(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws

  /// Runs the command; how many rows it changed.
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

  /// The statement that the command is, lent once; an error of the closure gets its foreign key.
  func withStatement(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws {
    let statement =
      if let returning {
        try core.lendStatement(for: ReturningStatement(command: self, returning: returning))
      } else {
        try core.lendStatement(for: self)
      }
    defer { core.giveBack(statement) }
    do {
      try body(statement)
    } catch let error as DatabaseError {
      throw locate(error, on: core)
    }
  }

  /// Adds the foreign key to an error that does not name it.
  func locate(_ error: DatabaseError, on core: ConnectionCore) -> DatabaseError {
    guard error.isForeignKeyWithoutPlace, let layout = try? layout else { return error }
    return layout.locate(error, running: self, on: core)
  }
}
