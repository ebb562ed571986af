import SQLCore

extension SQLExpression {
  /// Returns the expression that `transform` makes from the value; NULL if the value is NULL. Use
  /// `map` to pass an optional expression to a function whose parameter is an expression that is
  /// never NULL.
  ///
  /// ```swift
  /// let magnitude = SQLFunction<Int, Int>("abs")
  /// Post.select { $0.$rating.map { magnitude($0) } }
  /// // SELECT CASE WHEN "rating" IS NOT NULL THEN "abs"("rating") END FROM "Post"
  /// ```
  public func map<Wrapped: ColumnValue, Result: ColumnValue>(
    _ transform: (SQLExpression<Wrapped>) -> SQLExpression<Result>
  ) -> SQLExpression<Result?> where Value == Wrapped? {
    let result = transform(SQLExpression<Wrapped>(node, form: form))
    return Case(when: SQLPredicate(.isNotNull(node)), then: result).orNull
  }

  /// Returns the optional expression that `transform` makes from the value; NULL if the value is
  /// NULL.
  ///
  /// SQL: `CASE WHEN a IS NOT NULL THEN b END`
  public func flatMap<Wrapped: ColumnValue, Result: ColumnValue>(
    _ transform: (SQLExpression<Wrapped>) -> SQLExpression<Result?>
  ) -> SQLExpression<Result?> where Value == Wrapped? {
    let result = transform(SQLExpression<Wrapped>(node, form: form))
    return Case(when: SQLPredicate(.isNotNull(node)), then: result).orNull.flattened()
  }

  /// Returns the expression with one level of optional instead of two, because SQL has only one
  /// NULL.
  func flattened<Wrapped: ColumnValue>() -> SQLExpression<Wrapped?> where Value == Wrapped?? {
    SQLExpression<Wrapped?>(node, form: form)
  }
}
