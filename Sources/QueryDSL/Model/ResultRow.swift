/// A struct whose properties are the columns of a result: of some columns of a model, of a query in
/// FROM, or of a common table.
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
/// It is read like a model, by the names and types of its properties, but has no table and no key.
/// Every model is a `ResultRow`. It is printed with the names and values of its properties:
/// `Total(name: "Jane", views: 3)`.
public protocol ResultRow: _RawRowPart, CustomReflectable {
  /// The declarations that the properties cannot express. Default: none.
  ///
  /// A model declares indexes, foreign keys, defaults and stored forms here. A row without a table
  /// declares only stored forms, which must be those of the columns that are selected into it:
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
  /// An empty schema.
  public static var schema: Schema<Self> { Schema(elements: []) }
}
