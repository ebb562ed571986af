import CSQLite

/// The circumstances in which a tokenizer is made: the arguments of `tokenize = 'name one two'`,
/// and access to the tokenizers that are registered already.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_tokenizers>
public struct FTS5TokenizerContext {
  /// The words after the name.
  public let arguments: [String]
  let core: ConnectionCore

  /// Returns another tokenizer, to be wrapped: `unicode61`, `ascii`, `porter`, `trigram`, or one of
  /// yours.
  ///
  /// Throws `DatabaseError` if no tokenizer has that name, or if it refuses the arguments.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#tokenizers>
  public func tokenizer(
    _ name: String, _ arguments: [String] = []
  ) throws -> any FTS5Tokenizer {
    try ForeignTokenizer(name, arguments, on: core)
  }
}
