/// A struct whose column properties are a row of a query's result: of a part of a model, of a
/// query in FROM, of a common table.
///
/// ```swift
/// struct Total: ResultRow {
///   @Column var name: String
///   @Column var views: Int
/// }
///
/// Query { (post: Columns<Post>, author: Columns<Author>) in
///   From(post)
///   Join(author, on: post.$authorID == author.$id)
///   GroupBy(author.$id)
///   Select(author.$name, post.$views.sum().ifNull(0).as("views"), into: Total.self)
/// }
/// ```
///
/// It is read as a model is, by the names and types of its properties, and has neither a table nor
/// a key. Every model is one. It is printed with the names and values of its properties:
/// `Total(name: "Jane", views: 3)`.
public protocol ResultRow: Sendable, CustomReflectable {
  /// What the columns cannot say themselves. Default: nothing.
  ///
  /// Of a model: indexes, foreign keys, defaults, stored forms. Of a row without a table it has
  /// stored forms alone, as the columns are stored that are selected into it:
  ///
  /// ```swift
  /// struct Visit: ResultRow {
  ///   @Column var name: String
  ///   @Column var day: Date
  ///
  ///   static var schema: Schema<Visit> { Stored(\.$day, as: .iso8601) }
  /// }
  /// ```
  @SchemaBuilder<Self> static var schema: Schema<Self> { get }
}

extension ResultRow {
  /// Nothing.
  public static var schema: Schema<Self> { Schema(elements: []) }
}
