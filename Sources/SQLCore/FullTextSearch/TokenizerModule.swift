import CSQLite

/// A tokenizer that is registered on a connection. For each table, it makes an instance of the
/// tokenizer. FTS5 owns and releases this object.
final class TokenizerModule {
  // The reference is not counted, because the core outlives this object. The core owns the handle,
  // which owns FTS5, which owns this object.
  private let core: Unmanaged<ConnectionCore>
  private let make: @Sendable (FTS5TokenizerContext) throws -> any FTS5Tokenizer

  private init(
    core: ConnectionCore,
    _ make: @escaping @Sendable (FTS5TokenizerContext) throws -> any FTS5Tokenizer
  ) {
    self.core = .passUnretained(core)
    self.make = make
  }

  static func register(
    _ name: String, on core: ConnectionCore,
    _ make: @escaping @Sendable (FTS5TokenizerContext) throws -> any FTS5Tokenizer
  ) throws {
    let api = try FTS5.api(of: core)
    guard let create = api.pointee.xCreateTokenizer else { throw FTS5.missing }
    var methods = fts5_tokenizer(
      xCreate: createTokenizer,
      xDelete: { pointer in
        if let pointer {
          Unmanaged<TokenizerInstance>.fromOpaque(UnsafeRawPointer(pointer)).release()
        }
      },
      xTokenize: tokenize)
    let held = Unmanaged.passRetained(TokenizerModule(core: core, make))
    let code = create(api, name, held.toOpaque(), &methods) { pointer in
      if let pointer { Unmanaged<TokenizerModule>.fromOpaque(pointer).release() }
    }
    if code != SQLITE_OK { held.release() }
    try core.check(code)
  }

  fileprivate func makeInstance(_ arguments: [String]) -> TokenizerInstance? {
    let core = core.takeUnretainedValue()
    do {
      let context = FTS5TokenizerContext(arguments: arguments, core: core)
      return TokenizerInstance(try make(context), core: core)
    } catch {
      core.state.pointee.hooks.note(error)
      return nil
    }
  }
}

/// An instance of a tokenizer. FTS5 has a pointer to this object.
private final class TokenizerInstance {
  private let tokenizer: any FTS5Tokenizer
  private let core: Unmanaged<ConnectionCore>

  init(_ tokenizer: any FTS5Tokenizer, core: ConnectionCore) {
    self.tokenizer = tokenizer
    self.core = .passUnretained(core)
  }

  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ purpose: FTS5Purpose, _ tokens: borrowing FTS5Tokens
  ) -> Int32 {
    do {
      try tokenizer.tokenize(text.span, for: purpose, into: tokens)
      return SQLITE_OK
    } catch let stop as FTS5Stop {
      return stop.code
    } catch {
      // The error is noted, because a tokenizer cannot pass a message to FTS5. The statement's
      // writes must be undone, because FTS5 has already written a part of the row.
      core.takeUnretainedValue().state.pointee.hooks.note(
        error, spoilsWrites: true)
      return CallbackFailure(error).code
    }
  }
}

private func createTokenizer(
  context: UnsafeMutableRawPointer?,
  arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?, count: Int32,
  instance: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  guard let context else { return SQLITE_ERROR }
  let module = Unmanaged<TokenizerModule>.fromOpaque(context).takeUnretainedValue()
  let words = (0..<Int(count)).map { arguments?[$0].map { String(cString: $0) } ?? "" }
  guard let made = module.makeInstance(words) else { return SQLITE_ERROR }
  instance?.pointee = OpaquePointer(Unmanaged.passRetained(made).toOpaque())
  return SQLITE_OK
}

private func tokenize(
  instance: OpaquePointer?, context: UnsafeMutableRawPointer?, flags: Int32,
  text: UnsafePointer<CChar>?, count: Int32, receive: FTS5Tokens.Receiver?
) -> Int32 {
  guard let instance, let receive else { return SQLITE_ERROR }
  let bytes = UnsafeRawBufferPointer(start: text, count: Int(count)).bindMemory(to: UInt8.self)
  return Unmanaged<TokenizerInstance>.fromOpaque(UnsafeRawPointer(instance)).takeUnretainedValue()
    .tokenize(bytes, FTS5Purpose(rawValue: flags), FTS5Tokens(receive, context))
}

enum FTS5 {
  /// Returns FTS5's C interface, with which tokenizers and auxiliary functions are registered.
  ///
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#extending_fts5>
  static func api(of core: ConnectionCore) throws -> UnsafeMutablePointer<fts5_api> {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(core.handle, "SELECT fts5(?1)", -1, &statement, nil) == SQLITE_OK
    else { throw missing }
    defer { sqlite3_finalize(statement) }
    // FTS5 stores the address of its interface in this memory while the statement runs.
    let place = UnsafeMutablePointer<UnsafeMutablePointer<fts5_api>?>.allocate(capacity: 1)
    place.initialize(to: nil)
    defer { place.deallocate() }
    let type = UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
    try core.check(sqlite3_bind_pointer(statement, 1, place, type, nil))
    sqlite3_step(statement)
    guard let api = place.pointee else { throw missing }
    return api
  }

  private static let pointerType = StaticString("fts5_api_ptr")

  static var missing: DatabaseError {
    DatabaseError(code: .error, message: "this SQLite was built without FTS5")
  }
}

/// A tokenizer that another tokenizer wraps. It is called through FTS5's C interface, whether it
/// was written in C or in Swift.
final class ForeignTokenizer: FTS5Tokenizer {
  private let methods: fts5_tokenizer
  private let instance: OpaquePointer
  // The reference is not counted, because the core outlives this object. The core's handle holds
  // FTS5, which holds the wrapping tokenizer, which holds this tokenizer.
  private let core: Unmanaged<ConnectionCore>

  init(_ name: String, _ arguments: [String], on core: ConnectionCore) throws {
    let api = try FTS5.api(of: core)
    var methods = fts5_tokenizer()
    var context: UnsafeMutableRawPointer?
    guard let find = api.pointee.xFindTokenizer, find(api, name, &context, &methods) == SQLITE_OK,
      let create = methods.xCreate
    else { throw DatabaseError(code: .error, message: "no such tokenizer: \(name)") }
    let words = arguments.map(allocatedText)
    defer { for word in words { sqlite3_free(word) } }
    var constants = words.map { UnsafePointer<CChar>($0) }
    var made: OpaquePointer?
    let code = create(context, &constants, Int32(constants.count), &made)
    guard code == SQLITE_OK, let made else {
      throw core.state.pointee.hooks.takeFailure()?.thrown(sql: nil)
        ?? DatabaseError(
          code: .error,
          message: "the tokenizer \(name) does not accept its arguments: "
            + arguments.joined(separator: " "))
    }
    self.methods = methods
    instance = made
    self.core = .passUnretained(core)
  }

  deinit {
    methods.xDelete?(instance)
  }

  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws {
    let count = text.count
    let relay = TokenRelay(target: tokens.target, count: count)
    // The text is copied, with a zero at its end. Before SQLite 3.49, `trigram` reads beyond the
    // end of the text until it finds a zero.
    var terminated: [CChar] = []
    terminated.reserveCapacity(count + 1)
    text.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { terminated.append(contentsOf: $0) }
    }
    terminated.append(0)
    let code =
      methods.xTokenize?(
        instance, Unmanaged.passUnretained(relay).toOpaque(), purpose.rawValue, terminated,
        Int32(clamping: count), relayToken) ?? SQLITE_ERROR
    if let failure = relay.failure { throw failure }
    guard code == SQLITE_OK else {
      throw core.takeUnretainedValue().state.pointee.hooks.takeFailure()?.thrown(sql: nil)
        ?? DatabaseError(code: .error, message: "the tokenizer failed with code \(code)")
    }
  }
}

/// A relay that passes the tokens of a wrapped tokenizer on to their receiver, and keeps the error
/// that the receiver throws. It is used only while the wrapped tokenizer runs.
private final class TokenRelay {
  let target: FTS5Tokens.Target
  /// The number of bytes of the text. A faulty tokenizer may report positions outside the text.
  let count: Int
  var failure: (any Error)?

  init(target: FTS5Tokens.Target, count: Int) {
    self.target = target
    self.count = count
  }
}

private func relayToken(
  context: UnsafeMutableRawPointer?, flags: Int32, token: UnsafePointer<CChar>?, count: Int32,
  start: Int32, end: Int32
) -> Int32 {
  guard let context else { return SQLITE_ERROR }
  let relay = Unmanaged<TokenRelay>.fromOpaque(context).takeUnretainedValue()
  let bytes = UnsafeRawBufferPointer(start: token, count: Int(count))
  let start = min(max(Int(start), 0), relay.count)
  do {
    try FTS5Tokens(relay.target).append(
      String(decoding: bytes, as: UTF8.self), at: start..<min(max(start, Int(end)), relay.count),
      isColocated: flags & FTS5_TOKEN_COLOCATED != 0)
    return SQLITE_OK
  } catch {
    relay.failure = error
    return SQLITE_ERROR
  }
}
