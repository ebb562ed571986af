import SQLCore

/// A query with a known type of rows. `fetch`, `first`, `count` and `observe` take such a query.
///
/// ```swift
/// func titles(_ query: some Fetchable<Post>) throws -> [String] {
///   try db.fetch(query).map(\.title)
/// }
/// ```
public protocol Fetchable<Row>: Sendable {
  /// The Swift type of a row: a model, a value, or a tuple.
  associatedtype Row: Sendable
  /// The SELECT, with the way to read its rows.
  var query: Query<Row> { get }
  /// The SQL of the query, with its values. Throws `QueryError` if the query cannot be written as
  /// SQL.
  var sql: SQL { get throws }

  // There are two kinds of queries: a `Query` is rendered before it runs, and a call of a prepared
  // query has its SQL already. `fetch` and similar methods of connections and readers run queries
  // of both kinds through the requirements below.

  /// Returns all rows; programs do not use it directly, but call `fetch`.
  func _rows(on connection: Connection) throws -> [Row]
  /// Returns the first row, or nil; programs do not use it directly, but call `first`.
  func _first(on connection: Connection) throws -> Row?
  /// Returns the number of rows; programs do not use it directly, but call `count`.
  func _count(on connection: Connection) throws -> Int
  /// Returns whether there is any row; programs do not use it directly, but call `exists`.
  func _exists(on connection: Connection) throws -> Bool
  /// Whether the query has a limit. A query without a limit may take long. Programs do not use this
  /// property directly.
  var _isLimited: Bool { get }
}

extension Fetchable {
  /// The SQL of the query, with its values. Throws `QueryError` if the query cannot be written as
  /// SQL.
  public var sql: SQL {
    get throws { try query.statement.rendered() }
  }
}

/// A SELECT and the way to read its rows: a `Query { }`, or the `query` of a query over one table.
///
/// ```swift
/// let feed = Query { (post: Columns<Post>, author: Columns<Author>) in
///   From(post)
///   Join(author, on: post.$authorID == author.$id)
///   Where(post.$status == .published)
///   Select(post.$title, author.$name)
/// }
/// for (title, name) in try db.fetch(feed) { print(title, name) }
/// ```
public struct Query<Row>: Fetchable {
  @usableFromInline package var statement: SelectStatement
  @usableFromInline package let decoding: RowDecoding<Row>

  @inlinable
  init(statement: SelectStatement, decoding: RowDecoding<Row>) {
    self.statement = statement
    self.decoding = decoding
  }

  /// The query itself.
  @inlinable
  public var query: Query<Row> { self }

  /// The SQL of the query, with its values. Throws `QueryError` if the query cannot be written as
  /// SQL.
  public var sql: SQL {
    get throws { try statement.rendered() }
  }
}

/// The functions that read the rows of a query from its statement.
@usableFromInline
package struct RowDecoding<Row>: Sendable {
  /// Reads all rows of a statement. The last argument is the greatest number of rows that the
  /// statement can have.
  @usableFromInline let all: @Sendable (ConnectionCore, StatementPointer, Int) throws -> [Row]
  /// Reads the statement's current row, beginning at the reader's current column.
  @usableFromInline let one: @Sendable (inout RowReader) throws -> Row
  /// Returns the names and types of the result's columns.
  @usableFromInline package let columns: @Sendable () throws -> [ResultColumn]
  /// Whether a closure makes the rows, as in `map` and `asResults`. The SQL does not contain the
  /// results of the closure, so another query cannot use these rows.
  @usableFromInline package let isMapped: Bool

  @inlinable
  init(
    all: @escaping @Sendable (ConnectionCore, StatementPointer, Int) throws -> [Row],
    one: @escaping @Sendable (inout RowReader) throws -> Row,
    columns: @escaping @Sendable () throws -> [ResultColumn], isMapped: Bool = false
  ) {
    self.all = all
    self.one = one
    self.columns = columns
    self.isMapped = isMapped
  }
}

/// A column of a typed result.
@usableFromInline
package struct ResultColumn: Sendable {
  /// The name or the alias of the column; nil for an expression without an alias. SQLite names such
  /// an expression after its text.
  package let name: String?
  package let type: any ColumnValue.Type
  package internal(set) var form: StoredForm
  /// Whether the column may be NULL, because its type is an optional, or because an outer join may
  /// find no row of its table.
  package let isOptional: Bool

  @usableFromInline
  init(name: String?, type: any ColumnValue.Type, form: StoredForm, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.form = form
    self.isOptional = isOptional || type.isOptional
  }
}

/// The current row of a statement, which is read from left to right.
@usableFromInline
package struct RowReader {
  @usableFromInline let core: ConnectionCore
  @usableFromInline let statement: StatementPointer
  @usableFromInline var position = 0
}

@available(*, unavailable, message: "a row is read on the thread that runs its statement")
extension RowReader: Sendable {}

extension Query {
  /// Reads the statement's current row. Returns the row, and the index of the first column after
  /// it.
  package func read(
    _ statement: StatementPointer, on core: ConnectionCore
  ) throws -> (row: Row, nextColumn: Int) {
    var reader = RowReader(core: core, statement: statement)
    let row = try decoding.one(&reader)
    return (row, reader.position)
  }

  /// Returns the query with other selected expressions. A row of the result is an array of the
  /// values of these expressions.
  package func selectingValues(of nodes: [ExpressionNode]) -> Query<[DatabaseValue]> {
    var statement = statement
    statement.selection = .terms(nodes.map { .expression($0) })
    @Sendable func read(_ reader: inout RowReader) throws -> [DatabaseValue] {
      let row = StatementRow(statement: reader.statement)
      defer { reader.position += nodes.count }
      return try nodes.indices.map { try row.validValue(at: reader.position + $0) }
    }
    return Query<[DatabaseValue]>(
      statement: statement,
      decoding: RowDecoding(
        all: { core, statement, _ in
          var rows: [[DatabaseValue]] = []
          while try core.step(statement) {
            var reader = RowReader(core: core, statement: statement)
            rows.append(try read(&reader))
          }
          return rows
        },
        one: read, columns: { [] }))
  }
}

extension Fetchable {
  /// Converts each row of the result by a closure, for example into a struct that contains models.
  ///
  /// ```swift
  /// struct Entry { var post: Post; var author: String }
  ///
  /// let feed = Query { (post: Columns<Post>, author: Columns<Author>) in
  ///   From(post)
  ///   Join(author, on: post.$authorID == author.$id)
  ///   Select(post, author.$name)
  /// }.map { Entry(post: $0, author: $1) }                          // Query<Entry>
  /// ```
  /// The SQL is the same. The query can be fetched, streamed and observed like any other, and
  /// conditions and a limit can be added. A later `select` replaces the closure. The closure runs
  /// on the thread that reads the rows, and must not use the database. If the closure throws,
  /// `fetch` throws the same error.
  ///
  /// SQL does not contain the results of the closure. So a query with `map` throws `QueryError` if
  /// another query uses it as a table, in a subquery or in a UNION, or if an insert uses it. Call
  /// `map` on the outer query instead. Only `exists()` and `count()` accept such a query, because
  /// they do not use its rows.
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Row) throws -> Result
  ) -> Query<Result> {
    let query = query
    let decoding = query.decoding
    return Query<Result>(
      statement: query.statement,
      decoding: RowDecoding(
        all: { core, statement, limit in try decoding.all(core, statement, limit).map(transform) },
        one: { reader in try transform(decoding.one(&reader)) }, columns: decoding.columns,
        isMapped: true))
  }
}

extension Fetchable {
  /// Returns each row of the result as a success or a failure. If a value of a row cannot be read,
  /// the row is a failure with the error that `fetch` would throw. So one unreadable row does not
  /// hide the readable rows.
  ///
  /// ```swift
  /// let results = try db.fetch(Post.all.asResults())      // [Result<Post, ColumnValueError>]
  /// let posts = results.compactMap { try? $0.get() }
  /// for case .failure(let error) in results { print(error) }
  /// // Post.status, row with the key 7: asleep cannot be read as Status
  /// ```
  /// If the row is a model, the error has the row's `key`, by which the row can be corrected or
  /// deleted. The SQL is the same. The query can be fetched, streamed and observed like any other.
  /// If the query is observed, a failed row becomes a success as soon as it can be read. As with
  /// `map`, another query cannot contain this query.
  ///
  /// A query with `including` has no `asResults`. Read the parents by one query and the children by
  /// another, in one `read { }`.
  ///
  /// ```swift
  /// let (authors, posts) = try db.read { connection in
  ///   (try connection.fetch(Author.all.asResults()), try connection.fetch(Post.all.asResults()))
  /// }
  /// ```
  /// The method costs as much as `map`. `fetch` still throws errors other than `ColumnValueError`.
  public func asResults() -> Query<Result<Row, ColumnValueError>> {
    let query = query
    let decoding = query.decoding
    @Sendable func read(_ reader: inout RowReader) throws -> Result<Row, ColumnValueError> {
      let start = reader.position
      do {
        return .success(try decoding.one(&reader))
      } catch let error as ColumnValueError {
        reader.position = start + (try decoding.columns().count)
        return .failure(error)
      }
    }
    return Query(
      statement: query.statement,
      decoding: RowDecoding(
        all: { core, statement, _ in
          var rows: [Result<Row, ColumnValueError>] = []
          while try core.step(statement) {
            var reader = RowReader(core: core, statement: statement)
            let row = try read(&reader)
            rows.append(row.mapError { $0.at(table: nil, column: nil, row: rows.count) })
          }
          return rows
        },
        one: read, columns: decoding.columns, isMapped: true))
  }
}

extension Query {
  /// The statement, for use as a table in another query. If the query has `map` or `asResults`, the
  /// statement contains an error, because the SQL does not contain the results of the closure.
  var tableStatement: SelectStatement {
    guard decoding.isMapped else { return statement }
    var statement = statement
    statement.note(.mapped)
    return statement
  }
}

extension QueryError {
  static let mapped = QueryError(
    "a query with `map` is used inside another, but SQL has only the columns that it selects; call "
      + "`map` on the outer query instead")
}
