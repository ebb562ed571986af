import SQLCore

extension Fetchable where Row: ResultRow & Codable {
  /// Makes a JSON array of all rows of the query, in its order, as one expression: the children of
  /// a row in one column. The array is empty if the query has no rows.
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
  /// The objects have the names of the properties as their keys. A row type whose `CodingKeys`
  /// rename properties does not decode. A model that is decoded from JSON counts as new: to change
  /// such rows, fetch them by their keys, or use `including`.
  ///
  /// SQLite runs the subquery once for each row of the outer query, so it should find its rows by
  /// an index. A row type of more than 63 columns throws `QueryError` when the query is rendered.
  public func jsonGroupArray() -> SQLExpression<JSON<[Row]>> {
    let rows = Query { (row: Columns<Row>) in
      From(self.as(row))
      Select(row.jsonObject().jsonGroupArray())
    }
    return SQLExpression<JSON<[Row]>>(.subquery(rows.statement))
  }
}

extension Fetchable where Row: ColumnValue & Codable {
  /// Makes a JSON array of the values that the query selects, in its order, as one expression.
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

  /// Makes a JSON array of the objects that the query selects, in its order, as one expression.
  /// SQL: `(SELECT json_group_array(json("value")) FROM (SELECT …))`
  public func jsonGroupArray<Element>() -> SQLExpression<JSON<[Element]>>
  where Row == JSON<Element> {
    SQLExpression<JSON<[Element]>>(query.jsonGroupArrayNode)
  }
}

extension Query {
  /// `(SELECT json_group_array("value") FROM (SELECT …))`
  fileprivate var jsonGroupArrayNode: ExpressionNode {
    guard let column = singleColumn else { return .invalid(notOneColumn) }
    let value = ExpressionNode.resultColumn("value").asJSON(of: column.type, column.form)
    return .composed([
      .sql("(SELECT "), .expression(.function("json_group_array", [value])), .sql(" FROM "),
      .expression(.subquery(statement.naming("value"))), .sql(")"),
    ])
  }
}
