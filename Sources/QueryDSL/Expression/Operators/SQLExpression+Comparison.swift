import SQLCore

// Each operator has two overloads, one for a value and one for an expression. `==` and `!=` have
// two more, in `SQLExpression+MixedEquality.swift`. The number of overloads decides how long the
// compiler takes to diagnose a mistake.
//
// For optional columns, `==` and `!=` follow Swift: nil equals nil, and differs from every value.
// The operators become `IS` and `IS NOT`. The values nil, true and false are written into the SQL,
// as in `IS NULL` and `= 1`. `SQLToken+Literal.swift` says why. Every other value is bound.
//
// Some types, such as Decimal, order their values differently from SQLite's order of the stored
// values. Such a type has a collation, which is written after the left operand of a comparison:
// `"price" COLLATE "decimal" < ?`.

extension SQLExpression {
  /// Tests whether both operands are equal. SQL: `a = ?`, or `a IS ?` for an optional
  ///
  /// A Bool is written as `a = 1` or `a = 0`, and nil as `a IS NULL`.
  @inlinable
  public static func == (left: SQLExpression, right: Value) -> SQLPredicate {
    left.equate(Value.isOptional ? .isSame : .equal, right)
  }

  /// Tests whether both operands are equal. SQL: `a = b`, or `a IS b` for an optional
  public static func == (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(Value.isOptional ? .isSame : .equal, right)
  }

  /// Tests whether the operands differ. SQL: `a <> ?`, or `a IS NOT ?` for an optional
  ///
  /// A Bool is written as `a <> 1` or `a <> 0`, and nil as `a IS NOT NULL`.
  @inlinable
  public static func != (left: SQLExpression, right: Value) -> SQLPredicate {
    left.equate(Value.isOptional ? .isNotSame : .notEqual, right)
  }

  /// Tests whether the operands differ. SQL: `a <> b`, or `a IS NOT b` for an optional
  public static func != (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(Value.isOptional ? .isNotSame : .notEqual, right)
  }
}

extension SQLExpression where Value: OrderedColumnValue {
  /// Tests whether the left operand is less than the right one; NULL if either is NULL.
  /// SQL: `a < ?`
  @inlinable
  public static func < (left: SQLExpression, right: Value) -> SQLPredicate {
    left.compare(.less, right)
  }

  /// Tests whether the left operand is less than the right one; NULL if either is NULL.
  /// SQL: `a < b`
  public static func < (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(.less, right)
  }

  /// Tests whether the left operand is greater than the right one; NULL if either is NULL.
  /// SQL: `a > ?`
  @inlinable
  public static func > (left: SQLExpression, right: Value) -> SQLPredicate {
    left.compare(.greater, right)
  }

  /// Tests whether the left operand is greater than the right one; NULL if either is NULL.
  /// SQL: `a > b`
  public static func > (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(.greater, right)
  }

  /// Tests whether the left operand is less than or equal to the right one; NULL if either is NULL.
  /// SQL: `a <= ?`
  @inlinable
  public static func <= (left: SQLExpression, right: Value) -> SQLPredicate {
    left.compare(.lessOrEqual, right)
  }

  /// Tests whether the left operand is less than or equal to the right one; NULL if either is NULL.
  /// SQL: `a <= b`
  public static func <= (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(.lessOrEqual, right)
  }

  /// Tests whether the left operand is greater than or equal to the right one; NULL if either is
  /// NULL.
  /// SQL: `a >= ?`
  @inlinable
  public static func >= (left: SQLExpression, right: Value) -> SQLPredicate {
    left.compare(.greaterOrEqual, right)
  }

  /// Tests whether the left operand is greater than or equal to the right one; NULL if either is
  /// NULL.
  /// SQL: `a >= b`
  public static func >= (left: SQLExpression, right: SQLExpression) -> SQLPredicate {
    left.compare(.greaterOrEqual, right)
  }

  /// Tests whether the expression is in a closed range; NULL if the expression is NULL.
  /// SQL: `a BETWEEN ? AND ?`
  public func between(_ lower: Value, and upper: Value) -> SQLPredicate {
    SQLPredicate(
      .between(
        collatedNode, .value(BoundValue(lower, as: form)), .value(BoundValue(upper, as: form))))
  }

  /// Tests whether the expression is in a closed range; NULL if the expression is NULL.
  /// SQL: `a BETWEEN b AND c`
  ///
  /// Expressions that are stored in different forms throw `QueryError` when the query is rendered.
  public func between(_ lower: SQLExpression, and upper: SQLExpression) -> SQLPredicate {
    do {
      let nodes = try Self.inOneForm([self, lower, upper]).nodes
      return SQLPredicate(.between(nodes[0].collated(as: Value.self), nodes[1], nodes[2]))
    } catch {
      return SQLPredicate(.invalid(error))
    }
  }
}

extension SQLExpression {
  /// Compares the expression with a value. The values nil, true and false are written into the SQL,
  /// and all other values are bound.
  @inlinable
  func equate(_ sign: SQLToken, _ value: Value) -> SQLPredicate {
    let bound = BoundValue(value, as: form)
    let isBool = Value.self == Bool.self || Value.self == Bool?.self
    guard isBool || Value.isOptional, let test = sign.literal(of: bound, isBool: isBool) else {
      return compare(sign, bound: bound)
    }
    if case .column(let column) = node {
      return SQLPredicate(.compareColumn(test, column, bound))
    }
    return SQLPredicate(.test(test, node))
  }

  @inlinable
  func compare(_ sign: SQLToken, _ value: Value) -> SQLPredicate {
    compare(sign, bound: BoundValue(value, as: form))
  }

  @inlinable
  func compare(_ sign: SQLToken, bound: BoundValue) -> SQLPredicate {
    if Value.collationName == nil, case .column(let column) = node {
      return SQLPredicate(.compareColumn(sign, column, bound))
    }
    return SQLPredicate(.compare(sign, collatedNode, .value(bound)))
  }

  func compare(_ sign: SQLToken, _ other: SQLExpression) -> SQLPredicate {
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
