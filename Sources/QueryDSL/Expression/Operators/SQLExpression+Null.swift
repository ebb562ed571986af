import SQLCore

// Functions that replace or produce NULL, and those that choose among several values of a row.
//
// Expressions that are stored in different forms throw `QueryError` when the query is rendered.

extension SQLExpression {
  /// Returns the value, or another if it is NULL. SQL: `ifnull(a, ?)`
  public func ifNull<Wrapped: ColumnValue>(_ other: Wrapped) -> SQLExpression<Wrapped>
  where Value == Wrapped? {
    SQLExpression<Wrapped>(
      .function("ifnull", [node, .value(BoundValue(other, as: form))]), form: form)
  }

  /// Returns the value, or another if it is NULL. SQL: `ifnull(a, b)`
  public func ifNull<Wrapped: ColumnValue>(
    _ other: SQLExpression<Wrapped>
  ) -> SQLExpression<Wrapped> where Value == Wrapped? {
    SQLExpression<Wrapped>(called("ifnull", node, with: [(other.node, other.form)]), form: form)
  }

  /// Returns the first of several values that is not NULL. SQL: `coalesce(a, b, c)`
  public func coalesce<Wrapped: ColumnValue>(
    _ others: SQLExpression<Wrapped?>...
  ) -> SQLExpression<Wrapped?> where Value == Wrapped? {
    guard !others.isEmpty else { return self }
    return SQLExpression(
      called("coalesce", node, with: others.map { ($0.node, $0.form) }), form: form)
  }

  /// Returns NULL if the value equals another, else the value itself. SQL: `nullif(a, ?)`
  @_disfavoredOverload
  public func nullIf(_ other: Value) -> SQLExpression<Value?> {
    SQLExpression<Value?>(
      .function("nullif", [collatedNode, .value(BoundValue(other, as: form))]), form: form)
  }

  /// Returns NULL if the value equals another, else the value itself. SQL: `nullif(a, ?)`
  public func nullIf<Wrapped: ColumnValue>(_ other: Wrapped) -> SQLExpression<Wrapped?>
  where Value == Wrapped? {
    SQLExpression(
      .function("nullif", [collatedNode, .value(BoundValue(other, as: form))]), form: form)
  }

  /// Returns NULL if the value equals another, else the value itself. SQL: `nullif(a, b)`
  @_disfavoredOverload
  public func nullIf(_ other: SQLExpression) -> SQLExpression<Value?> {
    SQLExpression<Value?>(
      called("nullif", collatedNode, with: [(other.node, other.form)]), form: form)
  }

  /// Returns NULL if the value equals another, else the value itself. SQL: `nullif(a, b)`
  public func nullIf<Wrapped: ColumnValue>(
    _ other: SQLExpression<Wrapped?>
  ) -> SQLExpression<Wrapped?> where Value == Wrapped? {
    SQLExpression(called("nullif", collatedNode, with: [(other.node, other.form)]), form: form)
  }

  /// Returns a call of a function with this and others, which must be stored in the same form.
  private func called(
    _ name: String, _ first: ExpressionNode, with others: [(node: ExpressionNode, form: StoredForm)]
  ) -> ExpressionNode {
    if let other = others.first(where: { $0.form != form }) {
      return .invalid(mixing(other.form))
    }
    return .function(name, [first] + others.map(\.node))
  }
}

extension SQLExpression where Value: OrderedColumnValue {
  /// Returns the least of several values of a row; NULL if any of them is. SQL: `min(a, b)`
  public func min(with first: SQLExpression, _ others: SQLExpression...) -> SQLExpression {
    SQLExpression(
      called("min", collatedNode, with: ([first] + others).map { ($0.node, $0.form) }), form: form)
  }

  /// Returns the lesser of this and a value; NULL if either is. SQL: `min(a, ?)`
  public func min(with value: Value) -> SQLExpression {
    SQLExpression(
      .function("min", [collatedNode, .value(BoundValue(value, as: form))]), form: form)
  }

  /// Returns the greatest of several values of a row; NULL if any of them is. SQL: `max(a, b)`
  public func max(with first: SQLExpression, _ others: SQLExpression...) -> SQLExpression {
    SQLExpression(
      called("max", collatedNode, with: ([first] + others).map { ($0.node, $0.form) }), form: form)
  }

  /// Returns the greater of this and a value; NULL if either is. SQL: `max(a, ?)`
  public func max(with value: Value) -> SQLExpression {
    SQLExpression(
      .function("max", [collatedNode, .value(BoundValue(value, as: form))]), form: form)
  }
}
