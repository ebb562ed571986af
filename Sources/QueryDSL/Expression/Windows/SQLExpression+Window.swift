import SQLCore

extension SQLExpression {
  /// Applies an aggregate or a window function to a window. SQL: `sum(a) OVER (PARTITION BY b)`
  ///
  /// `over` must directly follow the function or its `filter`, and occur only once. Otherwise it
  /// throws `QueryError` when the query is rendered.
  public func over(_ window: Window) -> SQLExpression {
    over(.specification(window.node))
  }

  /// Applies an aggregate or a window function to a window that `NamedWindow` defines.
  ///
  /// SQL: `sum(a) OVER "w"`. A name that the query does not define throws `QueryError` when the
  /// query is rendered.
  public func over(named name: String) -> SQLExpression {
    over(.named(name))
  }

  private func over(_ window: WindowNode) -> SQLExpression {
    SQLExpression(
      node.changingCall(for: "OVER") { call in
        if call.window != nil { return QueryError("OVER is given twice") }
        call.window = window
        return nil
      }, form: form)
  }

  /// Returns the value of the row that is `offset` rows before the current row in the partition;
  /// NULL if there is no such row.
  /// SQL: `lag(a, ?)`
  @_disfavoredOverload
  public func lag(_ offset: Int = 1) -> SQLExpression<Value?> {
    SQLExpression<Value?>(shifted("lag", offset), form: form)
  }

  /// Returns the value of the row that is `offset` rows before the current row in the partition;
  /// NULL if there is no such row.
  /// SQL: `lag(a, ?)`
  public func lag<Wrapped>(_ offset: Int = 1) -> SQLExpression where Value == Wrapped? {
    SQLExpression(shifted("lag", offset), form: form)
  }

  /// Returns the value of the row that is `offset` rows before the current row in the partition, or
  /// a default if there is no such row. SQL: `lag(a, ?, ?)`
  public func lag(_ offset: Int = 1, default value: Value) -> SQLExpression {
    SQLExpression(shifted("lag", offset, value), form: form)
  }

  /// Returns the value of the row that is `offset` rows after the current row in the partition;
  /// NULL if there is no such row.
  /// SQL: `lead(a, ?)`
  @_disfavoredOverload
  public func lead(_ offset: Int = 1) -> SQLExpression<Value?> {
    SQLExpression<Value?>(shifted("lead", offset), form: form)
  }

  /// Returns the value of the row that is `offset` rows after the current row in the partition;
  /// NULL if there is no such row.
  /// SQL: `lead(a, ?)`
  public func lead<Wrapped>(_ offset: Int = 1) -> SQLExpression where Value == Wrapped? {
    SQLExpression(shifted("lead", offset), form: form)
  }

  /// Returns the value of the row that is `offset` rows after the current row in the partition, or
  /// a default if there is no such row. SQL: `lead(a, ?, ?)`
  public func lead(_ offset: Int = 1, default value: Value) -> SQLExpression {
    SQLExpression(shifted("lead", offset, value), form: form)
  }

  /// Returns the value of the frame's first row; NULL if the frame is empty. SQL: `first_value(a)`
  @_disfavoredOverload
  public func firstValue() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.windowFunction("first_value", [node]), form: form)
  }

  /// Returns the value of the frame's first row; NULL if the frame is empty. SQL: `first_value(a)`
  public func firstValue<Wrapped>() -> SQLExpression where Value == Wrapped? {
    SQLExpression(.windowFunction("first_value", [node]), form: form)
  }

  /// Returns the value of the frame's last row; NULL if the frame is empty. SQL: `last_value(a)`
  @_disfavoredOverload
  public func lastValue() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.windowFunction("last_value", [node]), form: form)
  }

  /// Returns the value of the frame's last row; NULL if the frame is empty. SQL: `last_value(a)`
  public func lastValue<Wrapped>() -> SQLExpression where Value == Wrapped? {
    SQLExpression(.windowFunction("last_value", [node]), form: form)
  }

  /// Returns the value of row `number` of the frame, counted from 1; NULL if there is no such row.
  ///
  /// SQL: `nth_value(a, ?)`
  @_disfavoredOverload
  public func nthValue(_ number: Int) -> SQLExpression<Value?> {
    SQLExpression<Value?>(
      .windowFunction("nth_value", [node, .value(BoundValue(number))]), form: form)
  }

  /// Returns the value of row `number` of the frame, counted from 1; NULL if there is no such row.
  ///
  /// SQL: `nth_value(a, ?)`
  public func nthValue<Wrapped>(_ number: Int) -> SQLExpression where Value == Wrapped? {
    SQLExpression(.windowFunction("nth_value", [node, .value(BoundValue(number))]), form: form)
  }

  private func shifted(_ name: String, _ offset: Int, _ value: Value? = nil) -> ExpressionNode {
    let start: [ExpressionNode] = [node, .value(BoundValue(offset))]
    return .windowFunction(
      name, start + (value.map { [.value(BoundValue($0, as: form))] } ?? []))
  }
}

// The functions below return the position of the current row in its partition. A call of `.over(…)`
// must follow each of them. The *peers* of a row are the rows with the same ORDER BY values.

extension Columns {
  /// Returns the number of the row in its partition, from 1. SQL: `row_number()`
  public func rowNumber() -> SQLExpression<Int> { place("row_number") }

  /// Returns the rank of the row. Rows with the same ORDER BY values have the same rank, and the
  /// next ranks are skipped, as in 1, 1, 3. SQL: `rank()`
  public func rank() -> SQLExpression<Int> { place("rank") }

  /// Returns the rank of the row. Rows with the same ORDER BY values have the same rank, and no
  /// rank is skipped, as in 1, 1, 2.
  /// SQL: `dense_rank()`
  public func denseRank() -> SQLExpression<Int> { place("dense_rank") }

  /// Returns the rank of the row as a number from 0.0 to 1.0. In a partition of n rows, this number
  /// is `(rank - 1) / (n - 1)`.
  /// SQL: `percent_rank()`
  public func percentRank() -> SQLExpression<Double> {
    SQLExpression<Double>(.windowFunction("percent_rank", []))
  }

  /// Returns the share of the partition's rows that come before this row or have the same ORDER BY
  /// values as this row. For example, the share is 0.5 if these rows are half of the partition.
  /// SQL: `cume_dist()`
  public func cumeDist() -> SQLExpression<Double> {
    SQLExpression<Double>(.windowFunction("cume_dist", []))
  }

  /// Divides the partition into `count` buckets, and returns the number of the row's bucket, from
  /// 1.
  /// SQL: `ntile(?)`
  public func ntile(_ count: Int) -> SQLExpression<Int> {
    SQLExpression<Int>(.windowFunction("ntile", [.value(BoundValue(count))]))
  }

  private func place(_ name: String) -> SQLExpression<Int> {
    SQLExpression<Int>(.windowFunction(name, []))
  }
}
