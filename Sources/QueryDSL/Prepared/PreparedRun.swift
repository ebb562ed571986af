import SQLCore

/// A prepared insert, update or deletion with its arguments.
struct PreparedRun: Runnable {
  let form: PreparedForm
  let place: CommandPlace
  let arguments: [_PreparedArgument]

  var sql: SQL {
    get throws { try form.sql(arguments) }
  }

  /// Runs the command and returns the number of rows that it wrote.
  func run(on core: ConnectionCore) throws -> Int {
    let statement = try form.lend(arguments, on: core)
    defer { core.giveBack(statement) }
    do {
      try core.run(statement)
    } catch let error as DatabaseError {
      throw place.locate(error, core)
    }
    return core.changeCount
  }

  /// Runs the command and returns the rows that it wrote.
  func rows<Row>(_ decoding: RowDecoding<Row>, on core: ConnectionCore) throws -> [Row] {
    let statement = try form.lend(arguments, on: core)
    defer { core.giveBack(statement) }
    do {
      return try decoding.allWritten(by: statement, on: core)
    } catch let error as DatabaseError {
      throw place.locate(error, core)
    }
  }
}

/// Adds the foreign key to the error of a command that violated one.
struct CommandPlace: Sendable {
  let locate: @Sendable (DatabaseError, ConnectionCore) -> DatabaseError
}
