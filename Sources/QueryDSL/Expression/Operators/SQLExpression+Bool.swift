import SQLCore

// A column of Bools is a value and not a condition: the compiler would need seconds to diagnose a
// mistake in a block that accepts both. These properties make a condition of it.

extension SQLExpression where Value == Bool {
  /// Tests for true. SQL: `a = 1`
  ///
  /// ```swift
  /// Task.where { $0.$isDone.isTrue && $0.$priority > 3 }
  /// // … WHERE "isDone" = 1 AND "priority" > ?
  /// ```
  public var isTrue: SQLPredicate { self == true }

  /// Tests for false. SQL: `a = 0`
  public var isFalse: SQLPredicate { self == false }
}

extension SQLExpression where Value == Bool? {
  /// Tests for true; does not hold for NULL. SQL: `a IS 1`
  public var isTrue: SQLPredicate { self == true }

  /// Tests for false; does not hold for NULL. SQL: `a IS 0`
  public var isFalse: SQLPredicate { self == false }
}
