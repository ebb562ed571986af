import SQLCore

/// One line of a model's schema.
public struct SchemaElement<M: ResultRow> {
  enum Kind {
    case index(IndexLine<M>)
    case foreignKey(ForeignKeyLine<M>)
    case check(name: String?, () -> PredicateLines)
    /// The value is encoded when the column's form is known.
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

/// How SQLite compares and orders text.
///
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#collation>
public struct Collation: Hashable, Sendable {
  /// The name by which SQL knows it.
  public let name: String

  /// A collation by its name; one of your own is registered in `Configuration.prepareConnection`.
  public init(_ name: String) {
    self.name = name
  }

  /// By bytes: SQLite's default.
  public static let binary = Collation("BINARY")
  /// The letters of ASCII without case.
  public static let noCase = Collation("NOCASE")
  /// By bytes, without the spaces at the end.
  public static let trimmed = Collation("RTRIM")
  /// By the decimal numbers that the text holds. Queries compare Decimal columns so, and use an index
  /// that has it: `Index { $0.$price.collated(.decimal) }`. A tool without the collation cannot write
  /// such a table.
  public static let decimal = Collation("decimal")
}

/// Where the value of a generated column is.
///
/// - SeeAlso: <https://www.sqlite.org/gencol.html>
public enum GeneratedStorage: String, Sendable {
  /// It is calculated when it is read.
  case virtual = "VIRTUAL"
  /// It is calculated when the row is written, and takes its place in the file.
  case stored = "STORED"
}
