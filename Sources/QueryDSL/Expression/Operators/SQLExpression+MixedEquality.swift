import SQLCore

// `==` and `!=` between an optional and an expression that is not optional, such as a foreign key
// and the referenced key. They mean the same as in Swift, so they become `IS` and `IS NOT`, which
// use an index.
//
// The solver opens a tenth more scopes for a chain of right comparisons with these overloads, and
// less than a twentieth more for a wrong one.

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
