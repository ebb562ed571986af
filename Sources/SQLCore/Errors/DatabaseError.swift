import CSQLite

/// An error that SQLite reported, or that Apus found in the use of SQLite.
///
/// ```swift
/// do {
///   try db.execute("DELETE FROM Author")
/// } catch let error as DatabaseError where error.code.primary == .constraint {
///   print(error.constraint?.table ?? "", error.message, error.sql ?? "")
/// }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/rescode.html>
public struct DatabaseError: Error, Hashable, Sendable {
  /// SQLite's result code. It also has the extended code, if there is one.
  public var code: ResultCode
  /// A description of the failure and, if Apus knows one, a remedy.
  public var message: String
  /// The statement that failed, without its bound values. If one of several statements in a text
  /// does not compile, `sql` also contains the statements after it.
  public var sql: String?
  /// The position of the mistake in `sql`, in bytes of UTF-8 from its start.
  public var offset: Int?
  /// The number of values that were bound to the statement.
  public var valueCount = 0
  /// The statement with its values, if `Configuration.showsValuesInErrors` is set.
  public var expandedSQL: String?
  /// The constraint that was violated, if `code.primary` is `.constraint`.
  public var constraint: ConstraintFailure?

  /// Makes an error from its parts.
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

  /// Whether the statement was stopped by something outside of it, so that its code is `.interrupt`
  /// or `.abort`. A statement also fails with `.abort` after its transaction was rolled back by an
  /// interruption or another error.
  public var isInterruption: Bool {
    code.primary == .interrupt || code.primary == .abort
  }

  /// The error for a value that SQLite cannot return because there is not enough memory.
  package static var outOfMemory: DatabaseError {
    DatabaseError(code: .outOfMemory, message: "there is not enough memory to read a value")
  }

  package static func misuse(_ message: String) -> DatabaseError {
    DatabaseError(code: .misuse, message: message)
  }
}

extension DatabaseError {
  /// Makes an error from the code of a failed call. The message comes from the connection's handle,
  /// which still has the message of that call.
  package init(code: Int32, handle: OpaquePointer?, sql: String? = nil) {
    let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
    // If the last failure that the handle has recorded is another one, the message is SQLite's
    // general text for the code.
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
  /// The code, the message, and the statement, with a mark under the mistake if its position is
  /// known and the statement is on one line.
  public var description: String {
    var text = "SQLite error \(code.rawValue): "
    // If the constraint is known, its description comes first, because it says more than SQLite's
    // own message.
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

/// The names of the models that the process has used. They are stored by the names of their tables,
/// and explain the error for a missing table.
package enum KnownModels {
  private static let names = Lock<[String: String]>([:])

  /// Records that the model named `model` has the table named `table`.
  package static func note(_ model: String, table: String) {
    names.withLock { $0[table.lowercasedASCII] = model }
  }

  /// If the error is `no such table: Tag`, and the program has a model with this table, adds an
  /// explanation: the database was opened without this model.
  static func adding(to failure: any Error) -> any Error {
    let prefix = "no such table: "
    guard var error = failure as? DatabaseError, error.message.hasPrefix(prefix) else {
      return addingFlag(to: failure)
    }
    let table = error.message.dropFirst(prefix.count)
    let name = table.split(separator: ".").last.map { String($0).lowercasedASCII } ?? ""
    guard let model = names.withLock({ $0[name] }) else { return error }
    error.message +=
      "; it is the table of the model \(model), which is missing from the models of this database: "
      + "open it with `models: [\(model).self, …]`"
    return error
  }

  /// Adds advice to an error such as `unsafe use of uuid()`: the function must be registered with
  /// the flag `.innocuous`.
  private static func addingFlag(to failure: any Error) -> any Error {
    guard var error = failure as? DatabaseError, error.message.hasPrefix("unsafe use of "),
      error.message.hasSuffix("()")
    else { return failure }
    error.message +=
      "; a function that a view, a trigger, a default, a CHECK or an index calls is registered with "
      + "the flag .innocuous: db.function(name, .innocuous) { … }"
    return error
  }
}
