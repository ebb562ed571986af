import SQLCore

extension SQLExpression {
  /// Returns the value at a declared place inside the JSON; NULL if the place is empty.
  ///
  /// SQL: `json_extract(a, ?)`. A key that the path cannot express throws `QueryError` when the
  /// query is rendered.
  public func value<Root, Result>(
    at path: JSONPath<Root, Result>
  ) -> SQLExpression<Result?> where Value == JSON<Root> {
    value(at: path.steps)
  }

  /// Returns the value at a declared place inside the JSON; NULL if the place is empty, or the JSON
  /// is NULL.
  ///
  /// SQL: `json_extract(a, ?)`
  public func value<Root, Result>(
    at path: JSONPath<Root, Result>
  ) -> SQLExpression<Result?> where Value == JSON<Root>? {
    value(at: path.steps)
  }
}

// https://www.sqlite.org/json1.html
extension SQLExpression where Value: JSONColumnValue {
  /// Returns a value inside the JSON, read as a type; NULL if the place is empty.
  ///
  /// ```swift
  /// Post.where { $0.$place.value(at: "address", "city") == "Bonn" }
  /// // … WHERE json_extract("place", ?) IS ?          the path is `$."address"."city"`
  /// ```
  /// true and false are 1 and 0; an object or an array is its JSON text. A key that JSON writes
  /// with escapes (it contains a quotation mark, a backslash or a control character) cannot be
  /// found by a path: it throws `QueryError` when the query is rendered.
  public func value<Result: ColumnValue>(
    at steps: JSONStep..., as type: Result.Type = Result.self
  ) -> SQLExpression<Result?> {
    value(at: steps)
  }

  fileprivate func value<Result: ColumnValue>(at steps: [JSONStep]) -> SQLExpression<Result?> {
    SQLExpression<Result?>(called("json_extract", steps))
  }

  /// Returns an object, array or value inside the JSON, as JSON; NULL if the place is empty.
  /// SQL: `a -> ?`
  public func json<Result: Codable & Sendable>(
    at steps: JSONStep..., as type: Result.Type = Result.self
  ) -> SQLExpression<JSON<Result>?> {
    SQLExpression<JSON<Result>?>(at(steps) { .binary(.jsonArrow, node, $0) })
  }

  /// Returns the number of elements in an array; 0 for other values, NULL if the place is empty.
  ///
  /// SQL: `json_array_length(a, ?)`
  public func arrayLength(at steps: JSONStep...) -> SQLExpression<Int?> {
    SQLExpression<Int?>(called("json_array_length", steps))
  }

  /// Returns the type of a value inside the JSON: `null`, `true`, `false`, `integer`, `real`,
  /// `text`, `array` or `object`; NULL if there is no value. SQL: `json_type(a, ?)`
  public func type(at steps: JSONStep...) -> SQLExpression<String?> {
    SQLExpression<String?>(called("json_type", steps))
  }

  private func called(_ name: String, _ steps: [JSONStep]) -> ExpressionNode {
    at(steps) { .function(name, [node, $0]) }
  }

  func at(
    _ steps: [JSONStep], _ end: String = "", _ make: (ExpressionNode) -> ExpressionNode
  ) -> ExpressionNode {
    let path = JSONStep.pathNode(steps, end)
    if case .invalid = path { return path }
    return make(path)
  }
}
