import SQLCore

// Over no rows every aggregate but a count is NULL, so their results are optional.
// https://www.sqlite.org/lang_aggfunc.html

extension SQLExpression {
  /// How many rows have a value that is not NULL. SQL: `count(a)`
  public func count() -> SQLExpression<Int> {
    SQLExpression<Int>(.function("count", [node]))
  }
}

// On an optional both overloads fit; the one that gives `Value` is meant, not an optional of one.

extension SQLExpression where Value: OrderedColumnValue {
  /// The least value. SQL: `min(a)`
  @_disfavoredOverload
  public func min() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.function("min", [node]), form: form)
  }

  /// The greatest value. SQL: `max(a)`
  @_disfavoredOverload
  public func max() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.function("max", [node]), form: form)
  }

  /// The least value that is not NULL. SQL: `min(a)`
  public func min<Wrapped>() -> SQLExpression<Value> where Value == Wrapped? {
    SQLExpression(.function("min", [node]), form: form)
  }

  /// The greatest value that is not NULL. SQL: `max(a)`
  public func max<Wrapped>() -> SQLExpression<Value> where Value == Wrapped? {
    SQLExpression(.function("max", [node]), form: form)
  }
}

extension SQLExpression where Value: NumericColumnValue {
  /// The sum; integers that leave 64 bits are an error. SQL: `sum(a)`
  public func sum() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.function("sum", [node]))
  }

  /// The mean. SQL: `avg(a)`
  public func avg() -> SQLExpression<Double?> {
    SQLExpression<Double?>(.function("avg", [node]))
  }
}

extension SQLExpression {
  /// The sum of the values that are not NULL. SQL: `sum(a)`
  public func sum<Wrapped: NumericColumnValue>() -> SQLExpression<Value>
  where Value == Wrapped? {
    SQLExpression(.function("sum", [node]))
  }

  /// The mean of the values that are not NULL. SQL: `avg(a)`
  public func avg<Wrapped: NumericColumnValue>() -> SQLExpression<Double?>
  where Value == Wrapped? {
    SQLExpression<Double?>(.function("avg", [node]))
  }
}
