import SQLCore

// Two overloads an operator, one with a value and one with an expression, and no more: their number
// decides how long the compiler takes over a mistake.
//
// On optional columns `==` and `!=` are those of Swift: nil equals nil, and differs from each
// value. SQL: `IS` and `IS NOT`, with NULL bound, so that the text does not depend on the value.

extension SQLExpression {
  /// Equal. SQL: `a = ?`, on an optional `a IS ?`
  @inlinable
  public static func == (left: SQLExpression, right: Value) -> SQLPredicate {
    left.compare(Value.isOptional ? .isSame : .equal, right)
  }

  /// Equal. SQL: `a = b`, on an optional `a IS b`
  public static func == (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(Value.isOptional ? .isSame : .equal, right)
  }

  /// Not equal. SQL: `a <> ?`, on an optional `a IS NOT ?`
  @inlinable
  public static func != (left: SQLExpression, right: Value) -> SQLPredicate {
    left.compare(Value.isOptional ? .isNotSame : .notEqual, right)
  }

  /// Not equal. SQL: `a <> b`, on an optional `a IS NOT b`
  public static func != (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(Value.isOptional ? .isNotSame : .notEqual, right)
  }
}

extension SQLExpression where Value: OrderedColumnValue {
  /// Less; unknown where one is NULL. SQL: `a < ?`
  @inlinable
  public static func < (left: SQLExpression, right: Value) -> SQLPredicate {
    left.compare(.less, right)
  }

  /// Less; unknown where one is NULL. SQL: `a < b`
  public static func < (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(.less, right)
  }

  /// Greater; unknown where one is NULL. SQL: `a > ?`
  @inlinable
  public static func > (left: SQLExpression, right: Value) -> SQLPredicate {
    left.compare(.greater, right)
  }

  /// Greater; unknown where one is NULL. SQL: `a > b`
  public static func > (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(.greater, right)
  }

  /// Less or equal; unknown where one is NULL. SQL: `a <= ?`
  @inlinable
  public static func <= (left: SQLExpression, right: Value) -> SQLPredicate {
    left.compare(.lessOrEqual, right)
  }

  /// Less or equal; unknown where one is NULL. SQL: `a <= b`
  public static func <= (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(.lessOrEqual, right)
  }

  /// Greater or equal; unknown where one is NULL. SQL: `a >= ?`
  @inlinable
  public static func >= (left: SQLExpression, right: Value) -> SQLPredicate {
    left.compare(.greaterOrEqual, right)
  }

  /// Greater or equal; unknown where one is NULL. SQL: `a >= b`
  public static func >= (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(.greaterOrEqual, right)
  }

  /// Within a closed range. SQL: `a BETWEEN ? AND ?`
  public func between(_ lower: Value, and upper: Value) -> SQLPredicate {
    SQLPredicate(
      .between(
        node, .value(BoundValue(lower, as: form)), .value(BoundValue(upper, as: form))))
  }
}

extension SQLExpression {
  @inlinable
  func compare(_ sign: SQLToken, _ value: Value) -> SQLPredicate {
    let bound = BoundValue(value, as: form)
    if case .column(let column) = node {
      return SQLPredicate(.compareColumn(sign, column, bound))
    }
    return SQLPredicate(.compare(sign, node, .value(bound)))
  }

  private func compare(_ sign: SQLToken, _ other: SQLExpression) -> SQLPredicate {
    guard form == other.form else { return SQLPredicate(.invalid(mixing(other.form))) }
    return SQLPredicate(.compare(sign, node, other.node))
  }
}

extension SQLExpression {
  /// One of the values; none of them where there is none. nil in the list matches NULL.
  ///
  /// The values travel as one bound array, so that the statement is the same for one value and for
  /// 100,000.
  /// ```swift
  /// Post.where { $0.$status.isIn([.draft, .published]) }
  /// // … WHERE "status" IN (SELECT value FROM apus_array(?))
  /// ```
  public func isIn(_ values: some Sequence<Value>) -> SQLPredicate {
    var stored: [DatabaseValue] = []
    var containsNull = false
    for value in values {
      switch BoundValue(value, as: form) {
      case .value(.null): containsNull = true
      case .value(let value): stored.append(value)
      case .unstorable(let error):
        return SQLPredicate(.isIn(node, .unstorable(error), containsNull: nil))
      case .array, .zeroBlob: break
      }
    }
    return SQLPredicate(
      .isIn(
        node, .array(BoundArray(stored)),
        containsNull: Value.isOptional ? .value(containsNull ? 1 : 0) : nil))
  }
}

extension SQLExpression where Value == String {
  /// Matches a pattern: `%` stands for any text, `_` for one character; ASCII without case.
  ///
  /// SQL: `a LIKE ?`, with `ESCAPE ?` where a sign is given that makes the next one literal.
  /// - SeeAlso: <https://www.sqlite.org/lang_expr.html#like>
  public func like(_ pattern: String, escape: Character? = nil) -> SQLPredicate {
    optional.like(pattern, escape: escape)
  }
}

extension SQLExpression where Value == String? {
  /// Matches a pattern; unknown where the text is NULL. SQL: `a LIKE ?`
  public func like(_ pattern: String, escape: Character? = nil) -> SQLPredicate {
    SQLPredicate(
      .like(
        node, pattern: BoundValue(pattern), escape: escape.map { BoundValue(String($0)) }))
  }
}
