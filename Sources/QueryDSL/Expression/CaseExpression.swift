import SQLCore

/// A CASE expression as a tree.
@usableFromInline
package struct CaseNode: Sendable {
  enum Condition: Sendable {
    case predicate(PredicateNode)
    case value(ExpressionNode)
  }

  let base: ExpressionNode?
  var branches: [(condition: Condition, result: ExpressionNode)]
  var otherwise: ExpressionNode?

  func write<Sink: QuerySink>(to sink: inout Sink) throws {
    try sink.token(.case)
    if let base {
      try sink.token(.space)
      try base.writeOperand(to: &sink)
    }
    for branch in branches {
      try sink.token(.when)
      switch branch.condition {
      case .predicate(let predicate): try predicate.write(to: &sink)
      case .value(let value): try value.write(to: &sink)
      }
      try sink.token(.then)
      try branch.result.write(to: &sink)
    }
    if let otherwise {
      try sink.token(.else)
      try otherwise.write(to: &sink)
    }
    try sink.token(.end)
  }
}

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
    SQLExpression<Value?>(problem.map { .invalid($0) } ?? .cases(node), form: form)
  }

  fileprivate init(base: ExpressionNode, equals: ExpressionNode, then result: SQLExpression<Value>)
  {
    node = CaseNode(base: base, branches: [(.value(equals), result.node)])
    form = result.form
  }

  fileprivate func adding(
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
    return SQLExpression(whole.problem.map { .invalid($0) } ?? .cases(whole.node), form: form)
  }

  private mutating func note(_ other: StoredForm) {
    guard other != form else { return }
    problem = problem ?? SQLExpression<Value>(.countOfRows, form: form).mixing(other)
  }
}

/// A CASE expression whose branches compare one expression with values.
///
/// ```swift
/// $0.$status.case(.draft, then: 0).when(.published, then: 1).else(2)
/// // CASE "status" WHEN ? THEN ? WHEN ? THEN ? ELSE ? END
/// ```
///
/// NULL equals nothing here, as in SQL: if the expression is NULL, the result is that of `else`.
public struct CaseOf<Base: ColumnValue, Value: ColumnValue>: Sendable {
  private var branches: Case<Value>
  private let baseForm: StoredForm

  fileprivate init(_ branches: Case<Value>, baseForm: StoredForm) {
    self.branches = branches
    self.baseForm = baseForm
  }

  /// Adds a branch whose result is a value. SQL: `WHEN ? THEN ?`
  public func when(_ base: Base, then value: Value) -> CaseOf {
    when(base, then: SQLExpression(value))
  }

  /// Adds a branch whose result is an expression. SQL: `WHEN ? THEN a`
  public func when(_ base: Base, then result: SQLExpression<Value>) -> CaseOf {
    CaseOf(
      branches.adding(.value(.value(BoundValue(base, as: baseForm))), result.node, result.form),
      baseForm: baseForm)
  }

  /// Completes the expression with the value that it has if no branch matches. SQL: `ELSE ? END`
  public func `else`(_ value: Value) -> SQLExpression<Value> { branches.else(value) }

  /// Completes the expression with the one that is used if no branch matches. SQL: `ELSE a END`
  public func `else`(_ result: SQLExpression<Value>) -> SQLExpression<Value> {
    branches.else(result)
  }

  /// The completed expression, which is NULL if no branch matches. SQL: `END`
  public var orNull: SQLExpression<Value?> { branches.orNull }
}

extension SQLExpression {
  /// Starts a CASE over the values of this expression. SQL: `CASE a WHEN ? THEN ? …`
  public func `case`<Result: ColumnValue>(
    _ value: Value, then result: Result
  ) -> CaseOf<Value, Result> {
    self.case(value, then: SQLExpression<Result>(result))
  }

  /// Starts a CASE over the values of this expression. SQL: `CASE a WHEN ? THEN b …`
  public func `case`<Result: ColumnValue>(
    _ value: Value, then result: SQLExpression<Result>
  ) -> CaseOf<Value, Result> {
    CaseOf(
      Case(base: collatedNode, equals: .value(BoundValue(value, as: form)), then: result),
      baseForm: form)
  }
}

/// Returns the first value if a condition holds, else the second. SQL: `iif(a, ?, ?)`
///
/// The second value is also the result if the condition is unknown.
public func iif<Value: ColumnValue>(
  _ condition: SQLPredicate, _ value: Value, _ otherwise: Value
) -> SQLExpression<Value> {
  iif(condition, SQLExpression(value), SQLExpression(otherwise))
}

/// Returns the first expression if a condition holds, else the second. SQL: `iif(a, b, c)`
///
/// The second expression is also the result if the condition is unknown. Expressions that are
/// stored in different forms throw `QueryError` when the query is rendered.
public func iif<Value: ColumnValue>(
  _ condition: SQLPredicate, _ result: SQLExpression<Value>, _ otherwise: SQLExpression<Value>
) -> SQLExpression<Value> {
  guard result.form == otherwise.form else {
    return SQLExpression(.invalid(result.mixing(otherwise.form)))
  }
  return SQLExpression(
    .function("iif", [.predicate(condition.node), result.node, otherwise.node]),
    form: result.form)
}
