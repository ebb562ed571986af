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
