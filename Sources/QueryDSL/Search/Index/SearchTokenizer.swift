import SQLCore

/// The rule with which a full-text index splits text into words.
///
/// ```swift
/// FullText(\.$title, tokenizer: .porter())
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/fts5.html#tokenizers>
public struct SearchTokenizer: Hashable, Sendable {
  /// A tokenizer's treatment of accents and other marks on letters.
  public enum Diacritics: Int, Sendable {
    /// Keeps accents: `é` and `e` are different letters.
    case kept = 0
    /// Removes accents: `é` becomes `e`. The few letters with several accents keep them. This is
    /// SQLite's default.
    case removedFromSimpleCharacters = 1
    /// Removes accents: `é` becomes `e`. Letters with several accents lose all of them.
    case removed = 2
  }

  enum Kind: Hashable, Sendable { case unicode, porter, ascii, trigram, normalized, custom }

  let kind: Kind
  /// The name and the arguments of the tokenizer, in the order of `tokenize='…'`.
  let words: [String]
  /// The first version of SQLite that supports the options, in the form of `SQLITE_VERSION_NUMBER`.
  var requiredVersion = 0

  private init(_ kind: Kind, _ words: [String]) {
    self.kind = kind
    self.words = words
  }

  /// Returns a tokenizer whose words consist of Unicode letters and digits. It ignores their case.
  /// SQL: `tokenize='unicode61 remove_diacritics 2'`
  ///
  /// - Parameters:
  ///   - tokenCharacters: other characters that belong to words, such as `"-_"`.
  ///   - separators: letters or digits that do not belong to words.
  ///   - categories: the Unicode categories of the characters in words, such as `"L* N* Co"`. If
  ///     nil, SQLite uses its own list.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#unicode61_tokenizer>
  public static func unicode(
    diacritics: Diacritics = .removed, tokenCharacters: String = "", separators: String = "",
    categories: String? = nil
  ) -> SearchTokenizer {
    var words = ["unicode61", "remove_diacritics", "\(diacritics.rawValue)"]
    if let categories { words += ["categories", categories] }
    if !tokenCharacters.isEmpty { words += ["tokenchars", tokenCharacters] }
    if !separators.isEmpty { words += ["separators", separators] }
    return SearchTokenizer(.unicode, words)
  }

  /// Returns a tokenizer whose words consist of ASCII letters and digits, and of all characters
  /// outside ASCII. It ignores the case of ASCII letters. SQL: `tokenize='ascii'`
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#ascii_tokenizer>
  public static func ascii(
    tokenCharacters: String = "", separators: String = ""
  ) -> SearchTokenizer {
    var words = ["ascii"]
    if !tokenCharacters.isEmpty { words += ["tokenchars", tokenCharacters] }
    if !separators.isEmpty { words += ["separators", separators] }
    return SearchTokenizer(.ascii, words)
  }

  /// Returns a tokenizer that cuts English endings off the words of another tokenizer, so that
  /// `search` finds `searching`. SQL: `tokenize='porter unicode61 …'`
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#porter_tokenizer>
  public static func porter(_ words: SearchTokenizer = .unicode()) -> SearchTokenizer {
    var tokenizer = SearchTokenizer(.porter, ["porter"] + words.words)
    tokenizer.requiredVersion = words.requiredVersion
    return tokenizer
  }

  /// Returns a tokenizer that indexes every three consecutive characters. So a search finds parts
  /// of words, also with `LIKE` and `GLOB`. A word of a pattern is ignored if it has fewer than
  /// three characters. If a pattern has only such short words, it finds nothing. SQL:
  /// `tokenize='trigram'`
  ///
  /// SQLite before 3.45 cannot remove diacritics with this tokenizer; opening the database then
  /// throws `ModelError`.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_trigram_tokenizer>
  public static func trigram(
    caseSensitive: Bool = false, removingDiacritics: Bool = false
  ) -> SearchTokenizer {
    var words = ["trigram"]
    if caseSensitive { words += ["case_sensitive", "1"] }
    if removingDiacritics { words += ["remove_diacritics", "1"] }
    var tokenizer = SearchTokenizer(.trigram, words)
    tokenizer.requiredVersion = removingDiacritics ? 3_045_000 : 0
    return tokenizer
  }

  /// Returns a tokenizer that normalizes the text to NFC, and then splits it with another
  /// tokenizer. An `é` that is one character then equals an `e` with a combining accent, both in
  /// rows and in patterns. The stored text stays unchanged. SQL:
  /// `tokenize='apus_nfc unicode61 remove_diacritics 0'`
  ///
  /// ```swift
  /// FullText(\.$title, tokenizer: .normalized(.unicode(diacritics: .kept)))
  /// ```
  /// The default tokenizer, `.unicode()`, needs normalized text for Hangul, kana and other scripts
  /// whose letters it does not fold itself. For letters with accents, it needs normalized text only
  /// if it keeps the accents.
  ///
  /// The normalizing tokenizer is written in Swift. A program without this tokenizer can neither
  /// search nor write the table; see `Registration.normalizingTokenizer`.
  public static func normalized(_ words: SearchTokenizer = .unicode()) -> SearchTokenizer {
    var tokenizer = SearchTokenizer(.normalized, ["apus_nfc"] + words.words)
    tokenizer.requiredVersion = words.requiredVersion
    return tokenizer
  }

  /// Whether the tokenizer, or a tokenizer inside it, is the library's normalizing tokenizer.
  var normalizes: Bool { words.contains("apus_nfc") }

  /// Returns a tokenizer that your program registers under this name, with its arguments. SQL:
  /// `tokenize='lines one two'`
  ///
  /// Register the tokenizer in `Configuration.prepareConnection`, because a migration needs it. A
  /// program without the tokenizer can neither search nor write the table.
  public static func custom(_ name: String, _ arguments: String...) -> SearchTokenizer {
    SearchTokenizer(.custom, [name] + arguments)
  }

  /// The tokenizer of a table that another program made.
  static let unknown = SearchTokenizer(.custom, [])

  /// The value of the option `tokenize`, without the quotation marks around it.
  var sql: String {
    words.map { word in
      let isPlain =
        !word.isEmpty
        && word.utf8.allSatisfy { byte in
          byte >= 0x80 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
        }
      return isPlain ? word : "\(DatabaseValue.text(word))"
    }.joined(separator: " ")
  }
}
