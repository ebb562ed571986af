import SQLCore

// These functions change JSON inside the database, so that a program need not load the JSON. Each
// function returns the changed JSON, and an update assigns it to the column. If the JSON is NULL,
// the result is NULL.
//
// A function adds a new member after the existing ones, but JSON that is written from a Swift value
// has sorted keys. The order matters, because `==` with a Swift value compares the texts. If
// another program wrote a key with needless escapes, such as `gr\u00f6\u00dfe`, the result has the
// plain key: `größe`.
// https://www.sqlite.org/json1.html#jset

extension SQLExpression where Value: JSONColumnValue {
  /// Returns the JSON with the value at a path replaced. A missing value is added.
  ///
  /// ```swift
  /// Post.update { $0.$place = $0.$place.set(at: "address", "city", to: "Bonn") }
  /// // UPDATE "Post" SET "place" = json_set("place", ?, json(?))
  /// ```
  /// If the path leads through objects that do not exist, they are added, too. The value may be of
  /// any Codable type; nil becomes `null`. A value that JSON cannot hold throws `ColumnValueError`,
  /// and a key that a path cannot name throws `QueryError`.
  public func set<New: Codable & Sendable>(at steps: JSONStep..., to value: New) -> SQLExpression {
    changed("json_set", steps, .json(value))
  }

  /// Returns the JSON with the value at a path replaced by an expression. A missing value is added.
  /// SQL: `json_set(a, ?, b)`
  public func set<New: ColumnValue>(
    at steps: JSONStep..., to value: SQLExpression<New>
  ) -> SQLExpression {
    changed("json_set", steps, value.jsonNode)
  }

  /// Returns the JSON with a value added at a path. If the path already has a value, nothing
  /// changes.
  /// SQL: `json_insert(a, ?, json(?))`
  public func insert<New: Codable & Sendable>(_ value: New, at steps: JSONStep...) -> SQLExpression
  {
    changed("json_insert", steps, .json(value))
  }

  /// Returns the JSON with an expression's value added at a path. If the path already has a value,
  /// nothing changes.
  /// SQL: `json_insert(a, ?, b)`
  public func insert<New: ColumnValue>(
    _ value: SQLExpression<New>, at steps: JSONStep...
  ) -> SQLExpression {
    changed("json_insert", steps, value.jsonNode)
  }

  /// Returns the JSON with the value at a path replaced. If the path has no value, nothing changes.
  /// SQL: `json_replace(a, ?, json(?))`
  public func replace<New: Codable & Sendable>(
    at steps: JSONStep..., with value: New
  ) -> SQLExpression {
    changed("json_replace", steps, .json(value))
  }

  /// Returns the JSON with the value at a path replaced by an expression. If the path has no value,
  /// nothing changes.
  /// SQL: `json_replace(a, ?, b)`
  public func replace<New: ColumnValue>(
    at steps: JSONStep..., with value: SQLExpression<New>
  ) -> SQLExpression {
    changed("json_replace", steps, value.jsonNode)
  }

  /// Returns the JSON with a value added at the end of the array at a path. Without a path, the
  /// JSON itself is the array.
  ///
  /// ```swift
  /// Post.update { $0.$tags = $0.$tags.append("swift") }
  /// // UPDATE "Post" SET "tags" = json_insert("tags", ?, json(?))          the path is `$[#]`
  /// ```
  /// If the path has no value, an array with the new element is added. If the value at the path is
  /// not an array, nothing changes.
  public func append<New: Codable & Sendable>(_ value: New, at steps: JSONStep...) -> SQLExpression
  {
    changed("json_insert", steps, .json(value), isAppending: true)
  }

  /// Returns the JSON with an expression's value added at the end of the array at a path.
  /// SQL: `json_insert(a, ?, b)`
  public func append<New: ColumnValue>(
    _ value: SQLExpression<New>, at steps: JSONStep...
  ) -> SQLExpression {
    changed("json_insert", steps, value.jsonNode, isAppending: true)
  }

  /// Returns the JSON without the value at a path. If the path has no value, nothing changes.
  /// SQL: `json_remove(a, ?)`
  public func remove(at step: JSONStep, _ steps: JSONStep...) -> SQLExpression {
    SQLExpression(at([step] + steps) { .function("json_remove", [$0, $1]) })
  }

  /// Merges an object, the patch, into the JSON. Each member of the patch is added to the JSON or
  /// replaces the member with the same key. If both members are objects, they are merged in the
  /// same way. A member of the patch that is `null` removes the member with the same key.
  /// SQL: `json_patch(apus_json(a), ?)`
  ///
  /// ```swift
  /// struct Patch: Codable { var city: String?; var number: Int? }
  ///
  /// Post.update { $0.$address = $0.$address.patch(Patch(city: "Bonn")) }   // the number stays
  /// ```
  /// The patch may be of any Codable type. An optional property that is nil is omitted from the
  /// JSON of the patch, and changes nothing.
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc7396>
  public func patch<Patch: Codable & Sendable>(_ patch: Patch) -> SQLExpression {
    SQLExpression(.function("json_patch", [node.withPlainKeys, .value(BoundValue(JSON(patch)))]))
  }

  /// Merges another JSON object, the patch, into the JSON. Each member of the patch is added to the
  /// JSON or replaces the member with the same key.
  /// SQL: `json_patch(apus_json(a), apus_json(b))`
  public func patch<Patch: JSONColumnValue>(_ patch: SQLExpression<Patch>) -> SQLExpression {
    SQLExpression(.function("json_patch", [node.withPlainKeys, patch.node.withPlainKeys]))
  }

  private func changed(
    _ function: String, _ steps: [JSONStep], _ value: ExpressionNode, isAppending: Bool = false
  ) -> SQLExpression {
    SQLExpression(
      at(steps, isAppending ? "[#]" : "") { .function(function, [$0, $1, value]) })
  }
}

extension SQLExpression {
  /// Returns the JSON with the value at a declared path replaced. A missing value is added.
  ///
  /// ```swift
  /// Post.update { $0.$place = $0.$place.set(at: .city, to: "Bonn") }
  /// ```
  public func set<Root, New>(
    at path: JSONPath<Root, New>, to value: New
  ) -> SQLExpression where Value == JSON<Root> {
    set(at: path.steps, to: SQLExpression<New>(value).jsonNode)
  }

  /// Returns the JSON with the value at a declared path replaced. A missing value is added.
  public func set<Root, New>(
    at path: JSONPath<Root, New>, to value: New
  ) -> SQLExpression where Value == JSON<Root>? {
    set(at: path.steps, to: SQLExpression<New>(value).jsonNode)
  }

  private func set(at steps: [JSONStep], to value: ExpressionNode) -> SQLExpression
  where Value: JSONColumnValue {
    SQLExpression(at(steps) { .function("json_set", [$0, $1, value]) })
  }
}

extension ExpressionNode {
  /// Returns `json(?)` for a value of any Codable type, which is bound as JSON.
  fileprivate static func json<Value: Codable & Sendable>(_ value: Value) -> ExpressionNode {
    .function("json", [.value(BoundValue(JSON(value)))])
  }
}
