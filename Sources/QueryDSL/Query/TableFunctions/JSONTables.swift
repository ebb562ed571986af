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
/// // SELECT "Post"."title", "json_each"."value" FROM "Post" JOIN "json_each"("Post"."tags")
/// ```
/// Elements are read as SQLite gives them: texts, numbers, and 1 and 0 for true and false. An
/// element that is null needs an optional type. A type that JSON writes in another form than a
/// column stores it (such as a Date) throws `ColumnValueError`; for it, use `jsonEach(_:as:)`.
public func jsonEach<Element: ColumnValue>(
  _ json: SQLExpression<JSON<[Element]>>
) -> TableFunctionCall<JSONElement<Element>> {
  jsonTable("json_each", json.node)
}

/// Returns a table with a row for each element of a JSON array; it has no rows for NULL.
public func jsonEach<Element: ColumnValue>(
  _ json: SQLExpression<JSON<[Element]>?>
) -> TableFunctionCall<JSONElement<Element>> {
  jsonTable("json_each", json.node)
}

/// Returns a table with a row for each element of a JSON array of objects or arrays, which are JSON
/// themselves.
@_disfavoredOverload
public func jsonEach<Element>(
  _ json: SQLExpression<JSON<[Element]>>
) -> TableFunctionCall<JSONElement<JSON<Element>>> {
  jsonTable("json_each", json.node)
}

/// Returns a table with a row for each element of a JSON array of objects or arrays; it has no rows
/// for NULL.
@_disfavoredOverload
public func jsonEach<Element>(
  _ json: SQLExpression<JSON<[Element]>?>
) -> TableFunctionCall<JSONElement<JSON<Element>>> {
  jsonTable("json_each", json.node)
}

/// Returns a table with a row for each member of a JSON object: its name and its value.
/// SQL: `"json_each"(a)`
///
/// The values are read as the elements of an array are.
public func jsonEach<Value: ColumnValue>(
  _ json: SQLExpression<JSON<[String: Value]>>
) -> TableFunctionCall<JSONMember<Value>> {
  jsonTable("json_each", json.node)
}

/// Returns a table with a row for each member of a JSON object; it has no rows for NULL.
public func jsonEach<Value: ColumnValue>(
  _ json: SQLExpression<JSON<[String: Value]>?>
) -> TableFunctionCall<JSONMember<Value>> {
  jsonTable("json_each", json.node)
}

/// Returns a table with a row for each member of a JSON object whose values are objects or arrays,
/// which are JSON themselves.
@_disfavoredOverload
public func jsonEach<Value>(
  _ json: SQLExpression<JSON<[String: Value]>>
) -> TableFunctionCall<JSONMember<JSON<Value>>> {
  jsonTable("json_each", json.node)
}

/// Returns a table with a row for each member of a JSON object whose values are objects or arrays;
/// it has no rows for NULL.
@_disfavoredOverload
public func jsonEach<Value>(
  _ json: SQLExpression<JSON<[String: Value]>?>
) -> TableFunctionCall<JSONMember<JSON<Value>>> {
  jsonTable("json_each", json.node)
}

/// Returns a table with a row for each element or member at a place inside JSON, with the columns
/// of a row type of the program.
///
/// ```swift
/// struct Seat: ResultRow {
///   @Column var key: Int          // any of the columns of json_each: key, value, type, atom,
///   @Column var value: Int        // id, parent, fullkey, path
/// }
/// jsonEach(tour.$place, at: "seats", as: Seat.self).as(seat)
/// // "json_each"("Tour"."place", ?)                   the path is `$."seats"`
/// ```
/// A key that the path cannot express throws `QueryError` when the query is rendered.
public func jsonEach<JSONValue: JSONColumnValue, Row: ResultRow>(
  _ json: SQLExpression<JSONValue>, at steps: JSONStep..., as row: Row.Type
) -> TableFunctionCall<Row> {
  jsonTable("json_each", json.node, steps)
}

/// Returns a table with a row for each value inside JSON at any depth, beginning with the JSON
/// itself or the value at a place inside it.
///
/// ```swift
/// Query { (tour: Columns<Tour>, node: Columns<JSONNode>) in
///   From(tour)
///   Join(jsonTree(tour.$place).as(node))
///   Where { node.$type == "text" }
///   Select(node.$fullKey, node.$atom)
/// }
/// // SELECT "json_tree"."fullkey", "json_tree"."atom"
/// //   FROM "Tour" JOIN "json_tree"("Tour"."place") WHERE "json_tree"."type" = ?
/// ```
/// A key that the path cannot express throws `QueryError` when the query is rendered.
public func jsonTree<JSONValue: JSONColumnValue>(
  _ json: SQLExpression<JSONValue>, at steps: JSONStep...
) -> TableFunctionCall<JSONNode> {
  jsonTable("json_tree", json.node, steps)
}

/// Returns a table with a row for each value inside JSON at any depth, with the columns of a row
/// type of the program. SQL: `"json_tree"(a, ?)`
public func jsonTree<JSONValue: JSONColumnValue, Row: ResultRow>(
  _ json: SQLExpression<JSONValue>, at steps: JSONStep..., as row: Row.Type
) -> TableFunctionCall<Row> {
  jsonTable("json_tree", json.node, steps)
}

private func jsonTable<Row: ResultRow>(
  _ name: String, _ json: ExpressionNode, _ steps: [JSONStep] = []
) -> TableFunctionCall<Row> {
  guard !steps.isEmpty else { return TableFunctionCall(name: name, arguments: [json]) }
  return TableFunctionCall(name: name, arguments: [json, JSONStep.pathNode(steps)])
}
