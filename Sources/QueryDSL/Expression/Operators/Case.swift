import SQLCore

/// A CASE expression whose branches have conditions: its value is that of the first branch that
/// holds.
///
/// ```swift
/// Case(when: $0.$views > 1_000, then: "hot").when($0.$views > 10, then: "warm").else("cold")
/// // CASE WHEN "views" > ? THEN ? WHEN "views" > ? THEN ? ELSE ? END
/// ```
///
/// `else` completes the expression. `orNull` completes it without an ELSE: it is NULL if no branch
/// holds.
/// Results that are stored in different forms throw `QueryError` when the query is rendered.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#the_case_expression>
public struct Case<Value: ColumnValue>: Sendable {
  private var node: CaseNode
  private let form: StoredForm
  private var problem: QueryError?

  /// Starts the expression with a branch whose result is a value. SQL: `CASE WHEN a THEN ?`
  public init(when condition: SQLPredicate, then value: Value) {
    self.init(when: condition, then: SQLExpression(value))
  }

  /// Starts the expression with a branch whose result is an expression. SQL: `CASE WHEN a THEN b`
  public init(when condition: SQLPredicate, then result: SQLExpression<Value>) {
    node = CaseNode(base: nil, branches: [(.predicate(condition.node), result.node)])
    form = result.form
  }

  /// Adds a branch whose result is a value. SQL: `WHEN a THEN ?`
  public func when(_ condition: SQLPredicate, then value: Value) -> Case {
    adding(.predicate(condition.node), .value(BoundValue(value, as: form)), form)
  }

  /// Adds a branch whose result is an expression. SQL: `WHEN a THEN b`
  public func when(_ condition: SQLPredicate, then result: SQLExpression<Value>) -> Case {
    adding(.predicate(condition.node), result.node, result.form)
  }

  /// Completes the expression with the value that it has if no branch holds. SQL: `ELSE ? END`
  public func `else`(_ value: Value) -> SQLExpression<Value> {
    finished(.value(BoundValue(value, as: form)), form)
  }

  /// Completes the expression with the one that is used if no branch holds. SQL: `ELSE a END`
  public func `else`(_ result: SQLExpression<Value>) -> SQLExpression<Value> {
    finished(result.node, result.form)
  }

  /// The completed expression, which is NULL if no branch holds. SQL: `END`
  public var orNull: SQLExpression<Value?> {
    SQLExpression<Value?>(
      problem.map { .invalid($0) } ?? node.expression(of: Value.self, form), form: form)
  }

  init(base: ExpressionNode, equals: ExpressionNode, then result: SQLExpression<Value>) {
    node = CaseNode(base: base, branches: [(.value(equals), result.node)])
    form = result.form
  }

  func adding(
    _ condition: CaseNode.Condition, _ result: ExpressionNode, _ resultForm: StoredForm
  ) -> Case {
    var longer = self
    longer.node.branches.append((condition, result))
    longer.note(resultForm)
    return longer
  }

  private func finished(
    _ otherwise: ExpressionNode, _ resultForm: StoredForm
  ) -> SQLExpression<Value> {
    var whole = self
    whole.node.otherwise = otherwise
    whole.note(resultForm)
    return SQLExpression(
      whole.problem.map { .invalid($0) } ?? whole.node.expression(of: Value.self, form), form: form)
  }

  private mutating func note(_ other: StoredForm) {
    guard other != form else { return }
    problem = problem ?? SQLExpression<Value>(.countOfRows, form: form).mixing(other)
  }
}
