import CSQLite

/// A counter that SQLite keeps for each connection.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbstatus_options.html>
public struct ConnectionCounter: RawRepresentable, Hashable, Sendable {
  /// The number of the counter in SQLite's C interface, such as the value of
  /// `SQLITE_DBSTATUS_CACHE_USED`.
  public let rawValue: Int32

  /// Creates a counter from its number in SQLite, even if this type has no constant for it.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The bytes of memory in the page cache.
  public static let cacheMemory = ConnectionCounter(rawValue: SQLITE_DBSTATUS_CACHE_USED)
  /// The bytes of memory in the schema.
  public static let schemaMemory = ConnectionCounter(rawValue: SQLITE_DBSTATUS_SCHEMA_USED)
  /// The bytes of memory in the prepared statements.
  public static let statementMemory = ConnectionCounter(rawValue: SQLITE_DBSTATUS_STMT_USED)
  /// The number of pages that were found in the cache.
  public static let cacheHits = ConnectionCounter(rawValue: SQLITE_DBSTATUS_CACHE_HIT)
  /// The number of pages that had to be read from the file.
  public static let cacheMisses = ConnectionCounter(rawValue: SQLITE_DBSTATUS_CACHE_MISS)
  /// The number of pages that were written to the file.
  public static let cacheWrites = ConnectionCounter(rawValue: SQLITE_DBSTATUS_CACHE_WRITE)
  /// The number of pages that were written before the commit, because the cache was full.
  public static let cacheSpills = ConnectionCounter(rawValue: SQLITE_DBSTATUS_CACHE_SPILL)
  /// 1 if the transaction has foreign-key violations that must be resolved before the commit; else
  /// 0.
  public static let deferredForeignKeys = ConnectionCounter(rawValue: SQLITE_DBSTATUS_DEFERRED_FKS)
}

extension Connection {
  /// Returns the value of a counter of this connection.
  ///
  /// - Parameter resetting: whether to reset hits, misses, writes and spills to 0.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/db_status.html>
  public func count(of counter: ConnectionCounter, resetting: Bool = false) throws -> Int {
    let core = try use()
    var current: Int32 = 0
    var highest: Int32 = 0
    try core.check(
      sqlite3_db_status(core.handle, counter.rawValue, &current, &highest, resetting ? 1 : 0))
    return Int(current)
  }
}

/// A limit of a connection on the size of SQL constructs and values.
///
/// ```swift
/// try connection.setLimit(.sqlLength, to: 100_000)
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_limit_attached.html>
public struct ConnectionLimit: RawRepresentable, Hashable, Sendable {
  /// The number of the limit in SQLite's C interface, such as the value of `SQLITE_LIMIT_LENGTH`.
  public let rawValue: Int32

  /// Creates a limit from its number in SQLite.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The maximum size in bytes of a text, BLOB or row.
  public static let length = ConnectionLimit(rawValue: SQLITE_LIMIT_LENGTH)
  /// The maximum size in bytes of a statement's text.
  public static let sqlLength = ConnectionLimit(rawValue: SQLITE_LIMIT_SQL_LENGTH)
  /// The maximum number of columns of a table, index, result, GROUP BY or ORDER BY.
  public static let columns = ConnectionLimit(rawValue: SQLITE_LIMIT_COLUMN)
  /// The maximum depth of an expression.
  public static let expressionDepth = ConnectionLimit(rawValue: SQLITE_LIMIT_EXPR_DEPTH)
  /// The maximum number of terms of a compound SELECT.
  public static let compoundSelects = ConnectionLimit(rawValue: SQLITE_LIMIT_COMPOUND_SELECT)
  /// The maximum number of instructions of a prepared statement.
  public static let instructions = ConnectionLimit(rawValue: SQLITE_LIMIT_VDBE_OP)
  /// The maximum number of arguments of a function.
  public static let functionArguments = ConnectionLimit(rawValue: SQLITE_LIMIT_FUNCTION_ARG)
  /// The maximum number of attached databases; 0 forbids ATTACH.
  public static let attachedDatabases = ConnectionLimit(rawValue: SQLITE_LIMIT_ATTACHED)
  /// The maximum size in bytes of a pattern of LIKE or GLOB.
  public static let patternLength = ConnectionLimit(rawValue: SQLITE_LIMIT_LIKE_PATTERN_LENGTH)
  /// The largest number that a numbered parameter may have. The number of `?10`, for example, is
  /// 10.
  public static let parameters = ConnectionLimit(rawValue: SQLITE_LIMIT_VARIABLE_NUMBER)
  /// The maximum depth of triggers that fire further triggers.
  public static let triggerDepth = ConnectionLimit(rawValue: SQLITE_LIMIT_TRIGGER_DEPTH)
  /// The maximum number of helper threads that a statement may use for sorting.
  public static let workerThreads = ConnectionLimit(rawValue: SQLITE_LIMIT_WORKER_THREADS)
}

extension Connection {
  /// Returns the current value of a limit.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/limit.html>
  public func limit(_ limit: ConnectionLimit) throws -> Int {
    Int(sqlite3_limit(try use().handle, limit.rawValue, -1))
  }

  /// Sets a limit and returns its previous value. A value above SQLite's compiled-in limit is
  /// lowered to that limit.
  ///
  /// On a connection of a pool, the limit stays in force after the access. Use
  /// `Configuration.prepareConnection` to set it on all connections.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/limit.html>
  @discardableResult
  public func setLimit(_ limit: ConnectionLimit, to value: Int) throws -> Int {
    Int(sqlite3_limit(try use().handle, limit.rawValue, Int32(clamping: max(0, value))))
  }
}
