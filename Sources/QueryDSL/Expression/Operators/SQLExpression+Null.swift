import SQLCore

// Functions that replace or produce NULL, and functions that choose among several values of a row.
//
// If the operands of a function are stored in different forms, rendering the query throws
// `QueryError`. A Swift value takes the stored form of the expression with which it is combined.

extension SQLExpression {
  /// Returns the value or, if it is NULL, another value. SQL: `ifnull(a, ?)`
  public func ifNull<Wrapped: ColumnValue>(_ other: Wrapped) -> SQLExpression<Wrapped>
  where Value == Wrapped? {
    ifNull(SQLExpression<Wrapped>(other))
  }

  /// Returns the value or, if it is NULL, another value. SQL: `ifnull(a, b)`
  public func ifNull<Wrapped: ColumnValue>(
    _ other: SQLExpression<Wrapped>
  ) -> SQLExpression<Wrapped> where Value == Wrapped? {
    Self.combined([self, other.optional]) { parts, _ in .function("ifnull", parts) }
  }

  /// Returns this value or, if it is NULL, the first of the others that is not NULL.
  /// SQL: `coalesce(a, b, c)`
  public func coalesce<Wrapped: ColumnValue>(
    _ others: SQLExpression<Wrapped?>...
  ) -> SQLExpression<Wrapped?> where Value == Wrapped? {
    guard !others.isEmpty else { return self }
    return Self.combined([self] + others) { parts, _ in .function("coalesce", parts) }
  }

  /// Returns NULL if the value equals another value, else the value itself. SQL: `nullif(a, ?)`
  @_disfavoredOverload
  public func nullIf(_ other: Value) -> SQLExpression<Value?> { nullIf(SQLExpression(other)) }

  /// Returns NULL if the value equals another value, else the value itself. SQL: `nullif(a, ?)`
  public func nullIf<Wrapped: ColumnValue>(_ other: Wrapped) -> SQLExpression<Wrapped?>
  where Value == Wrapped? {
    nullIf(SQLExpression<Wrapped?>(other))
  }

  /// Returns NULL if the value equals another value, else the value itself. SQL: `nullif(a, b)`
  @_disfavoredOverload
  public func nullIf(_ other: SQLExpression) -> SQLExpression<Value?> { called("nullif", [other]) }

  /// Returns NULL if the value equals another value, else the value itself. SQL: `nullif(a, b)`
  public func nullIf<Wrapped: ColumnValue>(
    _ other: SQLExpression<Wrapped?>
  ) -> SQLExpression<Wrapped?> where Value == Wrapped? {
    called("nullif", [other])
  }

  /// Returns a call of a function, such as `nullif`, that compares this expression with others.
  private func called<Result: ColumnValue>(
    _ name: String, _ others: [SQLExpression]
  ) -> SQLExpression<Result> {
    Self.combined([self] + others) { parts, _ in
      .function(name, [parts[0].collated(as: Value.self)] + parts.dropFirst())
    }
  }
}

extension SQLExpression where Value: OrderedColumnValue {
  /// Returns the least of this expression and the others; NULL if any of them is NULL.
  /// SQL: `min(a, b)`
  public func min(with first: SQLExpression, _ others: SQLExpression...) -> SQLExpression {
    called("min", [first] + others)
  }

  /// Returns the lesser of this expression and a value; NULL if either is NULL. SQL: `min(a, ?)`
  public func min(with value: Value) -> SQLExpression { called("min", [SQLExpression(value)]) }

  /// Returns the greatest of this expression and the others; NULL if any of them is NULL.
  /// SQL: `max(a, b)`
  public func max(with first: SQLExpression, _ others: SQLExpression...) -> SQLExpression {
    called("max", [first] + others)
  }

  /// Returns the greater of this expression and a value; NULL if either is NULL. SQL: `max(a, ?)`
  public func max(with value: Value) -> SQLExpression { called("max", [SQLExpression(value)]) }
}
