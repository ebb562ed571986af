import CSQLite

/// Cuts text into the tokens that an FTS5 table indexes and that its queries look for.
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
/// Text of a document and of a query must give the same tokens, always. Each table on each
/// connection has an instance of its own.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_tokenizers>
public protocol FTS5Tokenizer: AnyObject {
  /// Appends the tokens of a text, in UTF-8, from its beginning to its end; an error that it throws
  /// is the statement's error. Where the statement writes, its transaction is rolled back: FTS5
  /// has written a part of the row by then.
  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens) throws
}

/// What a text is tokenized for.
///
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_tokenizers>
public struct FTS5Purpose: OptionSet, Sendable {
  /// The bits, which are SQLite's own.
  public let rawValue: Int32

  /// A purpose from SQLite's bits.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// A query.
  public static let query = FTS5Purpose(rawValue: FTS5_TOKENIZE_QUERY)
  /// With `.query`: its last token is the beginning of a word.
  public static let prefix = FTS5Purpose(rawValue: FTS5_TOKENIZE_PREFIX)
  /// A document that is added, deleted or checked.
  public static let document = FTS5Purpose(rawValue: FTS5_TOKENIZE_DOCUMENT)
  /// A function such as `highlight` asks.
  public static let function = FTS5Purpose(rawValue: FTS5_TOKENIZE_AUX)
}

/// Where a tokenizer puts its tokens; lent while it runs.
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

  /// Tokens for a closure: how a tokenizer of yours looks at those of another one before it passes
  /// them on.
  public init(
    _ body: @escaping (_ token: String, _ range: Range<Int>, _ isColocated: Bool) throws -> Void
  ) {
    target = .swift(body)
  }

  /// Appends a token.
  ///
  /// - Parameters:
  ///   - range: where in the text it stands, in bytes of UTF-8.
  ///   - isColocated: whether it is another word for the token before, at the same place.
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

/// FTS5 wants no more tokens, or failed itself.
struct FTS5Stop: Error {
  let code: Int32
}

/// Where a tokenizer is made: the arguments of `tokenize = 'name one two'`, and the tokenizers that
/// are there already.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_tokenizers>
public struct FTS5TokenizerContext {
  /// The words behind the name.
  public let arguments: [String]
  let core: ConnectionCore

  /// Another tokenizer, to wrap: `unicode61`, `ascii`, `porter`, `trigram`, or one of yours.
  ///
  /// Throws `DatabaseError` where there is none of that name, or where it refuses the arguments.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#tokenizers>
  public func tokenizer(
    _ name: String, _ arguments: [String] = []
  ) throws -> any FTS5Tokenizer {
    try ForeignTokenizer(name, arguments, on: core)
  }
}

extension Registrar {
  /// Adds an FTS5 tokenizer; `make` is called once for each table on each connection.
  ///
  /// FTS5 forgets none: one of the same name takes the place of the last for tables that are opened
  /// later. Throws `DatabaseError` where the library was built without FTS5.
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
