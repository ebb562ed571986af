import SQLCore

// SQL's own `=` and `<>`, which are unknown if either side is NULL. An unknown condition leaves the
// row out, and so does its negation. `==` and `!=` differ on optionals: for them nil equals nil, as
// in Swift.
//
// They are methods, and not operators, so that they cost other predicates nothing to compile.
//
// Expressions that are stored in different forms throw `QueryError` when the query is rendered.

extension SQLExpression {
  /// Tests whether both are equal; unknown if either is NULL. SQL: `a = b`
  ///
  /// ```swift
  /// Join(other, on: post.$parentID.equals(other.$parentID))   // no pairs without a parent
  /// // … JOIN "Post" AS "Post_2" ON "Post"."parentID" = "Post_2"."parentID"
  /// ```
  /// An index on either column is used.
  public func equals(_ other: SQLExpression) -> SQLPredicate { compare(.equal, other) }

  /// Tests whether a value and an optional are equal; unknown if it is NULL. SQL: `a = b`
  ///
  /// ```swift
  /// Join(comment, on: post.$id.equals(comment.$postID))       // a key and a foreign key
  /// ```
  public func equals(_ other: SQLExpression<Value?>) -> SQLPredicate {
    optional.compare(.equal, other)
  }

  /// Tests whether an optional and a value are equal; unknown if it is NULL. SQL: `a = b`
  ///
  /// ```swift
  /// LeftJoin(author, on: post.$authorID.equals(author.$id))   // author: OptionalColumns<Author>
  /// ```
  public func equals<Wrapped: ColumnValue>(
    _ other: SQLExpression<Wrapped>
  ) -> SQLPredicate where Value == Wrapped? {
    compare(.equal, other.optional)
  }

  /// Tests whether the expression equals a value; unknown if either is NULL. SQL: `a = ?`
  public func equals(_ value: Value) -> SQLPredicate { compare(.equal, value) }

  /// Tests whether they differ; unknown if either is NULL. SQL: `a <> b`
  public func notEquals(_ other: SQLExpression) -> SQLPredicate { compare(.notEqual, other) }

  /// Tests whether a value and an optional differ; unknown if it is NULL. SQL: `a <> b`
  public func notEquals(_ other: SQLExpression<Value?>) -> SQLPredicate {
    optional.compare(.notEqual, other)
  }

  /// Tests whether an optional and a value differ; unknown if it is NULL. SQL: `a <> b`
  public func notEquals<Wrapped: ColumnValue>(
    _ other: SQLExpression<Wrapped>
  ) -> SQLPredicate where Value == Wrapped? {
    compare(.notEqual, other.optional)
  }

  /// Tests whether the expression differs from a value; unknown if either is NULL. SQL: `a <> ?`
  ///
  /// ```swift
  /// Track.where { $0.$genre.notEquals("rock") }               // leaves out tracks without a genre
  /// // … WHERE "genre" <> ?
  /// ```
  public func notEquals(_ value: Value) -> SQLPredicate { compare(.notEqual, value) }
}
