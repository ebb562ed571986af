import SQLCore

/// A CASE expression whose branches compare one expression with values.
///
/// ```swift
/// $0.$status.case(.draft, then: 0).when(.published, then: 1).else(2)
/// // CASE "status" WHEN ? THEN ? WHEN ? THEN ? ELSE ? END
/// ```
///
/// As in SQL, NULL matches no branch. If the compared expression is NULL, the result is the value
/// of `else`, or NULL with `orNull`.
public struct CaseOf<Base: ColumnValue, Value: ColumnValue>: Sendable {
  private var branches: Case<Value>
  private let baseForm: StoredForm

  init(_ branches: Case<Value>, baseForm: StoredForm) {
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
      branches.adding(.value(.value(BoundValue(base, as: baseForm))), result), baseForm: baseForm)
  }

  /// Completes the expression. If no branch matches, the expression has this value.
  /// SQL: `ELSE ? END`
  public func `else`(_ value: Value) -> SQLExpression<Value> { branches.else(value) }

  /// Completes the expression. If no branch matches, the expression has this result.
  /// SQL: `ELSE a END`
  public func `else`(_ result: SQLExpression<Value>) -> SQLExpression<Value> {
    branches.else(result)
  }

  /// The completed expression, which is NULL if no branch matches. SQL: `END`
  public var orNull: SQLExpression<Value?> { branches.orNull }
}
