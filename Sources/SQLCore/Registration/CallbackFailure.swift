import CSQLite

/// An error that a Swift closure threw when SQLite called it, reduced to a code and a message.
struct CallbackFailure {
  let message: String
  let code: Int32

  init(_ error: any Error) {
    switch error {
    case let error as DatabaseError:
      message = error.message
      // SQLite reacts to some codes: it rolls back after a full disk, and recompiles the statement
      // after a schema change. Such codes are not passed on, because no such event happened in
      // SQLite.
      switch error.code.primary {
      case .constraint, .interrupt, .mismatch, .tooBig: code = error.code.rawValue
      default: code = SQLITE_ERROR
      }
    case is CancellationError:
      message = "cancelled"
      code = SQLITE_INTERRUPT
    default:
      message = String(describing: error)
      code = SQLITE_ERROR
    }
  }

  /// Makes the call of an SQL function fail with this error.
  func setResult(of context: OpaquePointer?) {
    var message = message
    message.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        // SQLite takes a null pointer for NULL, not for an empty message.
        sqlite3_result_error(context, bytes.baseAddress ?? emptyText, Int32(clamping: bytes.count))
      }
    }
    if code != SQLITE_ERROR { sqlite3_result_error_code(context, code) }
  }

  /// A copy of the message in memory that SQLite allocates and frees.
  var allocatedMessage: UnsafeMutablePointer<CChar>? { allocatedText(message) }
}

/// Copies a text, up to its first U+0000, into memory that SQLite allocates and frees.
func allocatedText(_ text: String) -> UnsafeMutablePointer<CChar>? {
  let bytes = Array(text.utf8.prefix { $0 != 0 })
  guard let memory = sqlite3_malloc64(UInt64(bytes.count + 1)) else { return nil }
  let text = memory.bindMemory(to: CChar.self, capacity: bytes.count + 1)
  for (index, byte) in bytes.enumerated() { text[index] = CChar(bitPattern: byte) }
  text[bytes.count] = 0
  return text
}

/// A pointer to an empty C string. It is passed to SQLite in place of the null pointer that an
/// empty Swift buffer has.
private var emptyText: UnsafePointer<CChar> {
  UnsafeRawPointer(StaticString("").utf8Start).assumingMemoryBound(to: CChar.self)
}

/// An error thrown by a callback that cannot report errors to SQLite: a collation, a tokenizer or a
/// hook.
struct NotedFailure {
  let error: any Error
  /// The code of the error that the running statement throws. If the callback's own error has a
  /// code that `CallbackFailure` keeps, such as `.interrupt`, the statement throws that code
  /// instead.
  let code: Int32
  /// Whether the statement's writes may be inconsistent and must all be undone.
  let spoilsWrites: Bool

  init(_ error: any Error, code: Int32, spoilsWrites: Bool = false) {
    self.error = error
    self.code = code
    self.spoilsWrites = spoilsWrites
  }

  /// Returns the error that the running statement throws.
  func thrown(sql: String?) -> any Error {
    if error is CancellationError || error is DeadlineExceeded { return error }
    let failure = CallbackFailure(error)
    let code = failure.code == SQLITE_ERROR ? code : failure.code
    return DatabaseError(code: ResultCode(rawValue: code), message: failure.message, sql: sql)
  }
}
