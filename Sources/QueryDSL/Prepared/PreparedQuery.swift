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
/// A prepared query belongs to no connection. Each connection caches the compiled statement. If the
/// cache does not have the statement, for example after a migration, the connection compiles it. A
/// prepared query is a value that any thread may use.
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
  ) -> some Fetchable<Row> {
    PreparedCall<Row, repeat each Parameter>(body: body, arguments: repeat each argument)
  }
}

/// The parts that all calls of a prepared query share.
///
/// The parts are in one object, so that a call of the query copies only one reference.
@usableFromInline
final class PreparedBody<Row: Sendable>: Sendable {
  @usableFromInline let rows: PreparedTemplate
  let count: PreparedTemplate
  let exists: PreparedTemplate
  @usableFromInline let decoding: RowDecoding<Row>
  /// The greatest number of rows that the limit of the query allows. It is `Int.max` if the query
  /// has no limit, or if the limit is a parameter or an expression.
  @usableFromInline let maximumRowCount: Int
  let isLimited: Bool
  /// Runs the closure of `prepare` again, with the arguments of a call.
  let build: @Sendable ([_PreparedArgument]) -> Query<Row>

  init(
    _ query: Query<Row>,
    _ build: @escaping @Sendable ([_PreparedArgument]) -> Query<Row>
  ) throws {
    let statement = query.statement
    rows = try PreparedTemplate(statement)
    count = try PreparedTemplate(CountStatement(query: statement))
    exists = try PreparedTemplate(ExistsStatement(query: statement))
    decoding = query.decoding
    maximumRowCount = statement.maximumRowCount
    isLimited = statement.limit != nil
    self.build = build
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
  let template: PreparedTemplate
  let place: CommandPlace

  /// Returns the command with its arguments, for `run`.
  public func callAsFunction(_ argument: repeat (each Parameter).Argument) -> some Runnable {
    var places = ParameterPlaces()
    repeat places.take((each Parameter).self, each argument)
    return PreparedRun(template: template, place: place, arguments: places.arguments)
  }
}

/// An insert, an update or a deletion with parameters that returns the rows that it wrote.
///
/// ```swift
/// let take = try db.prepare { (id: SQLParameter<Job.ID>) in
///   Job.update { $0.$state = .taken }.where { $0.$id == id }.returning()
/// }
/// let job = try db.first(take(id))
/// ```
public struct PreparedReturning<Row: Sendable, each Parameter: QueryParameter>: Sendable {
  let template: PreparedTemplate
  let place: CommandPlace
  let decoding: RowDecoding<Row>

  /// Returns the command with its arguments, for `fetch` and `first`.
  public func callAsFunction(
    _ argument: repeat (each Parameter).Argument
  ) -> Returning<some Runnable, Row> {
    var places = ParameterPlaces()
    repeat places.take((each Parameter).self, each argument)
    let run = PreparedRun(template: template, place: place, arguments: places.arguments)
    return Returning<PreparedRun, Row>(source: .prepared(run), decoding: decoding)
  }
}

/// A prepared insert, update or deletion with its arguments.
struct PreparedRun: Runnable {
  let template: PreparedTemplate
  let place: CommandPlace
  let arguments: [_PreparedArgument]

  var sql: SQL {
    get throws { try template.sql(arguments) }
  }

  /// Runs the command and returns the number of rows that it wrote.
  func run(on core: ConnectionCore) throws -> Int {
    let statement = try template.lend(arguments, on: core)
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
    let statement = try template.lend(arguments, on: core)
    defer { core.giveBack(statement) }
    do {
      return try decoding.allWritten(by: statement, on: core)
    } catch let error as DatabaseError {
      throw place.locate(error, core)
    }
  }
}

/// A function that adds details to an error of a command, such as the violated foreign key.
struct CommandPlace: Sendable {
  let locate: @Sendable (DatabaseError, ConnectionCore) -> DatabaseError
}
