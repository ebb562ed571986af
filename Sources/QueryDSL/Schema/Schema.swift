import SQLCore

/// The declarations of a model other than its columns, such as indexes and foreign keys.
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

/// One element of a model's schema, such as `Index(\.$title)`.
public struct SchemaElement<M: ResultRow> {
  enum Kind {
    case index(IndexLine<M>)
    case foreignKey(ForeignKeyLine<M>)
    case check(name: String?, () -> PredicateLines)
    /// The default of a column. The closure gets the column's stored form, and returns the value in
    /// this form.
    case `default`(PartialKeyPath<M>, (StoredForm) -> BoundValue)
    case defaultSQL(PartialKeyPath<M>, SQL)
    case stored(PartialKeyPath<M>, StoredForm)
    case named(PartialKeyPath<M>, String)
    case prefixed(PartialKeyPath<M>, String)
    case collated(PartialKeyPath<M>, Collation)
    case generated(PartialKeyPath<M>, GeneratedStorage, () -> ExpressionNode)
    case rowID(isLeftOut: Bool)
    case trigger(TriggerLine<M>)
    case fullText(FullTextLine<M>)
    case vectorIndex(VectorIndexLine<M>)
    /// Declares that the model's table is an FTS5 table that exists already.
    case existingFullText
    /// An object that another module adds to the schema, as `Logged()` does.
    case owned(OwnedObjectLine)
    case cached(CacheLimits)
    case cachedResults(CacheLimits)
    case renamed(PartialKeyPath<M>, from: String)
    case renamedTable(from: String)
    case dropped(Removal)
    case droppedAttribute(PartialKeyPath<M>, Removal.Attribute)
    case converted(PartialKeyPath<M>, (StoredForm) -> DeclaredConversion)
  }

  let kind: Kind
}

extension SchemaElement {
  /// Creates an element such as `Logged()`, by which another module adds an object to the schema.
  package init(keeping line: OwnedObjectLine) { self.init(kind: .owned(line)) }

  /// Creates an element such as `NotLogged()`, by which another module drops an object that it
  /// added before.
  package init(dropping removal: Removal) { self.init(kind: .dropped(removal)) }
}

/// Collects the elements of a `schema`.
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

  /// Takes the elements in an `if` without `else`.
  public static func buildOptional(_ elements: [SchemaElement<M>]?) -> [SchemaElement<M>] {
    elements ?? []
  }

  /// Takes the elements in an `if` that has an `else`.
  public static func buildEither(first: [SchemaElement<M>]) -> [SchemaElement<M>] { first }

  /// Takes the elements in an `else`.
  public static func buildEither(second: [SchemaElement<M>]) -> [SchemaElement<M>] { second }

  /// Collects the elements of all iterations of a `for`.
  public static func buildArray(_ elements: [[SchemaElement<M>]]) -> [SchemaElement<M>] {
    elements.flatMap { $0 }
  }

  /// Combines the elements of a schema's body into one schema.
  public static func buildFinalResult(_ elements: [SchemaElement<M>]) -> Schema<M> {
    Schema(elements: elements)
  }
}

/// The rule that derives the names of a model's columns from its property names.
///
/// ```swift
/// struct Meeting: Model {
///   @PrimaryKey var id = Unique64()
///   @Column var startsAt: Date       // the column "starts_at"
///
///   static let columnNaming = ColumnNaming.snakeCase
/// }
/// ```
public enum ColumnNaming: Sendable {
  /// The column has the name of the property.
  case asDeclared
  /// Words in lower case, separated by `_`: `authorID` becomes `author_id`, `createdAt` becomes
  /// `created_at`.
  case snakeCase
  /// A closure makes the names. It gets the name of a property, and returns the name of the column.
  case custom(@Sendable (String) -> String)

  func name(of property: String) -> String {
    switch self {
    case .asDeclared: property
    case .snakeCase: Self.snakeCase(property)
    case .custom(let name): name(property)
    }
  }

  private static func snakeCase(_ property: String) -> String {
    var words = ""
    let characters = Array(property)
    for (index, character) in characters.enumerated() {
      // A word begins at a capital letter that follows a small letter or digit, or that comes
      // before a small letter.
      if character.isUppercase, index > 0, characters[index - 1] != "_" {
        let follows = !characters[index - 1].isUppercase
        let precedes = index + 1 < characters.count && characters[index + 1].isLowercase
        if follows || precedes { words += "_" }
      }
      words += character.lowercased()
    }
    return words
  }
}
