import SQLCore

extension Query {
  /// Returns a query for the next page, without OFFSET: the rows after a cursor, in the order of
  /// the query. Each row comes with its own cursor.
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
  /// Without a cursor, the query returns the first page. While the tables do not change, the pages
  /// contain each row exactly once.
  ///
  /// The query may be ordered by any expressions over any tables. Rows that are equal in these
  /// expressions are ordered by the keys of the tables, in the direction of the last expression.
  /// The key of a joined table is left out if the condition of the join compares the whole key with
  /// columns of another table, because the join then finds at most one row. In the example, the key
  /// of `Author` is left out. A key with a text is never left out, and a query with a RIGHT or FULL
  /// JOIN leaves out no key.
  ///
  /// The limit of the query is the size of a page. If all columns of the order belong to one table,
  /// SQLite can find a page in an index over them. Otherwise each page reads and sorts the rows
  /// after the cursor. An expression that is not a column is treated as if it could be NULL.
  ///
  /// Rendering the query throws `QueryError` for a cursor of another order or of other tables. It
  /// also throws for a query with an offset, DISTINCT, groups, aggregates, windows, UNION,
  /// INTERSECT or EXCEPT, and for a table without a key, such as a query or a function in FROM.
  public consuming func page(
    after cursor: PageCursor<Row>? = nil
  ) -> Query<(row: Row, cursor: PageCursor<Row>)> {
    paged(after: cursor, isReversed: false)
  }

  /// Returns a query for the previous page: the rows before a cursor, in the opposite order, so
  /// that the nearest row comes first. Each row comes with its own cursor. Without a cursor, the
  /// query returns the last page.
  ///
  /// ```swift
  /// let previous = try db.fetch(feed.page(before: page.first?.cursor)).reversed()
  /// ```
  /// In all other respects it works like `page(after:)`.
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
      statement: statement,
      decoding: .parts(parts, isMapped: decoding.isMapped, columns: decoding.columns))
  }
}

extension TableQuery where M: Model {
  /// Orders the rows, and keeps only the rows after a cursor: the next page, without OFFSET.
  ///
  /// ```swift
  /// let newest = PageOrder<Post>.descending(\.$createdAt)
  /// let query = Post.where { $0.$status == .published }.page(after: cursor, by: newest).limit(20)
  /// // SELECT … FROM "Post" WHERE "status" = ? AND ("createdAt", "id") < (?, ? COLLATE "BINARY")
  /// //   ORDER BY "createdAt" DESC, "id" DESC LIMIT ?
  /// ```
  /// Without a cursor, the query returns the first page. While the table does not change, the pages
  /// contain each row exactly once. An inserted or deleted row moves no other row to another page.
  ///
  /// With an index over the columns of the order, such as `Index(\.$createdAt)`, SQLite seeks the
  /// first row of the page, and reads no rows before it. SQLite reads more rows in three cases:
  ///
  /// - If the columns have different directions, SQLite also reads the rows with the cursor's
  ///   values in all columns before the first change of direction.
  /// - If the first column is optional and NULL comes last, as in a descending order, SQLite also
  ///   reads all rows before the page, unless the page begins after a NULL.
  /// - If NULL comes first and the page begins after a NULL, SQLite also reads the rows with NULL
  ///   before the page.
  ///
  /// Rendering the query throws `QueryError` for a cursor of another order, for a model without a
  /// key, and for a query that is already ordered or grouped or has an offset. Two pages in the
  /// same order have the same SQL, if their cursors have NULL in the same columns.
  public consuming func page(after cursor: PageCursor<M>? = nil, by order: PageOrder<M>) -> Self {
    do {
      let layout = try M.layout
      try checkPage(layout)
      let terms = try order.terms(of: layout)
      let table = columns.table
      for term in terms {
        let column = layout.columns[term.column]
        let id = ColumnID(table: table, index: UInt16(truncatingIfNeeded: term.column))
        select.statement.addOrder(
          ExpressionNode.column(id).collated(as: column.type),
          term.isDescending ? .descending : .ascending, column.mayBeNull ? term.nulls : nil)
      }
      guard let cursor else { return self }
      guard try cursor.order == order.fingerprint(of: layout), cursor.values.count == terms.count
      else {
        throw QueryError(
          cursor: "the cursor belongs to another order of \(layout.tableName); use it with the "
            + "order that made it, or begin with the first page")
      }
      let condition = PageCondition(
        terms: zip(terms, cursor.values).map { term, value in
          let column = layout.columns[term.column]
          let id = ColumnID(table: table, index: UInt16(truncatingIfNeeded: term.column))
          return PageCondition.Term(
            node: ExpressionNode.column(id).collated(as: column.type),
            isDescending: term.isDescending,
            mayBeNull: column.mayBeNull || value.isNull, hasNullFirst: term.hasNullFirst,
            value: value)
        })
      for predicate in condition.predicates { select.statement.predicates.append(predicate) }
    } catch let error as QueryError {
      select.statement.note(error)
    } catch {
      select.statement.note(QueryError(String(describing: error)))
    }
    return self
  }

  private func checkPage(_ layout: ModelLayout) throws {
    guard select.statement.order.isEmpty else {
      throw QueryError(
        "a page of \(layout.tableName) has the order of `page(by:)`; remove the other order")
    }
    guard select.statement.groups.isEmpty else {
      throw QueryError(
        "a page of \(layout.tableName) has rows of the table; groups have no key, so they have no "
          + "pages")
    }
    guard select.statement.offset == nil else { throw QueryError.offsetOfPage }
  }
}

extension Model {
  /// Returns a query for the rows after a cursor, in an order. Without a cursor, it begins with the
  /// first row.
  /// SQL: `WHERE ("createdAt", "id") < (?, ? COLLATE "BINARY") ORDER BY "createdAt" DESC, …`
  public static func page(
    after cursor: PageCursor<Self>? = nil, by order: PageOrder<Self>
  ) -> TableQuery<Self, Self> {
    all.page(after: cursor, by: order)
  }
}
