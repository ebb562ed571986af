import CSQLite

/// A bound that a connection sets to what SQL may ask of it.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_limit_attached.html>
public struct Limit: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  public let rawValue: Int32

  /// A limit by SQLite's number.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Bytes of a text, BLOB or row.
  public static let length = Limit(rawValue: SQLITE_LIMIT_LENGTH)
  /// Bytes of a statement's text.
  public static let sqlLength = Limit(rawValue: SQLITE_LIMIT_SQL_LENGTH)
  /// Columns of a table, index, result, GROUP BY or ORDER BY.
  public static let columns = Limit(rawValue: SQLITE_LIMIT_COLUMN)
  /// Levels of an expression.
  public static let expressionDepth = Limit(rawValue: SQLITE_LIMIT_EXPR_DEPTH)
  /// Parts of a compound SELECT.
  public static let compoundSelects = Limit(rawValue: SQLITE_LIMIT_COMPOUND_SELECT)
  /// Instructions of a prepared statement.
  public static let instructions = Limit(rawValue: SQLITE_LIMIT_VDBE_OP)
  /// Arguments of a function.
  public static let functionArguments = Limit(rawValue: SQLITE_LIMIT_FUNCTION_ARG)
  /// Databases that are attached; 0 refuses ATTACH.
  public static let attachedDatabases = Limit(rawValue: SQLITE_LIMIT_ATTACHED)
  /// Bytes of a pattern of LIKE or GLOB.
  public static let patternLength = Limit(rawValue: SQLITE_LIMIT_LIKE_PATTERN_LENGTH)
  /// The highest number of a parameter.
  public static let parameters = Limit(rawValue: SQLITE_LIMIT_VARIABLE_NUMBER)
  /// Levels of triggers that call each other.
  public static let triggerDepth = Limit(rawValue: SQLITE_LIMIT_TRIGGER_DEPTH)
  /// Threads that help a statement to sort.
  public static let workerThreads = Limit(rawValue: SQLITE_LIMIT_WORKER_THREADS)
}

extension Connection {
  /// The limit that is set.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/limit.html>
  public func limit(_ limit: Limit) throws -> Int {
    Int(sqlite3_limit(try use().handle, limit.rawValue, -1))
  }

  /// Sets a limit, never above the one with which SQLite was built, and gives the one before.
  ///
  /// On a connection of a pool it stays after the access: `Configuration.prepareConnection` sets it
  /// for all.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/limit.html>
  @discardableResult
  public func setLimit(_ limit: Limit, to value: Int) throws -> Int {
    Int(sqlite3_limit(try use().handle, limit.rawValue, Int32(clamping: max(0, value))))
  }
}
