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
  /// Returns the value at a path inside the JSON. The value has the form in which a column of its
  /// type stores it, so it can be compared and sorted like a column. It is NULL if the JSON has no
  /// value or `null` at the path.
  ///
  /// ```swift
  /// Post.where { $0.$place.value(at: "number", as: Int.self) > 7 }
  /// // … WHERE json_extract("place", ?) > ?           the path is `$."number"`
  /// Post.where { $0.$place.value(at: "opened", as: Date.self) > date }
  /// // … WHERE apus_json_value("place" -> ?, 'Date') > ?
  /// ```
  /// SQLite's own functions read integers, Double and Bool. Values of other types are read by a
  /// function of Apus, in the same way as `JSON<Value>` decodes them: a Date from seconds since
  /// 2001, Data from Base64, a Unique64 from a text or a number. If the JSON has a value of another
  /// type, the function throws `DatabaseError`. Only a result of the type `String` also accepts
  /// other values: a number stays a number, true and false become 1 and 0, and an object or an
  /// array becomes its JSON text.
  ///
  /// A key is also found if the JSON spells it with escapes, for example `größe` as
  /// `"gr\u00f6\u00dfe"`. A path cannot find a key with a quotation mark, a backslash or a control
  /// character. Rendering the query throws `QueryError` for such a key. It also throws `QueryError`
  /// if the type of the result is a type of your own that has no raw value.
  public func value<Result: ColumnValue>(
    at steps: JSONStep..., as type: Result.Type = Result.self
  ) -> SQLExpression<Result?> {
    value(at: steps)
  }

  fileprivate func value<Result: ColumnValue>(at steps: [JSONStep]) -> SQLExpression<Result?> {
    SQLExpression<Result?>(at(steps) { $0.jsonValue(at: $1, as: Result.self) })
  }

  /// Returns the part of the JSON at a path, which may be an object, an array or a single value, as
  /// JSON. The result is NULL if the JSON has nothing at the path.
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
