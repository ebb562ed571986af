import SQLCore

/// The declarations of a model besides its columns.
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
