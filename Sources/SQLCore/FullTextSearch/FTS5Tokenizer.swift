import CSQLite

/// A tokenizer, which splits a text into tokens. An FTS5 table indexes these tokens, and queries
/// search for them.
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
/// The same text must always give the same tokens, both in a document and in a query. Each table on
/// each connection has its own instance.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_tokenizers>
public protocol FTS5Tokenizer: AnyObject {
  /// Appends the tokens of a UTF-8 text in their order. If this method throws, the statement fails.
  /// If the statement writes, its transaction is rolled back, because FTS5 has already written a
  /// part of the row.
  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens) throws
}

/// An error that ends the splitting of a text into tokens. It is thrown if FTS5 wants no more
/// tokens, or if a function of FTS5 has failed.
struct FTS5Stop: Error {
  let code: Int32
}

extension Registrar {
  /// Registers an FTS5 tokenizer. `make` is called for each table with this tokenizer on each
  /// connection that uses the table, and once more each time SQLite reads the schema again.
  ///
  /// FTS5 cannot remove a tokenizer. A tokenizer of the same name replaces the earlier tokenizer
  /// for tables that are opened later. Throws `DatabaseError` if SQLite was built without FTS5.
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
  /// The last token of the text is the beginning of a word, as in a search for `data*`. FTS5 always
  /// sets this option together with `.query`.
  public static let prefix = FTS5Purpose(rawValue: FTS5_TOKENIZE_PREFIX)
  /// The text is in a row that is added to the index, deleted from it, or checked.
  public static let document = FTS5Purpose(rawValue: FTS5_TOKENIZE_DOCUMENT)
  /// The text is tokenized for an auxiliary function such as `highlight`.
  public static let function = FTS5Purpose(rawValue: FTS5_TOKENIZE_AUX)
}

/// The data with which a tokenizer is made. It has the arguments of the tokenizer, which are `one`
/// and `two` in `tokenize = 'name one two'`. It also gives access to the tokenizers that are
/// already registered.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_tokenizers>
public struct FTS5TokenizerContext {
  /// The words after the tokenizer's name.
  public let arguments: [String]
  let core: ConnectionCore

  /// Returns another tokenizer, which the new tokenizer can wrap: `unicode61`, `ascii`, `porter`,
  /// `trigram`, or a tokenizer of your own.
  ///
  /// Throws `DatabaseError` if no tokenizer has that name, or if the tokenizer refuses the
  /// arguments.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#tokenizers>
  public func tokenizer(
    _ name: String, _ arguments: [String] = []
  ) throws -> any FTS5Tokenizer {
    try ForeignTokenizer(name, arguments, on: core)
  }
}

/// The receiver to which a tokenizer passes its tokens. It is valid only while `tokenize` runs.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_tokenizers>
public struct FTS5Tokens: ~Copyable {
  typealias Receiver =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32
    ) -> Int32

  enum Target {
    case sqlite(Receiver, UnsafeMutableRawPointer?)
    case swift((String, Range<Int>, Bool) throws -> Void)
  }

  let target: Target

  init(_ target: Target) {
    self.target = target
  }

  init(_ receiver: Receiver, _ context: UnsafeMutableRawPointer?) {
    target = .sqlite(receiver, context)
  }

  /// Makes a receiver that passes each token to a closure. If your tokenizer wraps another
  /// tokenizer, it can examine that tokenizer's tokens in this closure before it appends them.
  public init(
    _ body: @escaping (_ token: String, _ range: Range<Int>, _ isColocated: Bool) throws -> Void
  ) {
    target = .swift(body)
  }

  /// Appends a token.
  ///
  /// - Parameters:
  ///   - range: the position of the token in the text, in bytes of UTF-8.
  ///   - isColocated: whether the token is a synonym of the previous token, at the same position.
  public func append(_ token: String, at range: Range<Int>, isColocated: Bool = false) throws {
    switch target {
    case .swift(let body): try body(token, range, isColocated)
    case .sqlite(let receive, let context):
      var token = token
      let code = token.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          receive(
            context, isColocated ? FTS5_TOKEN_COLOCATED : 0, bytes.baseAddress,
            Int32(clamping: bytes.count), Int32(clamping: range.lowerBound),
            Int32(clamping: range.upperBound))
        }
      }
      if code != SQLITE_OK { throw FTS5Stop(code: code) }
    }
  }
}
