import SQLCore

extension Query {
  /// Returns the rows after a cursor, in the order of the query, each with its own cursor: the next
  /// page, without OFFSET.
  ///
  /// ```swift
  /// let feed = Query { (post: Columns<Post>, author: Columns<Author>) in
  ///   From(post)
  ///   Join(author, on: post.$authorID == author.$id)
  ///   OrderBy(author.$name)
  ///   OrderBy(post.$createdAt)
  ///   Limit(20)
  ///   Select(post.$title, author.$name)
  /// }
  /// let page = try db.fetch(feed.page())                    // [(row: …, cursor: …)]
  /// let next = try db.fetch(feed.page(after: page.last?.cursor))
  /// // SELECT "Post"."title", "Author"."name", "Author"."name", "Post"."createdAt", "Post"."id"
  /// //   FROM "Post" JOIN "Author" ON …
  /// //   WHERE ("Author"."name", "Post"."createdAt", "Post"."id") > (?, ?, ? COLLATE "BINARY")
  /// //   ORDER BY "Author"."name", "Post"."createdAt", "Post"."id" LIMIT ?
  /// ```
  /// The order may be by any expressions over any tables. Rows that are equal in it are ordered by
  /// the keys of the tables, in the direction of the last expression. A table whose row is
  /// determined by another table, because the join compares its whole key, needs no place in the
  /// order. Without a cursor it is the first page. While the tables do not change, the pages contain
  /// each row exactly once.
  ///
  /// The limit of the query is the size of a page. An index over the columns of the order serves the
  /// pages if they are all columns of one table; otherwise each page reads and sorts the rows after
  /// the cursor. An expression that is not a column counts as one that may be NULL.
  ///
  /// These throw `QueryError` when the query is rendered: a cursor of another order or other tables,
  /// an offset, DISTINCT, groups, aggregates and windows, UNION, INTERSECT and EXCEPT, and a table
  /// without a key, such as that of a query or a function in FROM.
  public consuming func page(
    after cursor: PageCursor<Row>? = nil
  ) -> Query<(row: Row, cursor: PageCursor<Row>)> {
    paged(after: cursor, isReversed: false)
  }

  /// Returns the rows before a cursor, the nearest first, each with its own cursor: the page before
  /// a row, in the opposite order. Without a cursor it is the last page.
  ///
  /// ```swift
  /// let previous = try db.fetch(feed.page(before: page.first?.cursor)).reversed()
  /// ```
  /// In all other respects it does what `page(after:)` does.
  public consuming func page(
    before cursor: PageCursor<Row>?
  ) -> Query<(row: Row, cursor: PageCursor<Row>)> {
    paged(after: cursor, isReversed: true)
  }

  private consuming func paged(
    after cursor: PageCursor<Row>?, isReversed: Bool
  ) -> Query<(row: Row, cursor: PageCursor<Row>)> {
    var statement = statement
    var places = PlaceOrder()
    do {
      places = try PlaceOrder(of: statement)
      try places.apply(to: &statement, after: cursor, isReversed: isReversed)
    } catch {
      statement.note(error as? QueryError ?? QueryError(String(describing: error)))
    }
    let decoding = decoding
    var parts = RowParts()
    parts.append(
      RowPart(of: Row.self) { reader, memory in
        memory.initializeMemory(as: Row.self, to: try decoding.one(&reader))
      })
    let (order, count) = (places.fingerprint, places.terms.count)
    parts.append(
      RowPart(of: PageCursor<Row>.self) { reader, memory in
        let row = StatementRow(statement: reader.statement)
        let first = reader.position
        let values = try (first..<first + count).map { try row.validValue(at: $0) }
        reader.position += count
        memory.initializeMemory(
          as: PageCursor<Row>.self, to: PageCursor(order: order, values: values))
      })
    return Query<(row: Row, cursor: PageCursor<Row>)>(
      statement: statement, decoding: .parts(parts, columns: decoding.columns))
  }
}
