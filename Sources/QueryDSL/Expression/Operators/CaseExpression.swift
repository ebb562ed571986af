import SQLCore

/// A CASE expression in a tree of expressions. `base` is the expression between CASE and the first
/// WHEN, and `otherwise` is the result after ELSE.
@usableFromInline
package struct CaseNode: Sendable {
  enum Condition: Sendable {
    case predicate(PredicateNode)
    case value(ExpressionNode)
  }

  let base: ExpressionNode?
  var branches: [(condition: Condition, result: ExpressionNode)]
  var otherwise: ExpressionNode?

  func write(to writer: inout ShapeWriter) {
    writer.token(.case)
    if let base {
      writer.token(.space)
      base.writeOperand(to: &writer)
    }
    for branch in branches {
      writer.token(.when)
      switch branch.condition {
      case .predicate(let predicate): predicate.write(to: &writer)
      case .value(let value): value.write(to: &writer)
      }
      writer.token(.then)
      branch.result.write(to: &writer)
    }
    if let otherwise {
      writer.token(.else)
      otherwise.write(to: &writer)
    }
    writer.token(.end)
  }
}

extension SQLExpression {
  /// Starts a CASE expression that compares this expression with one value after another. The first
  /// branch compares it with `value`, and has the result `result`.
  /// SQL: `CASE a WHEN ? THEN ? …`
  public func `case`<Result: ColumnValue>(
    _ value: Value, then result: Result
  ) -> CaseOf<Value, Result> {
    self.case(value, then: SQLExpression<Result>(result))
  }

  /// Starts a CASE expression that compares this expression with one value after another. The first
  /// branch compares it with `value`, and has the result `result`.
  /// SQL: `CASE a WHEN ? THEN b …`
  public func `case`<Result: ColumnValue>(
    _ value: Value, then result: SQLExpression<Result>
  ) -> CaseOf<Value, Result> {
    CaseOf(
      Case(collatedNode, .value(.value(BoundValue(value, as: form))), result), baseForm: form)
  }
}

/// Returns the first value if a condition holds, else the second. SQL: `iif(a, ?, ?)`
///
/// The second value is also the result if the condition is NULL.
public func iif<Value: ColumnValue>(
  _ condition: SQLPredicate, _ value: Value, _ otherwise: Value
) -> SQLExpression<Value> {
  iif(condition, SQLExpression(value), SQLExpression(otherwise))
}

/// Returns the first expression if a condition holds, else the second. SQL: `iif(a, b, c)`
///
/// The second expression is also the result if the condition is NULL. Expressions that are stored
/// in different forms throw `QueryError` when the query is rendered.
public func iif<Value: ColumnValue>(
  _ condition: SQLPredicate, _ result: SQLExpression<Value>, _ otherwise: SQLExpression<Value>
) -> SQLExpression<Value> {
  let condition = condition.node
  return SQLExpression.combined([result, otherwise]) { results, form in
    .function("iif", [.predicate(condition)] + results)
      .compared(
        as: Value.self, form, like: results,
        despite: condition.first(ExpressionNode.collation) != nil)
  }
}

/// Returns the expression if a condition holds, else the value. SQL: `iif(a, b, ?)`
public func iif<Value: ColumnValue>(
  _ condition: SQLPredicate, _ result: SQLExpression<Value>, _ otherwise: Value
) -> SQLExpression<Value> {
  iif(condition, result, SQLExpression(otherwise))
}

/// Returns the value if a condition holds, else the expression. SQL: `iif(a, ?, b)`
public func iif<Value: ColumnValue>(
  _ condition: SQLPredicate, _ value: Value, _ otherwise: SQLExpression<Value>
) -> SQLExpression<Value> {
  iif(condition, SQLExpression(value), otherwise)
}

/// Returns an expression if a condition holds, else NULL. Use this function for an expression that
/// is never NULL.
/// SQL: `CASE WHEN a THEN b END`
@_disfavoredOverload
public func iif<Value: ColumnValue>(
  _ condition: SQLPredicate, _ result: SQLExpression<Value>, _ null: _NilOfColumn<Value>
) -> SQLExpression<Value?> where Value._Nullability == _NeverNull {
  Case(when: condition, then: result).orNull
}
