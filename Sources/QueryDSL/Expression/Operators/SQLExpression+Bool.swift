import SQLCore

// A column of Bool is a value and not a condition. If a block of conditions also accepted columns
// of Bool, the compiler would need seconds to diagnose a mistake in the block. The properties below
// turn such a column into a condition.

extension SQLExpression where Value == Bool {
  /// Tests whether the value is true. SQL: `a = 1`
  ///
  /// ```swift
  /// Task.where { $0.$isDone.isTrue && $0.$priority > 3 }
  /// // … WHERE "isDone" = 1 AND "priority" > ?
  /// ```
  public var isTrue: SQLPredicate { self == true }

  /// Tests whether the value is false. SQL: `a = 0`
  public var isFalse: SQLPredicate { self == false }
}

extension SQLExpression where Value == Bool? {
  /// Tests whether the value is true. If it is NULL, the result is false. SQL: `a IS 1`
  public var isTrue: SQLPredicate { self == true }

  /// Tests whether the value is false. If it is NULL, the result is false. SQL: `a IS 0`
  public var isFalse: SQLPredicate { self == false }
}
