import SQLCore

// `==` and `!=` between an optional and an expression that is not optional, such as a foreign key
// and the referenced key. The operators mean the same as in Swift, so they become `IS` and
// `IS NOT`. SQLite can use an index for `IS`.
//
// With these overloads, the compiler's solver opens a tenth more scopes (steps of its search) for a
// chain of correct comparisons, and less than a twentieth more for an incorrect chain.

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
