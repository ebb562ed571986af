import SQLCore

extension Fetchable {
  /// Makes each row of the result by a closure from the row that is read, for example a struct that
  /// contains models.
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
  /// The SQL is the same. The query can be fetched, streamed, observed and narrowed like any other;
  /// `select` replaces the closure. The closure runs on the thread that reads the rows, and must
  /// not use the database. If it throws, the error is that of `fetch`.
  ///
  /// SQLite does not know what the closure makes: inside another query, as a table, in a subquery,
  /// a UNION or an insert, it throws `QueryError`. Call `map` on the outer query.
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
  /// Makes each row of the result a success or, if one of its values cannot be read, a failure with
  /// the error that `fetch` would throw. So an unreadable row does not hide the others.
  ///
  /// ```swift
  /// let results = try db.fetch(Post.all.asResults())      // [Result<Post, ColumnValueError>]
  /// let posts = results.compactMap { try? $0.get() }
  /// for case .failure(let error) in results { print(error) }
  /// // Post.status, row with the key 7: asleep cannot be read as Status
  /// ```
  /// The error has the `key` of a model's row, by which the row can be corrected or deleted. The SQL
  /// is the same. The query can be fetched, streamed and observed like any other; a live result tells
  /// of a row again when it can be read. As with `map`, SQL cannot use it inside another query.
  ///
  /// A query with `including` has no results: read the parents and the children by a query each, in one
  /// `read { }`.
  ///
  /// ```swift
  /// let (authors, posts) = try db.read { connection in
  ///   (try connection.fetch(Author.all.asResults()), try connection.fetch(Post.all.asResults()))
  /// }
  /// ```
  /// Costs as much as `map`. Errors other than `ColumnValueError` are thrown.
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
  /// The statement as a table of another query, whose columns are those of the rows.
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
