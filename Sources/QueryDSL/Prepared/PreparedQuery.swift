import SQLCore

/// A query with parameters, rendered once; calling it gives the query with its arguments.
///
/// ```swift
/// let byTitle = try db.prepare { (title: Param<String>, minimum: Param<Int>) in
///   Post.where { $0.$title == title && $0.$views >= minimum }
/// }
/// let posts = try db.fetch(byTitle("News", 3))
/// let first = try db.first(byTitle("News", 3))
/// ```
///
/// It belongs to no connection: each keeps the statement in its cache, finds it by bytes that were
/// made once, and compiles it where it does not have it, also after a migration. It is a value that
/// any thread may use.
public struct PreparedQuery<Row: Sendable, each Parameter: QueryParameter>: Sendable {
  @usableFromInline let body: PreparedBody<Row>

  @usableFromInline
  init(body: PreparedBody<Row>) {
    self.body = body
  }

  /// The query with its arguments: what `fetch`, `first`, `count`, `exists` and `observe` take.
  @inlinable
  public func callAsFunction(
    _ argument: repeat (each Parameter).Argument
  ) -> PreparedCall<Row> {
    var arguments: [PreparedArgument] = []
    arguments.reserveCapacity(body.parameterCount)
    repeat arguments.append((each Parameter).argument(each argument))
    return PreparedCall(body: body, arguments: arguments)
  }
}

/// What all calls of a prepared query have in common.
///
/// Behind one reference: a call is made for each time that the query runs, and copies it.
@usableFromInline
final class PreparedBody<Row: Sendable>: Sendable {
  @usableFromInline let rows: PreparedForm
  let count: PreparedForm
  let exists: PreparedForm
  @usableFromInline let decoding: RowDecoding<Row>
  @usableFromInline let parameterCount: Int
  /// The greatest number of rows that the limit lets through, where that is no parameter.
  @usableFromInline let maximumRowCount: Int
  let isLimited: Bool
  /// Makes the query anew, with the arguments in it.
  let build: @Sendable ([PreparedArgument]) -> Request<Row>

  init(
    _ request: Request<Row>, parameterCount: Int,
    _ build: @escaping @Sendable ([PreparedArgument]) -> Request<Row>
  ) throws {
    let statement = request.statement
    rows = try PreparedForm(statement)
    count = try PreparedForm(CountStatement(query: statement))
    exists = try PreparedForm(ExistsStatement(query: statement))
    decoding = request.decoding
    self.parameterCount = parameterCount
    maximumRowCount = statement.maximumRowCount
    isLimited = statement.limit != nil
    self.build = build
  }
}

/// A prepared query with its arguments.
///
/// `fetch`, `first`, `count` and `exists` bind them to their statement and render nothing. Wherever
/// else a query is taken, in a `union` or by `observe`, it is the query that its closure makes of the
/// arguments.
public struct PreparedCall<Row: Sendable>: Fetchable {
  @usableFromInline let body: PreparedBody<Row>
  @usableFromInline let arguments: [PreparedArgument]

  @inlinable
  init(body: PreparedBody<Row>, arguments: [PreparedArgument]) {
    self.body = body
    self.arguments = arguments
  }

  /// The SELECT, made anew with the arguments in it.
  public var request: Request<Row> { body.build(arguments) }

  /// The SQL with the arguments as its values; throws where one cannot be stored.
  public var sql: SQL {
    get throws { try body.rows.sql(arguments) }
  }
}

/// An insert, an update or a deletion with parameters, rendered once; calling it gives the command
/// with its arguments.
///
/// ```swift
/// let read = try db.prepare { (id: Param<Post.ID>) in
///   Post.update { $0.$views += 1 }.where { $0.$id == id }
/// }
/// try db.run(read(id))
/// ```
public struct PreparedCommand<each Parameter: QueryParameter>: Sendable {
  let form: PreparedForm
  let place: CommandPlace

  /// The command with its arguments: what `run` takes.
  public func callAsFunction(
    _ argument: repeat (each Parameter).Argument
  ) -> PreparedRun {
    var places = ParameterPlaces()
    repeat places.take((each Parameter).self, each argument)
    return PreparedRun(form: form, place: place, arguments: places.arguments)
  }
}

/// A prepared insert, update or deletion with its arguments.
public struct PreparedRun: Runnable {
  let form: PreparedForm
  let place: CommandPlace
  let arguments: [PreparedArgument]

  /// The SQL with the arguments as its values; throws where one cannot be stored.
  public var sql: SQL {
    get throws { try form.sql(arguments) }
  }

  /// Runs it; how many rows it wrote.
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
}

/// What adds a foreign key to the error of a command.
struct CommandPlace: Sendable {
  let locate: @Sendable (DatabaseError, ConnectionCore) -> DatabaseError
}

/// An insert, an update or a deletion with parameters that gives back the rows that it wrote.
///
/// ```swift
/// let take = try db.prepare { (id: Param<Job.ID>) in
///   Job.update { $0.set(\.$state, to: .taken) }.where { $0.$id == id }.returning()
/// }
/// let job = try db.first(take(id))
/// ```
public struct PreparedReturning<Row: Sendable, each Parameter: QueryParameter>: Sendable {
  let form: PreparedForm
  let place: CommandPlace
  let decoding: RowDecoding<Row>

  /// The command with its arguments: what `fetch` and `first` take.
  public func callAsFunction(
    _ argument: repeat (each Parameter).Argument
  ) -> PreparedReturningCall<Row> {
    var places = ParameterPlaces()
    repeat places.take((each Parameter).self, each argument)
    return PreparedReturningCall(
      run: PreparedRun(form: form, place: place, arguments: places.arguments),
      decoding: decoding)
  }
}

/// A prepared command that gives back rows, with its arguments.
public struct PreparedReturningCall<Row: Sendable>: Sendable {
  let run: PreparedRun
  let decoding: RowDecoding<Row>

  /// The SQL with the arguments as its values; throws where one cannot be stored.
  public var sql: SQL {
    get throws { try run.sql }
  }
}
