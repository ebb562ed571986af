import SQLCore

// A program may extend `Columns` with its own properties, which assume that a row exists. These
// methods apply such properties to a table in which a join may find no row.

extension OptionalColumns {
  /// Returns a predicate that holds if the join found a row and the row satisfies a condition.
  ///
  /// ```swift
  /// let popular = Query { (author: Columns<Author>, post: OptionalColumns<Post>) in
  ///   From(author)
  ///   LeftJoin(post, on: post.$authorID == author.$id)
  ///   Where { post.satisfies { $0.$views > 100 } }
  ///   Select(author.$name)
  /// }
  /// // … WHERE "Post"."id" IS NOT NULL AND "Post"."views" > ?
  /// ```
  public func satisfies(_ condition: (Columns<M>) -> SQLPredicate) -> SQLPredicate {
    isFound && condition(columns)
  }

  /// Returns an expression over the columns of the joined table. It is NULL if the join found no
  /// row.
  ///
  /// ```swift
  /// let scores = Query { (author: Columns<Author>, post: OptionalColumns<Post>) in
  ///   From(author)
  ///   LeftJoin(post, on: post.$authorID == author.$id)
  ///   Select(author.$name, post.map { $0.$views * 10 })               // (String, Int?)
  /// }
  /// // SELECT "Author"."name", CASE WHEN "Post"."id" IS NOT NULL THEN "Post"."views" * ? END …
  /// ```
  public func map<Value: ColumnValue>(
    _ transform: (Columns<M>) -> SQLExpression<Value>
  ) -> SQLExpression<Value?> {
    Case(when: isFound, then: transform(columns)).orNull
  }

  /// Returns an optional expression over the columns of the joined table. It works like `map`, but
  /// the expression may itself be NULL. The result is also NULL if the join found no row.
  ///
  /// SQL: `CASE WHEN "Post"."id" IS NOT NULL THEN a END`
  public func flatMap<Value: ColumnValue>(
    _ transform: (Columns<M>) -> SQLExpression<Value?>
  ) -> SQLExpression<Value?> {
    Case(when: isFound, then: transform(columns)).orNull.flattened()
  }

  /// The condition that the join found a row of the table. It holds if at least one of the model's
  /// `presentColumns` is not NULL.
  var isFound: SQLPredicate {
    do {
      let present = try M.layout.presentColumns.map { index in
        let id = ColumnID(table: columns.table, index: UInt16(truncatingIfNeeded: index))
        return PredicateNode.isNotNull(.column(id))
      }
      return SQLPredicate(.any(present))
    } catch {
      return SQLPredicate(.invalid(QueryError(String(describing: error))))
    }
  }
}
