import CSQLite

/// A tokenizer, which splits text into the tokens that an FTS5 table indexes and its queries look
/// for.
///
/// ```swift
/// final class Lines: FTS5Tokenizer {
///   func tokenize(
///     _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
///   ) throws { … }
/// }
/// try db.tokenizer("lines") { _ in Lines() }
/// try db.execute("CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'lines')")
/// ```
///
/// The same text must always give the same tokens, in a document as in a query. Each table on each
/// connection has its own instance.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_tokenizers>
public protocol FTS5Tokenizer: AnyObject {
  /// Appends the tokens of a UTF-8 text in their order. An error that it throws fails the
  /// statement. If the statement writes, its transaction is rolled back, because FTS5 has already
  /// written a part of the row.
  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens) throws
}

/// An error that ends tokenizing because FTS5 wants no more tokens or has failed itself.
struct FTS5Stop: Error {
  let code: Int32
}

extension Registrar {
  /// Registers an FTS5 tokenizer. `make` is called once for each table on each connection.
  ///
  /// FTS5 cannot remove a tokenizer. A tokenizer of the same name replaces the earlier one for
  /// tables that are opened later. Throws `DatabaseError` if SQLite was built without FTS5.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#extending_fts5>
  public func tokenizer(
    _ name: String,
    _ make: @escaping @Sendable (FTS5TokenizerContext) throws -> any FTS5Tokenizer
  ) throws {
    try requireName(name, of: "tokenizer")
    try register(
      Registration(.init(kind: .tokenizer, name: name.lowercasedASCII)) { core in
        try TokenizerModule.register(name, on: core, make)
      })
  }
}
