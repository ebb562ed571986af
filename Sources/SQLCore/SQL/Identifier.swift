/// The name of a table, column or index, which is quoted when it is written into SQL.
///
/// - SeeAlso: <https://www.sqlite.org/lang_keywords.html>
public struct Identifier: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, unquoted.
  public let name: String

  /// Makes an identifier. Any text is valid except one that contains U+0000, which is refused when
  /// the SQL is prepared.
  public init(_ name: String) {
    self.name = name
  }

  /// Makes an identifier from a literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The name in double quotes, with any double quote inside it doubled.
  public var quoted: String {
    "\"" + name.doubling("\"") + "\""
  }

  /// The quoted name.
  public var description: String { quoted }
}

extension String {
  /// Returns the text with each occurrence of a quotation mark doubled.
  ///
  /// It compares Unicode scalars because SQLite compares bytes. In Swift, a quotation mark followed
  /// by a combining accent is a single character, which does not equal the mark.
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
