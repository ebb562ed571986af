import SQLCore

// The methods below are SQL's own `=` and `<>`, whose result is NULL if either operand is NULL.
// WHERE leaves out a row for which the condition is NULL. It also leaves out this row if the
// condition is negated, because the negation is NULL, too. The operators `==` and `!=` follow
// another rule for optionals: nil equals nil, as in Swift.
//
// `equals` and `notEquals` are methods and not operators, so that they do not make other predicates
// slower to compile.
//
// Expressions that are stored in different forms throw `QueryError` when the query is rendered.

extension SQLExpression {
  /// Tests whether both expressions are equal; NULL if either is NULL. SQL: `a = b`
  ///
  /// ```swift
  /// Join(other, on: post.$parentID.equals(other.$parentID))   // no pairs without a parent
  /// // … JOIN "Post" AS "Post_2" ON "Post"."parentID" = "Post_2"."parentID"
  /// ```
  /// SQLite can use an index on either column.
  public func equals(_ other: SQLExpression) -> SQLPredicate { compare(.equal, other) }

  /// Tests whether a value and an optional are equal; NULL if the optional is NULL. SQL: `a = b`
  ///
  /// ```swift
  /// Join(comment, on: post.$id.equals(comment.$postID))       // a key and a foreign key
  /// ```
  public func equals(_ other: SQLExpression<Value?>) -> SQLPredicate {
    optional.compare(.equal, other)
  }

  /// Tests whether an optional and a value are equal; NULL if the optional is NULL. SQL: `a = b`
  ///
  /// ```swift
  /// LeftJoin(author, on: post.$authorID.equals(author.$id))   // author: OptionalColumns<Author>
  /// ```
  public func equals<Wrapped: ColumnValue>(
    _ other: SQLExpression<Wrapped>
  ) -> SQLPredicate where Value == Wrapped? {
    compare(.equal, other.optional)
  }

  /// Tests whether the expression equals a value; NULL if either is NULL. SQL: `a = ?`
  public func equals(_ value: Value) -> SQLPredicate { compare(.equal, value) }

  /// Tests whether the expressions differ; NULL if either is NULL. SQL: `a <> b`
  public func notEquals(_ other: SQLExpression) -> SQLPredicate { compare(.notEqual, other) }

  /// Tests whether a value and an optional differ; NULL if the optional is NULL. SQL: `a <> b`
  public func notEquals(_ other: SQLExpression<Value?>) -> SQLPredicate {
    optional.compare(.notEqual, other)
  }

  /// Tests whether an optional and a value differ; NULL if the optional is NULL. SQL: `a <> b`
  public func notEquals<Wrapped: ColumnValue>(
    _ other: SQLExpression<Wrapped>
  ) -> SQLPredicate where Value == Wrapped? {
    compare(.notEqual, other.optional)
  }

  /// Tests whether the expression differs from a value; NULL if either is NULL. SQL: `a <> ?`
  ///
  /// ```swift
  /// Track.where { $0.$genre.notEquals("rock") }               // leaves out tracks without a genre
  /// // … WHERE "genre" <> ?
  /// ```
  public func notEquals(_ value: Value) -> SQLPredicate { compare(.notEqual, value) }
}
