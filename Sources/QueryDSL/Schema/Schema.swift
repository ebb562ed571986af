import SQLCore

/// What a model declares besides its columns.
///
/// ```swift
/// static var schema: Schema<Post> {
///   ForeignKey(\.$authorID, references: \Author.$id, onDelete: .cascade)
///   Index(\.$status, \.$createdAt)
///   Unique(\.$url)
/// }
/// ```
public struct Schema<M: ResultRow> {
  let elements: [SchemaElement<M>]
}

/// Collects the lines of a `schema`.
@resultBuilder
public enum SchemaBuilder<M: ResultRow> {
  /// One line.
  public static func buildExpression(_ element: SchemaElement<M>) -> [SchemaElement<M>] {
    [element]
  }

  /// All lines.
  public static func buildBlock(_ elements: [SchemaElement<M>]...) -> [SchemaElement<M>] {
    elements.flatMap { $0 }
  }

  /// The lines of an `if`.
  public static func buildOptional(_ elements: [SchemaElement<M>]?) -> [SchemaElement<M>] {
    elements ?? []
  }

  /// The lines of an `if`, with an `else` behind it.
  public static func buildEither(first: [SchemaElement<M>]) -> [SchemaElement<M>] { first }

  /// The lines of an `else`.
  public static func buildEither(second: [SchemaElement<M>]) -> [SchemaElement<M>] { second }

  /// The lines of a `for`.
  public static func buildArray(_ elements: [[SchemaElement<M>]]) -> [SchemaElement<M>] {
    elements.flatMap { $0 }
  }

  /// The schema.
  public static func buildFinalResult(_ elements: [SchemaElement<M>]) -> Schema<M> {
    Schema(elements: elements)
  }
}
