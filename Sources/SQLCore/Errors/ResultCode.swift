import CSQLite

/// A result code of SQLite, with its extended part.
///
/// `.constraint` is the primary code of every constraint failure; `extended` tells them apart.
/// - SeeAlso: <https://www.sqlite.org/rescode.html>
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// The extended code, such as 2067 for `SQLITE_CONSTRAINT_UNIQUE`.
  public let rawValue: Int32

  /// A code from its number, primary or extended.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The primary code: the low eight bits.
  public var primary: ResultCode {
    ResultCode(rawValue: rawValue & 0xFF)
  }

  /// A mistake in SQL, or a name that does not exist.
  public static let error = ResultCode(rawValue: SQLITE_ERROR)
  /// Another connection holds the lock that was asked for.
  public static let busy = ResultCode(rawValue: SQLITE_BUSY)
  /// Another statement of the same connection, or of a shared cache, holds a table.
  public static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  /// A write where only reading is allowed.
  public static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  /// Interrupted before it ended.
  public static let interrupt = ResultCode(rawValue: SQLITE_INTERRUPT)
  /// The operating system reported an error of input or output.
  public static let ioError = ResultCode(rawValue: SQLITE_IOERR)
  /// The file is damaged.
  public static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  /// Memory that was needed could not be had.
  public static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
  /// The disk, or the page limit of the database, is full.
  public static let full = ResultCode(rawValue: SQLITE_FULL)
  /// The file cannot be opened.
  public static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  /// Too many connections began to read a write-ahead log at once; trying again helps.
  package static let lockingProtocol = ResultCode(rawValue: SQLITE_PROTOCOL)
  /// Text or bytes are longer than the limit.
  public static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
  /// A constraint of the schema was violated.
  public static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  /// A value of one storage class where another is needed.
  public static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
  /// The interface was used in a way that it does not allow.
  public static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  /// An authorizer denied the statement.
  public static let notAuthorized = ResultCode(rawValue: SQLITE_AUTH)
  /// A parameter or column index out of range.
  public static let range = ResultCode(rawValue: SQLITE_RANGE)
  /// The file is no database.
  public static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
  /// The operation was abandoned.
  public static let abort = ResultCode(rawValue: SQLITE_ABORT)
}

extension ResultCode: CustomStringConvertible {
  /// SQLite's English word for the code, and its number.
  public var description: String {
    let text = sqlite3_errstr(rawValue).map { String(cString: $0) } ?? "unknown"
    return "\(text) (\(rawValue))"
  }
}
