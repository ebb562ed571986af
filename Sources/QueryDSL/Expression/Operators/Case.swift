import SQLCore

/// A CASE expression whose branches have conditions. Its value is the result of the first branch
/// whose condition holds.
///
/// ```swift
/// Case(when: $0.$views > 1_000, then: "hot").when($0.$views > 10, then: "warm").else("cold")
/// // CASE WHEN "views" > ? THEN ? WHEN "views" > ? THEN ? ELSE ? END
/// ```
///
/// `else` completes the expression. `orNull` completes it without an ELSE, so the expression is
/// NULL if no condition holds. Results that are stored in different forms, such as a date as text
/// and a date as a number, throw `QueryError` when the query is rendered. A result that is a Swift
/// value takes the form of the other results. If all results are Swift values, they take the form
/// of the column that the whole expression is compared with, assigned to or combined with.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#the_case_expression>
public struct Case<Value: ColumnValue>: Sendable {
  private let base: ExpressionNode?
  private var conditions: [CaseNode.Condition]
  private var results: [SQLExpression<Value>]

  /// Starts the expression with a branch whose result is a value. SQL: `CASE WHEN a THEN ?`
  public init(when condition: SQLPredicate, then value: Value) {
    self.init(when: condition, then: SQLExpression(value))
  }

  /// Starts the expression with a branch whose result is an expression. SQL: `CASE WHEN a THEN b`
  public init(when condition: SQLPredicate, then result: SQLExpression<Value>) {
    self.init(nil, .predicate(condition.node), result)
  }

  init(
    _ base: ExpressionNode?, _ condition: CaseNode.Condition, _ result: SQLExpression<Value>
  ) {
    self.base = base
    conditions = [condition]
    results = [result]
  }

  /// Adds a branch whose result is a value. SQL: `WHEN a THEN ?`
  public func when(_ condition: SQLPredicate, then value: Value) -> Case {
    when(condition, then: SQLExpression(value))
  }

  /// Adds a branch whose result is an expression. SQL: `WHEN a THEN b`
  public func when(_ condition: SQLPredicate, then result: SQLExpression<Value>) -> Case {
    adding(.predicate(condition.node), result)
  }

  func adding(_ condition: CaseNode.Condition, _ result: SQLExpression<Value>) -> Case {
    var longer = self
    longer.conditions.append(condition)
    longer.results.append(result)
    return longer
  }

  /// Completes the expression. If no condition holds, the expression has this value.
  /// SQL: `ELSE ? END`
  public func `else`(_ value: Value) -> SQLExpression<Value> { self.else(SQLExpression(value)) }

  /// Completes the expression. If no condition holds, the expression has this result.
  /// SQL: `ELSE a END`
  public func `else`(_ result: SQLExpression<Value>) -> SQLExpression<Value> {
    finished(results + [result])
  }

  /// The completed expression, which is NULL if no condition holds. SQL: `END`
  public var orNull: SQLExpression<Value?> { finished(results) }

  private func finished<Result: ColumnValue>(
    _ results: [SQLExpression<Value>]
  ) -> SQLExpression<Result> {
    let (base, conditions) = (base, conditions)
    return SQLExpression.combined(results) { results, form in
      let branches = zip(conditions, results).map { (condition: $0, result: $1) }
      let otherwise = results.count > conditions.count ? results.last : nil
      return CaseNode(base: base, branches: branches, otherwise: otherwise)
        .expression(of: Value.self, form)
    }
  }
}
