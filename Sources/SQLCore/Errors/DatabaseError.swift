import CSQLite

/// An error that SQLite reported, or that Apus found in the way in which it was used.
///
/// - SeeAlso: <https://www.sqlite.org/rescode.html>
public struct DatabaseError: Error, Hashable, Sendable {
  /// The result code, with its extended part.
  public var code: ResultCode
  /// What happened and, where Apus knows it, what to do next.
  public var message: String
  /// The statement that failed, without its bound values.
  public var sql: String?
  /// Where in `sql` the fault is, in bytes of UTF-8 from its start.
  public var offset: Int?
  /// How many values were bound to the statement.
  public var valueCount = 0
  /// The statement with its values, where `Configuration.showsValuesInErrors` asks for it.
  public var expandedSQL: String?
  /// The constraint that was violated, where `code.primary` is `.constraint`.
  public var constraint: ConstraintFailure?

  /// An error with its parts.
  public init(
    code: ResultCode,
    message: String,
    sql: String? = nil,
    offset: Int? = nil,
    constraint: ConstraintFailure? = nil
  ) {
    self.code = code
    self.message = message
    self.sql = sql
    self.offset = offset
    self.constraint = constraint
  }

  /// True for what ended because of an interruption: `interrupt` and `abort`.
  public var isInterruption: Bool {
    code.primary == .interrupt || code.primary == .abort
  }

  /// For a value that SQLite says is there, and cannot give.
  package static var outOfMemory: DatabaseError {
    DatabaseError(code: .outOfMemory, message: "there is no memory to read a value")
  }

  package static func misuse(_ message: String) -> DatabaseError {
    DatabaseError(code: .misuse, message: message)
  }
}

extension DatabaseError {
  /// The error that `handle` reports for the call that just failed with `code`.
  package init(code: Int32, handle: OpaquePointer?, sql: String? = nil) {
    let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
    // A code that the handle no longer remembers is described by its own words.
    let remembered = extended & 0xFF == code & 0xFF
    let message =
      remembered
      ? handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
      : sqlite3_errstr(code).map { String(cString: $0) }
    self.init(
      code: ResultCode(rawValue: remembered ? extended : code),
      message: message ?? "unknown error",
      sql: sql
    )
    if let handle, remembered {
      let position = sqlite3_error_offset(handle)
      offset = position >= 0 && sql != nil ? Int(position) : nil
    }
    constraint = ConstraintFailure(code: self.code, message: self.message)
  }
}

extension DatabaseError: CustomStringConvertible {
  /// The code, the message, and the statement with a mark under the fault where it is known.
  public var description: String {
    var text = "SQLite error \(code.rawValue): "
    // SQLite's own words say less than what is known.
    if let constraint, constraint.kind != .other {
      text += "\(constraint) (\(message))"
    } else {
      text += message
    }
    if let sql {
      text += "\n  in: \(sql)"
      if let offset, offset <= sql.utf8.count, !sql.utf8.contains(UInt8(ascii: "\n")) {
        let before = sql.utf8.prefix(offset).count(where: { $0 & 0xC0 != 0x80 })
        text += "\n      " + String(repeating: " ", count: before) + "^"
      }
    }
    if let expandedSQL {
      text += "\n  with its values: \(expandedSQL)"
    } else if valueCount > 0 {
      text += "\n  with \(valueCount) value\(valueCount == 1 ? "" : "s"), not shown"
    }
    return text
  }
}
