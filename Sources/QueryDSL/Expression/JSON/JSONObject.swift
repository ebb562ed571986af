import SQLCore

// JSON objects and JSON arrays that a query makes of several expressions or of several rows.
// https://www.sqlite.org/json1.html

/// Makes a JSON object of several columns or named expressions. The object is read as a Codable
/// type.
///
/// ```swift
/// struct Summary: Codable { var title: String; var author: String; var isNew: Bool }
///
/// Query { (post: Columns<Post>, author: Columns<Author>) in
///   From(post)
///   Join(author, on: post.$authorID == author.$id)
///   Select(
///     jsonObject(
///       post.$title, author.$name.as("author"), isNew.as("isNew"), as: Summary.self))
/// }
/// // SELECT json_object('title', "Post"."title", 'author', "Author"."name", 'isNew', …)
/// //   FROM "Post" JOIN "Author" ON …
/// ```
/// The key of a column is the name of its property; `as` sets another key. `JSONDecoder` can read
/// each value as its type: `true` and `false`, exact numbers, and dates and data in the decoder's
/// default format. Rendering the query throws `QueryError` in these cases:
/// - A member has your own type, and the type has no raw value.
/// - A member is a group of columns, or a table that has such a group.
/// - An expression has no name.
/// - A name occurs twice, or contains U+0000.
/// - There are more than 63 members.
public func jsonObject<Result: Codable & Sendable, each Member: Selectable>(
  _ members: repeat each Member, as type: Result.Type
) -> SQLExpression<JSON<Result>> {
  var list: [JSONProperty] = []
  for member in repeat each members { list += member.jsonProperties }
  return SQLExpression(.jsonObject(list))
}

/// Makes a JSON array of several expressions of one type. SQL: `json_array(a, b)`
///
/// The elements are written like the values of `jsonObject`.
public func jsonArray<Element: ColumnValue & Codable>(
  _ elements: SQLExpression<Element>...
) -> SQLExpression<JSON<[Element]>> {
  SQLExpression(.function("json_array", elements.map(\.jsonNode)))
}

extension Columns where M: Codable {
  /// Makes a JSON object of all columns of the table, which is read as the model.
  /// SQL: `json_object('id', "id", 'title', "title", …)`
  ///
  /// The keys are the names of the properties. If the `CodingKeys` of the model rename properties,
  /// the model cannot be decoded.
  public func jsonObject() -> SQLExpression<JSON<M>> {
    SQLExpression(.jsonObject(jsonProperties))
  }
}

extension OptionalColumns where M: Codable {
  /// Makes a JSON array of the rows of this table that an outer join found, in an order that SQL
  /// does not define.
  /// SQL: `json_group_array(json_object(…)) FILTER (WHERE "Post"."id" IS NOT NULL)`
  ///
  /// ```swift
  /// Query { (author: Columns<Author>, post: OptionalColumns<Post>) in
  ///   From(author)
  ///   LeftJoin(post, on: post.$authorID == author.$id)
  ///   GroupBy(author.$id)
  ///   Select(author.$name, post.jsonGroupArray())               // (String, JSON<[Post]>)
  /// }
  /// ```
  /// An author without posts has an empty array. With `distinct`, rows with the same JSON become
  /// one element, for example rows that a second join repeats.
  public func jsonGroupArray(distinct: Bool = false) -> SQLExpression<JSON<[M]>> {
    columns.jsonObject().jsonGroupArray(distinct: distinct).filter(isFound)
  }
}

extension SQLExpression where Value: Codable {
  /// Makes a JSON array of the values of the rows, in an order that SQL does not define. NULL
  /// becomes `null`. If there are no rows, the array is empty. SQL: `json_group_array(a)`
  ///
  /// This function is an aggregate: `filter` and `over` may follow. The elements are written like
  /// the values of `jsonObject`. To define the order, use `jsonGroupArray` of a query. With
  /// `distinct`, equal values become one element: `json_group_array(DISTINCT a)`.
  @_disfavoredOverload
  public func jsonGroupArray(distinct: Bool = false) -> SQLExpression<JSON<[Value]>> {
    SQLExpression<JSON<[Value]>>(.aggregate("json_group_array", [jsonNode], distinct: distinct))
  }

  /// Makes a JSON array with the JSON of each row as an element, in an order that SQL does not
  /// define.
  /// SQL: `json_group_array(json(a))`
  ///
  /// With `distinct`, elements with the same JSON text become one element:
  /// `json_group_array(DISTINCT json(a))`.
  public func jsonGroupArray<Element>(
    distinct: Bool = false
  ) -> SQLExpression<JSON<[Element]>>
  where Value == JSON<Element> {
    SQLExpression<JSON<[Element]>>(.aggregate("json_group_array", [jsonNode], distinct: distinct))
  }
}

extension SQLExpression where Value == String {
  /// Makes a JSON object with a member for each row. This expression is the key of the member, and
  /// `value` is its value. If several rows have the same key, the decoder keeps one of their
  /// values. A row whose key is NULL is left out. SQL: `apus_json_group_object(a, json_quote(b))`
  ///
  /// ```swift
  /// Setting.select { $0.$name.jsonGroupObject($0.$value) }       // JSON<[String: String]>
  /// ```
  /// This function is an aggregate: `filter` and `over` may follow. The values are written like the
  /// values of `jsonObject`. Apus has its own SQL function, because SQLite's function cuts a key at
  /// U+0000.
  public func jsonGroupObject<Element: ColumnValue & Codable>(
    _ value: SQLExpression<Element>
  ) -> SQLExpression<JSON<[String: Element]>> {
    SQLExpression<JSON<[String: Element]>>(
      .aggregate("apus_json_group_object", [node, .function("json_quote", [value.jsonNode])]))
  }
}

extension Fetchable where Row: ResultRow & Codable {
  /// Makes a JSON array of all rows of the query, in the query's order, as one expression. Use it
  /// to fetch, for example, each author with all posts in one column. The array is empty if the
  /// query has no rows.
  ///
  /// ```swift
  /// Author.select { author in
  ///   let posts = Post.where { $0.$authorID == author.$id }.order(by: \.$title).limit(3)
  ///   return (author, posts.jsonGroupArray())                  // (Author, JSON<[Post]>)
  /// }
  /// // SELECT …, (SELECT json_group_array(json_object('id', CAST("Post"."id" AS TEXT), …)) FROM
  /// //   (SELECT … FROM "Post" AS "Post_2" WHERE … ORDER BY "Post_2"."title" LIMIT ?) AS "Post")
  /// //   FROM "Author"
  /// ```
  /// The keys of the objects are the names of the properties. If the `CodingKeys` of the row type
  /// rename properties, the rows cannot be decoded. A model that is decoded from JSON counts as
  /// new, not as a loaded row. To change such rows, fetch them by their keys, or use `including`.
  ///
  /// SQLite runs the subquery once for each row of the outer query, so the subquery should find its
  /// rows by an index. A row type with more than 63 columns throws `QueryError` when the query is
  /// rendered.
  public func jsonGroupArray() -> SQLExpression<JSON<[Row]>> {
    let rows = Query { (row: Columns<Row>) in
      From(self.as(row))
      Select(row.jsonObject().jsonGroupArray())
    }
    return SQLExpression<JSON<[Row]>>(.subquery(rows.statement))
  }
}

extension Fetchable where Row: ColumnValue & Codable {
  /// Makes a JSON array of the values that the query selects, in the query's order, as one
  /// expression.
  ///
  /// ```swift
  /// Author.select { author in
  ///   let posts = Post.where { $0.$authorID == author.$id }.order(by: \.$title)
  ///   return (author, posts.select(\.$title).jsonGroupArray())   // (Author, JSON<[String]>)
  /// }
  /// // SELECT …, (SELECT json_group_array("value" || '') FROM
  /// //   (SELECT "Post"."title" AS "value" FROM "Post" WHERE … ORDER BY "Post"."title"))
  /// //   FROM "Author"
  /// ```
  /// A query that does not select exactly one column throws `QueryError` when the outer query is
  /// rendered.
  @_disfavoredOverload
  public func jsonGroupArray() -> SQLExpression<JSON<[Row]>> {
    SQLExpression<JSON<[Row]>>(query.jsonGroupArrayNode)
  }

  /// Makes a JSON array of the objects that the query selects, in the query's order, as one
  /// expression.
  /// SQL: `(SELECT json_group_array(json("value")) FROM (SELECT …))`
  public func jsonGroupArray<Element>() -> SQLExpression<JSON<[Element]>>
  where Row == JSON<Element> {
    SQLExpression<JSON<[Element]>>(query.jsonGroupArrayNode)
  }
}

extension Query {
  /// The JSON array of the values of the query's only column, as an expression. If the query does
  /// not select exactly one column, rendering the expression throws `QueryError`.
  /// SQL: `(SELECT json_group_array("value") FROM (SELECT …))`
  fileprivate var jsonGroupArrayNode: ExpressionNode {
    guard let column = singleColumn else { return .invalid(notOneColumn) }
    let value = ExpressionNode.resultColumn("value").asJSON(of: column.type, column.form)
    return .composed([
      .sql("(SELECT "), .expression(.function("json_group_array", [value])), .sql(" FROM "),
      .expression(.subquery(statement.naming(["value"]))), .sql(")"),
    ])
  }
}

extension Columns where M: Codable {
  /// Makes a JSON array of the table's rows in a group, in an order that SQL does not define. For
  /// example, use this function to fetch each author together with one more column that has all
  /// posts of the author.
  /// SQL: `json_group_array(json_object('id', "id", …))`
  ///
  /// ```swift
  /// Query { (author: Columns<Author>, post: OptionalColumns<Post>) in
  ///   From(author)
  ///   LeftJoin(post, on: post.$authorID == author.$id)
  ///   GroupBy(author.$id)
  ///   Select(author, post.jsonGroupArray())                      // (Author, JSON<[Post]>)
  /// }
  /// // SELECT …, json_group_array(json_object('id', CAST("Post"."id" AS TEXT), …))
  /// //   FILTER (WHERE "Post"."id" IS NOT NULL) FROM "Author" LEFT JOIN "Post" ON …
  /// //   GROUP BY "Author"."id"
  /// ```
  /// This function is an aggregate: `filter` and `over` may follow. To define the order or to limit
  /// the children, use `jsonGroupArray` of a query.
  public func jsonGroupArray() -> SQLExpression<JSON<[M]>> { jsonObject().jsonGroupArray() }
}

extension OptionalColumns where M: Codable {
  /// Makes a JSON array of the table's rows in a group, in an order that SQL does not define. The
  /// array of a group is empty if the outer join found no row of the table for this group.
  /// SQL: `json_group_array(json_object('id', "id", …)) FILTER (WHERE "id" IS NOT NULL)`
  ///
  /// A call of `filter` on the result adds a second condition to this FILTER clause.
  public func jsonGroupArray() -> SQLExpression<JSON<[M]>> {
    columns.jsonGroupArray().filter(isFound)
  }
}
