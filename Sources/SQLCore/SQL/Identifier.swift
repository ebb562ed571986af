/// The name of a table, column or index, quoted wherever it stands in SQL.
///
/// - SeeAlso: <https://www.sqlite.org/lang_keywords.html>
public struct Identifier: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, not quoted.
  public let name: String

  /// A name; any text but U+0000 is one, and SQL that holds U+0000 is refused when it is prepared.
  public init(_ name: String) {
    self.name = name
  }

  /// A name from a literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The name in double quotes, with those inside it doubled.
  public var quoted: String {
    name.utf8.contains(UInt8(ascii: "\""))
      ? "\"" + name.replacing("\"", with: "\"\"") + "\""
      : "\"" + name + "\""
  }

  /// The quoted name.
  public var description: String { quoted }
}
