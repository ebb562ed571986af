import SQLCore

// https://www.sqlite.org/json1.html#jeach

/// Returns a table with a row for each element of a JSON array.
///
/// ```swift
/// Query { (post: Columns<Post>, tag: Columns<JSONElement<String>>) in
///   From(post)
///   Join(jsonEach(post.$tags).as(tag))
///   Select(post.$title, tag.$value)
/// }
/// // SELECT "Post"."title", "apus_json_each"."value"
/// //   FROM "Post" JOIN "apus_json_each"("Post"."tags", 'String')
/// ```
/// SQLite's `json_each` reads an array whose elements are integers, Double or Bool. Any other array
/// is read by a function of the library, which decodes each element as `JSON<Value>` does, and
/// returns it in the stored form of its type. If an element may be null, `Element` must be an
/// optional type. An element that is not of the type `Element` throws `ColumnValueError` if
/// SQLite's `json_each` reads the array, and `DatabaseError` if the library's function reads it. If
/// `Element` is a type of your own that has no raw value, the query throws `QueryError` when it is
/// rendered.
public func jsonEach<Element: ColumnValue>(
  _ json: SQLExpression<JSON<[Element]>>
) -> TableFunctionCall<JSONElement<Element>> {
  jsonElements(json.node, Element.self)
}

/// Returns a table with a row for each element of a JSON array. If the JSON is NULL, there are no
/// rows.
public func jsonEach<Element: ColumnValue>(
  _ json: SQLExpression<JSON<[Element]>?>
) -> TableFunctionCall<JSONElement<Element>> {
  jsonElements(json.node, Element.self)
}

/// Returns a table with a row for each element of a JSON array whose elements are objects or
/// arrays. So the `value` of each row is itself JSON.
@_disfavoredOverload
public func jsonEach<Element>(
  _ json: SQLExpression<JSON<[Element]>>
) -> TableFunctionCall<JSONElement<JSON<Element>>> {
  jsonTable("json_each", json.node)
}

/// Returns a table with a row for each element of a JSON array of objects or arrays. If the JSON is
/// NULL, there are no rows.
@_disfavoredOverload
public func jsonEach<Element>(
  _ json: SQLExpression<JSON<[Element]>?>
) -> TableFunctionCall<JSONElement<JSON<Element>>> {
  jsonTable("json_each", json.node)
}

/// Returns a table with a row for each member of a JSON object: its name and its value.
/// SQL: `"apus_json_each"(a, 'Double')`
///
/// Integers, Double and Bool in an object are also decoded by a function of the library, although
/// SQLite's `json_each` decodes them in an array. If two members have the same name, the table has
/// a row for only one of them.
public func jsonEach<Value: ColumnValue>(
  _ json: SQLExpression<JSON<[String: Value]>>
) -> TableFunctionCall<JSONMember<Value>> {
  jsonElements(json.node, Value.self, areMembers: true)
}

/// Returns a table with a row for each member of a JSON object. If the JSON is NULL, there are no
/// rows.
public func jsonEach<Value: ColumnValue>(
  _ json: SQLExpression<JSON<[String: Value]>?>
) -> TableFunctionCall<JSONMember<Value>> {
  jsonElements(json.node, Value.self, areMembers: true)
}

/// Returns a table with a row for each member of a JSON object. The values are objects or arrays,
/// so they are JSON themselves.
@_disfavoredOverload
public func jsonEach<Value>(
  _ json: SQLExpression<JSON<[String: Value]>>
) -> TableFunctionCall<JSONMember<JSON<Value>>> {
  jsonTable("json_each", json.node.withoutCutTexts)
}

/// Returns a table with a row for each member of a JSON object whose values are objects or arrays.
/// If the JSON is NULL, there are no rows.
@_disfavoredOverload
public func jsonEach<Value>(
  _ json: SQLExpression<JSON<[String: Value]>?>
) -> TableFunctionCall<JSONMember<JSON<Value>>> {
  jsonTable("json_each", json.node.withoutCutTexts)
}

/// Returns a table with a row for each element of the array, or for each member of the object, at a
/// path in JSON. A row type of your program says which columns to read.
///
/// ```swift
/// struct Seat: ResultRow {
///   @Column var key: Int          // any of the columns of json_each: key, value, type, atom,
///   @Column var value: Int        // id, parent, fullkey, path
/// }
/// jsonEach(tour.$place, at: "seats", as: Seat.self).as(seat)
/// // "json_each"(apus_json_nodes("Tour"."place"), ?)          the path is `$."seats"`
/// ```
/// A value is read as it is written in the JSON. If the property `value` has a type that JSON and
/// columns store differently, such as Date, the query throws `QueryError`. Before version 3.45,
/// SQLite cuts texts at U+0000 here, so JSON that contains U+0000 throws `DatabaseError`. A key
/// that cannot be written in a JSON path throws `QueryError` when the query is rendered.
public func jsonEach<JSONValue: JSONColumnValue, Row: ResultRow>(
  _ json: SQLExpression<JSONValue>, at steps: JSONStep..., as row: Row.Type
) -> TableFunctionCall<Row> {
  jsonTable("json_each", json.node, at: steps, as: row)
}

/// Returns a table with a row for each value inside JSON at any depth, beginning with the JSON
/// itself or with the value at a path in it.
///
/// ```swift
/// Query { (tour: Columns<Tour>, node: Columns<JSONNode>) in
///   From(tour)
///   Join(jsonTree(tour.$place).as(node))
///   Where { node.$type == "text" }
///   Select(node.$fullKey, node.$atom)
/// }
/// // SELECT "json_tree"."fullkey", "json_tree"."atom"
/// //   FROM "Tour" JOIN "json_tree"(apus_json_nodes("Tour"."place")) WHERE "json_tree"."type" = ?
/// ```
/// A key that cannot be written in a JSON path throws `QueryError` when the query is rendered.
public func jsonTree<JSONValue: JSONColumnValue>(
  _ json: SQLExpression<JSONValue>, at steps: JSONStep...
) -> TableFunctionCall<JSONNode> {
  jsonTable("json_tree", json.node, at: steps, as: JSONNode.self)
}

/// Returns a table with a row for each value inside JSON at any depth. A row type of your program
/// says which columns to read. SQL: `"json_tree"(apus_json_nodes(a), ?)`
public func jsonTree<JSONValue: JSONColumnValue, Row: ResultRow>(
  _ json: SQLExpression<JSONValue>, at steps: JSONStep..., as row: Row.Type
) -> TableFunctionCall<Row> {
  jsonTable("json_tree", json.node, at: steps, as: row)
}

/// Returns the call that reads the elements of an array, or the members of an object, as values of
/// a type. If the members of an object are numbers or Bool, the call uses the library's function
/// `apus_json_each`, because SQLite's own function would cut the name of a member at U+0000.
private func jsonElements<Row: ResultRow>(
  _ json: ExpressionNode, _ type: any ColumnValue.Type, areMembers: Bool = false
) -> TableFunctionCall<Row> {
  switch JSONReading(type) {
  case .json where areMembers: jsonTable("json_each", json.withoutCutTexts)
  case .direct where !areMembers, .json: jsonTable("json_each", json)
  case .direct(let name), .converted(let name):
    TableFunctionCall(name: "apus_json_each", arguments: [json, .constant("'\(name)'")])
  case .unknown(let error): jsonTable("json_each", .invalid(error))
  }
}

/// Returns the call of SQLite's `json_each` or `json_tree` at a path in JSON. The row type says
/// which columns to read.
private func jsonTable<Row: ResultRow>(
  _ name: String, _ json: ExpressionNode, at steps: [JSONStep], as row: Row.Type
) -> TableFunctionCall<Row> {
  if let error = row.misreadJSONValue { return jsonTable(name, .invalid(error)) }
  let json = json.json(for: steps).withoutCutTexts
  guard !steps.isEmpty else { return jsonTable(name, json) }
  return TableFunctionCall(name: name, arguments: [json, JSONStep.pathNode(steps)])
}

private func jsonTable<Row: ResultRow>(
  _ name: String, _ json: ExpressionNode
) -> TableFunctionCall<Row> {
  TableFunctionCall(name: name, arguments: [json])
}

extension ExpressionNode {
  /// The JSON as an argument of one of SQLite's own table functions. If an old version of SQLite
  /// would cut a text in the JSON, the argument throws an error when the query runs.
  fileprivate var withoutCutTexts: ExpressionNode { .function("apus_json_nodes", [self]) }
}

extension ResultRow {
  /// The error for a row type whose property `value` or `atom` has a type, such as Date, that JSON
  /// and a column store differently. SQLite's own table functions would return the form inside
  /// JSON, which the property would misread. Nil if the row type has no such property.
  fileprivate static var misreadJSONValue: QueryError? {
    guard let columns = try? layout.columns else { return nil }
    for column in columns where ["value", "atom"].contains(column.name.lowercased()) {
      guard case .converted(let type) = JSONReading(column.type), type != "String", type != "URL"
      else { continue }
      return QueryError(
        "\(Self.self).\(column.property): a \(type) has another form inside JSON than in a column; "
          + "use jsonEach of an array of \(type), or read the value as a text or a number")
    }
    return nil
  }
}
