import SQLCore

// Two overloads an operator, one with a value and one with an expression, and no more: their number
// decides how long the compiler takes over a mistake.
//
// On optional columns `==` and `!=` are those of Swift: nil equals nil, and differs from each
// value. SQL: `IS` and `IS NOT`, with NULL bound, so that the text does not depend on the value.
//
// A type whose values have another order than what is stored of them names a collation, which stands
// at the left side: `"price" COLLATE "decimal" < ?`.

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

  /// Within a closed range; unknown where it is NULL. SQL: `a BETWEEN ? AND ?`
  public func between(_ lower: Value, and upper: Value) -> SQLPredicate {
    SQLPredicate(
      .between(
        collatedNode, .value(BoundValue(lower, as: form)), .value(BoundValue(upper, as: form))))
  }

  /// Within a closed range; unknown where one is NULL. SQL: `a BETWEEN b AND c`
  public func between(_ lower: SQLExpression, and upper: SQLExpression) -> SQLPredicate {
    guard let lowerNode = lower.node(as: form) else {
      return SQLPredicate(.invalid(mixing(lower.form)))
    }
    guard let upperNode = upper.node(as: form) else {
      return SQLPredicate(.invalid(mixing(upper.form)))
    }
    return SQLPredicate(.between(collatedNode, lowerNode, upperNode))
  }
}

extension SQLExpression {
  @inlinable
  func compare(_ sign: SQLToken, _ value: Value) -> SQLPredicate {
    let bound = BoundValue(value, as: form)
    if Value.collationName == nil, case .column(let column) = node {
      return SQLPredicate(.compareColumn(sign, column, bound))
    }
    return SQLPredicate(.compare(sign, collatedNode, .value(bound)))
  }

  private func compare(_ sign: SQLToken, _ other: SQLExpression) -> SQLPredicate {
    if Value.collationName == nil, case .parameter(let parameter) = other.node,
      case .column(let column) = node
    {
      return SQLPredicate(.compareColumn(sign, column, parameter.bound(as: form)))
    }
    guard let right = other.node(as: form) else {
      guard let left = node(as: other.form) else {
        return SQLPredicate(.invalid(mixing(other.form)))
      }
      return SQLPredicate(.compare(sign, left.collated(as: Value.self), other.node))
    }
    return SQLPredicate(.compare(sign, collatedNode, right))
  }
}
