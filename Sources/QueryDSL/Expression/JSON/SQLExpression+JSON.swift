import SQLCore

extension SQLExpression {
  /// Returns the value at a declared path inside the JSON; NULL if there is no value.
  ///
  /// SQL: `json_extract(a, ?)` for integers, Double and Bool, `nullif(a -> ?, 'null')` for JSON,
  /// `apus_json_value(a -> ?, 'String')` for other types. A key with a quotation mark, a backslash
  /// or a control character throws `QueryError` when the query is rendered.
  public func value<Root, Result>(
    at path: JSONPath<Root, Result>
  ) -> SQLExpression<Result?> where Value == JSON<Root> {
    value(at: path.steps)
  }

  /// Returns the value at a declared path inside the JSON; NULL if there is no value, or if the
  /// JSON is NULL.
  ///
  /// SQL: `json_extract(a, ?)` for integers, Double and Bool, `nullif(a -> ?, 'null')` for JSON,
  /// `apus_json_value(a -> ?, 'String')` for other types.
  public func value<Root, Result>(
    at path: JSONPath<Root, Result>
  ) -> SQLExpression<Result?> where Value == JSON<Root>? {
    value(at: path.steps)
  }
}

// https://www.sqlite.org/json1.html
extension SQLExpression where Value: JSONColumnValue {
  /// Returns a value inside the JSON, in the form in which a column of its type stores it. The
  /// value compares and sorts like a column. It is NULL if the JSON has no value there, or has
  /// `null`.
  ///
  /// ```swift
  /// Post.where { $0.$place.value(at: "number", as: Int.self) > 7 }
  /// // … WHERE json_extract("place", ?) > ?           the path is `$."number"`
  /// Post.where { $0.$place.value(at: "opened", as: Date.self) > date }
  /// // … WHERE apus_json_value("place" -> ?, 'Date') > ?
  /// ```
  /// SQLite's own functions read integers, Double and Bool. A function of Apus reads other types in
  /// the way in which `JSON<Value>` decodes them: a Date from seconds since 2001, Data from Base64,
  /// a Unique64 from a text or a number. The function throws `DatabaseError` for a value of another
  /// type. `String` also accepts other values: a number stays a number, true and false become 1 and
  /// 0, and an object or an array becomes its JSON text.
  ///
  /// A key is found in every spelling, for example `"gr\u00f6\u00dfe"` for `größe`. A path cannot
  /// find a key with a quotation mark, a backslash or a control character. Rendering the query
  /// throws `QueryError` for such a key, and for your own type without a raw value.
  public func value<Result: ColumnValue>(
    at steps: JSONStep..., as type: Result.Type = Result.self
  ) -> SQLExpression<Result?> {
    value(at: steps)
  }

  fileprivate func value<Result: ColumnValue>(at steps: [JSONStep]) -> SQLExpression<Result?> {
    SQLExpression<Result?>(at(steps) { $0.jsonValue(at: $1, as: Result.self) })
  }

  /// Returns an object, array or value inside the JSON, as JSON; NULL if the path has no value.
  /// SQL: `a -> ?`
  public func json<Result: Codable & Sendable>(
    at steps: JSONStep..., as type: Result.Type = Result.self
  ) -> SQLExpression<JSON<Result>?> {
    SQLExpression<JSON<Result>?>(at(steps) { .binary(.jsonArrow, $0, $1) })
  }

  /// Returns the number of elements in an array; 0 for other values, NULL if there is no value.
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
    at(steps) { .function(name, [$0, $1]) }
  }

  /// Calls `make` with this JSON and with the path that `steps` describe, and returns the result.
  func at(
    _ steps: [JSONStep], _ end: String = "",
    _ make: (_ json: ExpressionNode, _ path: ExpressionNode) -> ExpressionNode
  ) -> ExpressionNode {
    let path = JSONStep.pathNode(steps, end)
    if case .invalid = path { return path }
    return make(node.json(for: steps), path)
  }
}
