import SQLCore

/// A query with parameters that was rendered once. Calling it returns the query with its arguments.
///
/// ```swift
/// let byTitle = try db.prepare { (title: SQLParameter<String>, minimum: SQLParameter<Int>) in
///   Post.where { $0.$title == title && $0.$views >= minimum }
/// }
/// let posts = try db.fetch(byTitle("News", 3))
/// let first = try db.first(byTitle("News", 3))
/// ```
///
/// It belongs to no connection. Each connection caches the statement, finds it by a number, and
/// compiles it if it is not in the cache, for example after a migration. A prepared query is a
/// value that any thread may use.
public struct PreparedQuery<Row: Sendable, each Parameter: QueryParameter>: Sendable {
  @usableFromInline let body: PreparedBody<Row>

  @usableFromInline
  init(body: PreparedBody<Row>) {
    self.body = body
  }

  /// Returns the query with its arguments, for `fetch`, `first`, `count`, `exists` and `observe`.
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

/// The parts that all calls of a prepared query share.
///
/// They are behind one reference, which each call copies: a call is made each time the query runs.
@usableFromInline
final class PreparedBody<Row: Sendable>: Sendable {
  @usableFromInline let rows: PreparedForm
  let count: PreparedForm
  let exists: PreparedForm
  @usableFromInline let decoding: RowDecoding<Row>
  @usableFromInline let parameterCount: Int
  /// The greatest number of rows that the limit allows; `Int.max` if the limit is a parameter.
  @usableFromInline let maximumRowCount: Int
  let isLimited: Bool
  /// Makes the query again, with the arguments in it.
  let build: @Sendable ([PreparedArgument]) -> Query<Row>

  init(
    _ query: Query<Row>, parameterCount: Int,
    _ build: @escaping @Sendable ([PreparedArgument]) -> Query<Row>
  ) throws {
    let statement = query.statement
    rows = try PreparedForm(statement)
    count = try PreparedForm(CountStatement(query: statement))
    exists = try PreparedForm(ExistsStatement(query: statement))
    decoding = query.decoding
    self.parameterCount = parameterCount
    maximumRowCount = statement.maximumRowCount
    isLimited = statement.limit != nil
    self.build = build
  }
}

/// A prepared query with its arguments.
///
/// `fetch`, `first`, `count` and `exists` bind the arguments to the prepared statement and render
/// nothing. Everything else that takes a query, such as `union` and `observe`, runs the closure
/// again with the arguments.
public struct PreparedCall<Row: Sendable>: Fetchable {
  @usableFromInline let body: PreparedBody<Row>
  @usableFromInline let arguments: [PreparedArgument]

  @inlinable
  init(body: PreparedBody<Row>, arguments: [PreparedArgument]) {
    self.body = body
    self.arguments = arguments
  }

  /// The SELECT that the closure makes of the arguments.
  public var query: Query<Row> { body.build(arguments) }

  /// The SQL, with the arguments as its values. Throws if an argument cannot be stored.
  public var sql: SQL {
    get throws { try body.rows.sql(arguments) }
  }
}

/// An insert, an update or a deletion with parameters that was rendered once. Calling it returns
/// the command with its arguments.
///
/// ```swift
/// let read = try db.prepare { (id: SQLParameter<Post.ID>) in
///   Post.update { $0.$views += 1 }.where { $0.$id == id }
/// }
/// try db.run(read(id))
/// ```
public struct PreparedCommand<each Parameter: QueryParameter>: Sendable {
  let form: PreparedForm
  let place: CommandPlace

  /// Returns the command with its arguments, for `run`.
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

  /// The SQL, with the arguments as its values. Throws if an argument cannot be stored.
  public var sql: SQL {
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
}

/// Adds the foreign key to the error of a command that violated one.
struct CommandPlace: Sendable {
  let locate: @Sendable (DatabaseError, ConnectionCore) -> DatabaseError
}

/// An insert, an update or a deletion with parameters that returns the rows that it wrote.
///
/// ```swift
/// let take = try db.prepare { (id: SQLParameter<Job.ID>) in
///   Job.update { $0.set(\.$state, to: .taken) }.where { $0.$id == id }.returning()
/// }
/// let job = try db.first(take(id))
/// ```
public struct PreparedReturning<Row: Sendable, each Parameter: QueryParameter>: Sendable {
  let form: PreparedForm
  let place: CommandPlace
  let decoding: RowDecoding<Row>

  /// Returns the command with its arguments, for `fetch` and `first`.
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

/// A prepared command that returns rows, with its arguments.
public struct PreparedReturningCall<Row: Sendable>: Sendable {
  let run: PreparedRun
  let decoding: RowDecoding<Row>

  /// The SQL, with the arguments as its values. Throws if an argument cannot be stored.
  public var sql: SQL {
    get throws { try run.sql }
  }
}
