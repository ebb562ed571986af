import SQLCore

/// Collects the lines of a `schema`.
@resultBuilder
public enum SchemaBuilder<M: ResultRow> {
  /// Takes one line.
  public static func buildExpression(_ element: SchemaElement<M>) -> [SchemaElement<M>] {
    [element]
  }

  /// Collects all lines.
  public static func buildBlock(_ elements: [SchemaElement<M>]...) -> [SchemaElement<M>] {
    elements.flatMap { $0 }
  }

  /// Takes the lines of an `if` without `else`.
  public static func buildOptional(_ elements: [SchemaElement<M>]?) -> [SchemaElement<M>] {
    elements ?? []
  }

  /// Takes the lines of an `if` that has an `else`.
  public static func buildEither(first: [SchemaElement<M>]) -> [SchemaElement<M>] { first }

  /// Takes the lines of an `else`.
  public static func buildEither(second: [SchemaElement<M>]) -> [SchemaElement<M>] { second }

  /// Collects the lines of a `for`.
  public static func buildArray(_ elements: [[SchemaElement<M>]]) -> [SchemaElement<M>] {
    elements.flatMap { $0 }
  }

  /// Makes the schema of all lines.
  public static func buildFinalResult(_ elements: [SchemaElement<M>]) -> Schema<M> {
    Schema(elements: elements)
  }
}
