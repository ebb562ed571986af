import SQLCore

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
