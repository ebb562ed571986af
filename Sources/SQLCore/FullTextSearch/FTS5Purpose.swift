import CSQLite

/// The purpose for which a text is tokenized.
///
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_tokenizers>
public struct FTS5Purpose: OptionSet, Sendable {
  /// The bits, which are SQLite's own.
  public let rawValue: Int32

  /// Makes a purpose from SQLite's bits.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The text is a query.
  public static let query = FTS5Purpose(rawValue: FTS5_TOKENIZE_QUERY)
  /// Together with `.query`: the last token of the text is the beginning of a word.
  public static let prefix = FTS5Purpose(rawValue: FTS5_TOKENIZE_PREFIX)
  /// The text is a document that is added, deleted or checked.
  public static let document = FTS5Purpose(rawValue: FTS5_TOKENIZE_DOCUMENT)
  /// The text is tokenized for an auxiliary function such as `highlight`.
  public static let function = FTS5Purpose(rawValue: FTS5_TOKENIZE_AUX)
}
