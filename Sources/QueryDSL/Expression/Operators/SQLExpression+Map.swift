import SQLCore

extension SQLExpression {
  /// Returns an expression of the value; NULL if the value is NULL. Use it for functions and
  /// helpers that are declared for values that are never NULL.
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

  /// Returns an expression of the value that may itself be NULL; NULL if the value is NULL.
  ///
  /// SQL: `CASE WHEN a IS NOT NULL THEN b END`
  public func flatMap<Wrapped: ColumnValue, Result: ColumnValue>(
    _ transform: (SQLExpression<Wrapped>) -> SQLExpression<Result?>
  ) -> SQLExpression<Result?> where Value == Wrapped? {
    let result = transform(SQLExpression<Wrapped>(node, form: form))
    return Case(when: SQLPredicate(.isNotNull(node)), then: result).orNull.flattened()
  }

  /// The same expression of one optional instead of two: SQL has only one NULL.
  func flattened<Wrapped: ColumnValue>() -> SQLExpression<Wrapped?> where Value == Wrapped?? {
    SQLExpression<Wrapped?>(node, form: form)
  }
}
