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
/// a key. Every model is one.
public protocol ResultRow: Sendable {}
