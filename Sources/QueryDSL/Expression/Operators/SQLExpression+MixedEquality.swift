import SQLCore

// `==` and `!=` between an optional and an expression that is not optional, such as a foreign key
// and the referenced key. The operators mean the same as in Swift, so they become `IS` and
// `IS NOT`. SQLite can use an index for `IS`.
//
// These overloads make the compiler slower. For a chain of correct comparisons, its solver opens 10
// percent more scopes, which are the steps of its search. For a chain with a mistake, it opens less
// than 5 percent more.

extension SQLExpression {
  /// Tests whether an optional and a value are equal. SQL: `a IS b`
  ///
  /// ```swift
  /// Join(author, on: post.$editorID == author.$id)       // "Post"."editorID" IS "Author"."id"
  /// ```
  public static func == <Wrapped: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Wrapped>
  ) -> SQLPredicate where Value == Wrapped? {
    left == right.optional
  }

  /// Tests whether a value and an optional are equal. SQL: `a IS b`
  public static func == (left: SQLExpression, right: SQLExpression<Value?>) -> SQLPredicate {
    left.optional == right
  }

  /// Tests whether an optional and a value differ. SQL: `a IS NOT b`
  public static func != <Wrapped: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Wrapped>
  ) -> SQLPredicate where Value == Wrapped? {
    left != right.optional
  }

  /// Tests whether a value and an optional differ. SQL: `a IS NOT b`
  public static func != (left: SQLExpression, right: SQLExpression<Value?>) -> SQLPredicate {
    left.optional != right
  }
}
