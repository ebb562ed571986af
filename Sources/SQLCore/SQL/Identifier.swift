import CSQLite

/// The name of a table, column or index. It is quoted when it is written into SQL.
///
/// ```swift
/// let column: Identifier = "title"
/// let titles = try db.fetch(String.self, "SELECT \(column) FROM Post")
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/lang_keywords.html>
public struct Identifier: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, unquoted.
  public let name: String

  /// Makes an identifier from any text. If the text contains U+0000, preparing the SQL fails.
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
  /// The method compares Unicode scalars because SQLite compares bytes. In Swift, a quotation mark
  /// followed by a combining accent is a single character, which does not equal the mark.
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

// In names and keywords, SQLite ignores only the case of the letters A to Z. The following
// functions compare names in the same way. All comparisons of names use them.

extension UInt8 {
  /// The byte in lower case, if it is a capital letter of ASCII; otherwise the byte itself.
  @inlinable package var lowercasedASCII: UInt8 { (65...90).contains(self) ? self | 0x20 : self }
}

extension String {
  /// The text with its ASCII letters in lower case. Sets and dictionaries of names use this form as
  /// their key.
  package var lowercasedASCII: String {
    guard utf8.contains(where: { (65...90).contains($0) }) else { return self }
    return String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self)
  }

  /// Returns whether SQLite considers two names the same. SQLite compares bytes, so an é that is
  /// one Unicode scalar differs from an é that is two scalars. Allocates no memory.
  package func isSame(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
  }

  /// Returns whether the text begins with a prefix. The comparison ignores the case of the letters
  /// A to Z, as SQLite does in names.
  package func hasFoldedPrefix(_ prefix: String) -> Bool {
    utf8.count >= prefix.utf8.count
      && zip(utf8, prefix.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
  }
}

extension UnsafePointer<CChar> {
  /// Returns whether SQLite considers this C string and `name` the same name. Makes no `String`.
  func isSame(as name: StaticString) -> Bool {
    name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
      sqlite3_stricmp(self, $0) == 0
    }
  }
}

/// The name of a table that stores plain structs or classes.
///
/// ```swift
/// extension TableName { static let profiles: TableName = "profiles" }
///
/// try db.write(Profile(id: 1, name: "Jane"), to: .profiles)
/// let profile: Profile? = try db.find(id: 1, from: .profiles)
/// let names = try db.rows("SELECT name FROM \(.profiles)")    // SELECT name FROM "profiles"
/// ```
///
/// The type of the rows comes from the context, not from the name. Several types may share the
/// table, each with its own columns.
/// - SeeAlso: <https://www.sqlite.org/lang_keywords.html>
public struct TableName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name without quotation marks. They are added where the name is written into SQL.
  public let name: String

  /// Makes the name of a table.
  public init(_ name: String) {
    self.name = name
  }

  /// Makes the name of a table from a literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The name.
  public var description: String { name }
}
