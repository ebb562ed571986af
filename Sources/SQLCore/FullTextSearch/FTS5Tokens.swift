import CSQLite

/// The receiver of a tokenizer's tokens; only valid while the tokenizer runs.
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

  /// Makes a receiver that passes each token to a closure. A tokenizer that wraps another one uses
  /// it to examine the other's tokens before it appends them.
  public init(
    _ body: @escaping (_ token: String, _ range: Range<Int>, _ isColocated: Bool) throws -> Void
  ) {
    target = .swift(body)
  }

  /// Appends a token.
  ///
  /// - Parameters:
  ///   - range: the position of the token in the text, in bytes of UTF-8.
  ///   - isColocated: whether it is a synonym of the token before, at the same position.
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
