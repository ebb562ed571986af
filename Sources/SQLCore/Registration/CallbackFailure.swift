import CSQLite

/// An error that a Swift closure threw when SQLite called it, reduced to a code and a message.
struct CallbackFailure {
  let message: String
  let code: Int32

  init(_ error: any Error) {
    switch error {
    case let error as DatabaseError:
      message = error.message
      // Only these four codes are passed on. SQLite would react to other codes as if it had found
      // the problem itself: for example, it would roll back because of a full disk, or recompile
      // the statement because of a changed schema.
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
        // SQLite would treat a null pointer as NULL, not as an empty message.
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
  /// The code of the `DatabaseError` that the running statement throws. This code is not used if
  /// the callback's own error has a code that `CallbackFailure` keeps, such as `.interrupt`.
  let code: Int32
  /// Whether the failure may have made the statement's writes inconsistent, so that all of them
  /// must be undone.
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
