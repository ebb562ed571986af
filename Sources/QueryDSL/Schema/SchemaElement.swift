import SQLCore

/// One line of a model's schema.
public struct SchemaElement<M: ResultRow> {
  enum Kind {
    case index(IndexLine<M>)
    case foreignKey(ForeignKeyLine<M>)
    case check(name: String?, () -> PredicateLines)
    /// The value is encoded on demand, when the form of the column is known.
    case `default`(PartialKeyPath<M>, (StoredForm) -> BoundValue)
    case defaultSQL(PartialKeyPath<M>, SQL)
    case stored(PartialKeyPath<M>, StoredForm)
    case named(PartialKeyPath<M>, String)
    case collated(PartialKeyPath<M>, Collation)
    case generated(PartialKeyPath<M>, GeneratedStorage, () -> ExpressionNode)
    case rowID(isLeftOut: Bool)
    case renamed(PartialKeyPath<M>, from: String)
    case renamedTable(from: String)
    case dropped(Removal)
    case droppedAttribute(PartialKeyPath<M>, Removal.Attribute)
    case converted(PartialKeyPath<M>, (StoredForm) -> DeclaredConversion)
  }

  let kind: Kind
}

/// A rule by which SQLite compares and orders text.
///
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#collation>
public struct Collation: Hashable, Sendable {
  /// The name of the collation in SQL.
  public let name: String

  /// Names a collation. Register one of your own in `Configuration.prepareConnection`.
  public init(_ name: String) {
    self.name = name
  }

  /// Compares bytes: SQLite's default.
  public static let binary = Collation("BINARY")
  /// Ignores the case of ASCII letters.
  public static let noCase = Collation("NOCASE")
  /// Compares bytes, ignoring spaces at the end.
  public static let trimmed = Collation("RTRIM")
  /// Compares the decimal numbers in the texts. Queries compare Decimal columns in this way, and
  /// can use an index with this collation: `Index { $0.$price.collated(.decimal) }`. A program that
  /// does not have the collation cannot write a table with such an index.
  public static let decimal = Collation("decimal")
}

/// The way in which SQLite stores a generated column.
///
/// - SeeAlso: <https://www.sqlite.org/gencol.html>
public enum GeneratedStorage: String, Sendable {
  /// The value is calculated when it is read.
  case virtual = "VIRTUAL"
  /// The value is calculated when the row is written, and takes space in the file.
  case stored = "STORED"
}
