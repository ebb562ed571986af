import SQLCore

extension Columns where M: Codable {
  /// Makes a JSON array of the table's rows in a group, in an order that SQL does not define: whole
  /// children in one column. SQL: `json_group_array(json_object('id', "id", …))`
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
  /// It is an aggregate: `filter` and `over` may follow. To define the order or to limit the
  /// children, use `jsonGroupArray` of a query.
  public func jsonGroupArray() -> SQLExpression<JSON<[M]>> { jsonObject().jsonGroupArray() }
}

extension OptionalColumns where M: Codable {
  /// Makes a JSON array of the table's rows in a group, in an order that SQL does not define. It is
  /// empty if the join found no row.
  /// SQL: `json_group_array(json_object('id', "id", …)) FILTER (WHERE "id" IS NOT NULL)`
  ///
  /// A `filter` that follows is a condition in addition.
  public func jsonGroupArray() -> SQLExpression<JSON<[M]>> {
    columns.jsonGroupArray().filter(isFound)
  }
}
