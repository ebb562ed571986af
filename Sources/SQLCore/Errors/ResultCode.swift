import CSQLite

/// A result code of SQLite, including its extended part.
///
/// ```swift
/// do {
///   try db.vacuum()
/// } catch let error as DatabaseError where error.code.primary == .full {
///   print("the disk is full")
/// }
/// ```
///
/// `.constraint` is the primary code of every constraint failure; the extended codes distinguish
/// them.
/// - SeeAlso: <https://www.sqlite.org/rescode.html>
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// The extended code, such as 2067 for `SQLITE_CONSTRAINT_UNIQUE`.
  public let rawValue: Int32

  /// Makes a code from its number, primary or extended.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The primary code: the low eight bits.
  public var primary: ResultCode {
    ResultCode(rawValue: rawValue & 0xFF)
  }

  /// A mistake in SQL, or a name that does not exist.
  public static let error = ResultCode(rawValue: SQLITE_ERROR)
  /// Another connection holds the lock that is needed.
  public static let busy = ResultCode(rawValue: SQLITE_BUSY)
  /// Another statement of the same connection, or a connection with the same shared cache, has
  /// locked a table.
  public static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  /// A write was attempted where only reads are allowed.
  public static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  /// The operation was interrupted.
  public static let interrupt = ResultCode(rawValue: SQLITE_INTERRUPT)
  /// The operating system reported an input or output error.
  public static let ioError = ResultCode(rawValue: SQLITE_IOERR)
  /// The file is damaged.
  public static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  /// The content of a virtual table is damaged, such as a full-text index that disagrees with its
  /// table.
  package static let corruptVirtualTable = ResultCode(rawValue: SQLITE_CORRUPT | 1 << 8)
  /// Memory could not be allocated.
  public static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
  /// The disk is full, or the database has reached its page limit.
  public static let full = ResultCode(rawValue: SQLITE_FULL)
  /// The file cannot be opened.
  public static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  /// Too many connections began to read a write-ahead log at the same time. A second attempt may
  /// succeed.
  package static let lockingProtocol = ResultCode(rawValue: SQLITE_PROTOCOL)
  /// A text or BLOB is longer than the limit.
  public static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
  /// A constraint of the schema was violated.
  public static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  /// A value has the wrong storage class.
  public static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
  /// The interface was used in a way that it does not allow.
  public static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  /// An authorizer denied the statement.
  public static let notAuthorized = ResultCode(rawValue: SQLITE_AUTH)
  /// A parameter or column index is out of range.
  public static let range = ResultCode(rawValue: SQLITE_RANGE)
  /// The file is not a database.
  public static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
  /// The operation was abandoned.
  public static let abort = ResultCode(rawValue: SQLITE_ABORT)
}

extension ResultCode: CustomStringConvertible {
  /// SQLite's English text for the code, and its number.
  public var description: String {
    let text = sqlite3_errstr(rawValue).map { String(cString: $0) } ?? "unknown"
    return "\(text) (\(rawValue))"
  }
}
