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
  ) -> some Fetchable<Row> {
    PreparedCall<Row, repeat each Parameter>(body: body, arguments: repeat each argument)
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
  /// The greatest number of rows that the limit allows; `Int.max` if the limit is a parameter.
  @usableFromInline let maximumRowCount: Int
  let isLimited: Bool
  /// Makes the query again, with the arguments in it.
  let build: @Sendable ([_PreparedArgument]) -> Query<Row>

  init(
    _ query: Query<Row>,
    _ build: @escaping @Sendable ([_PreparedArgument]) -> Query<Row>
  ) throws {
    let statement = query.statement
    rows = try PreparedForm(statement)
    count = try PreparedForm(CountStatement(query: statement))
    exists = try PreparedForm(ExistsStatement(query: statement))
    decoding = query.decoding
    maximumRowCount = statement.maximumRowCount
    isLimited = statement.limit != nil
    self.build = build
  }
}
