import SQLCore

extension SQLExpression {
  /// An aggregate or a window function over a window. SQL: `sum(a) OVER (PARTITION BY b)`
  ///
  /// It stands directly behind the function, or its FILTER; elsewhere it throws `QueryError` when
  /// the query is rendered.
  public func over(_ window: Window) -> SQLExpression {
    over(.specification(window.node))
  }

  /// An aggregate or a window function over a window that `NamedWindow` defines.
  ///
  /// SQL: `sum(a) OVER "w"`. A name that the query does not define throws `QueryError`.
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

  /// The value so many rows before, in the window; NULL where there is none. SQL: `lag(a, ?)`
  @_disfavoredOverload
  public func lag(_ offset: Int = 1) -> SQLExpression<Value?> {
    SQLExpression<Value?>(shifted("lag", offset), form: form)
  }

  /// The value so many rows before, in the window; NULL where there is none. SQL: `lag(a, ?)`
  public func lag<Wrapped>(_ offset: Int = 1) -> SQLExpression where Value == Wrapped? {
    SQLExpression(shifted("lag", offset), form: form)
  }

  /// The value so many rows before, in the window, or a default. SQL: `lag(a, ?, ?)`
  public func lag(_ offset: Int = 1, default value: Value) -> SQLExpression {
    SQLExpression(shifted("lag", offset, value), form: form)
  }

  /// The value so many rows behind, in the window; NULL where there is none. SQL: `lead(a, ?)`
  @_disfavoredOverload
  public func lead(_ offset: Int = 1) -> SQLExpression<Value?> {
    SQLExpression<Value?>(shifted("lead", offset), form: form)
  }

  /// The value so many rows behind, in the window; NULL where there is none. SQL: `lead(a, ?)`
  public func lead<Wrapped>(_ offset: Int = 1) -> SQLExpression where Value == Wrapped? {
    SQLExpression(shifted("lead", offset), form: form)
  }

  /// The value so many rows behind, in the window, or a default. SQL: `lead(a, ?, ?)`
  public func lead(_ offset: Int = 1, default value: Value) -> SQLExpression {
    SQLExpression(shifted("lead", offset, value), form: form)
  }

  /// The value of the frame's first row; NULL where the frame is empty. SQL: `first_value(a)`
  @_disfavoredOverload
  public func firstValue() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.windowFunction("first_value", [node]), form: form)
  }

  /// The value of the frame's first row; NULL where the frame is empty. SQL: `first_value(a)`
  public func firstValue<Wrapped>() -> SQLExpression where Value == Wrapped? {
    SQLExpression(.windowFunction("first_value", [node]), form: form)
  }

  /// The value of the frame's last row; NULL where the frame is empty. SQL: `last_value(a)`
  @_disfavoredOverload
  public func lastValue() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.windowFunction("last_value", [node]), form: form)
  }

  /// The value of the frame's last row; NULL where the frame is empty. SQL: `last_value(a)`
  public func lastValue<Wrapped>() -> SQLExpression where Value == Wrapped? {
    SQLExpression(.windowFunction("last_value", [node]), form: form)
  }

  /// The value of the frame's row of that number, from 1; NULL where there is none.
  ///
  /// SQL: `nth_value(a, ?)`
  @_disfavoredOverload
  public func nthValue(_ number: Int) -> SQLExpression<Value?> {
    SQLExpression<Value?>(
      .windowFunction("nth_value", [node, .value(BoundValue(number))]), form: form)
  }

  /// The value of the frame's row of that number, from 1; NULL where there is none.
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

// Functions of a row's place; each needs `.over(…)`.

extension Columns {
  /// The number of the row in its window, from 1. SQL: `row_number()`
  public func rowNumber() -> SQLExpression<Int> { place("row_number") }

  /// The number of the first of the row's equals, from 1, with gaps. SQL: `rank()`
  public func rank() -> SQLExpression<Int> { place("rank") }

  /// The number of the row's group of equals, from 1. SQL: `dense_rank()`
  public func denseRank() -> SQLExpression<Int> { place("dense_rank") }

  /// The rank as a number from 0.0 to 1.0. SQL: `percent_rank()`
  public func percentRank() -> SQLExpression<Double> {
    SQLExpression<Double>(.windowFunction("percent_rank", []))
  }

  /// The share of rows that do not come behind this one. SQL: `cume_dist()`
  public func cumeDist() -> SQLExpression<Double> {
    SQLExpression<Double>(.windowFunction("cume_dist", []))
  }

  /// The number of the row's bucket, where the rows are shared out among so many. SQL: `ntile(?)`
  public func ntile(_ count: Int) -> SQLExpression<Int> {
    SQLExpression<Int>(.windowFunction("ntile", [.value(BoundValue(count))]))
  }

  private func place(_ name: String) -> SQLExpression<Int> {
    SQLExpression<Int>(.windowFunction(name, []))
  }
}
