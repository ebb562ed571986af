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
    "\"" + name.doubling("\"") + "\""
  }

  /// The quoted name.
  public var description: String { quoted }
}

extension String {
  /// The text with a quotation mark doubled wherever it stands.
  ///
  /// SQLite sees bytes. To Swift a mark and an accent behind it are one character, which is no mark.
  func doubling(_ mark: Unicode.Scalar) -> String {
    guard unicodeScalars.contains(mark) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar == mark { text.unicodeScalars.append(mark) }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
