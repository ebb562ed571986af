import CSQLite

/// A counter that SQLite keeps for each connection.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbstatus_options.html>
public struct ConnectionCounter: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  public let rawValue: Int32

  /// Makes a counter from SQLite's number.
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
  /// Whether foreign-key violations are deferred to the commit: 0 or 1.
  public static let deferredForeignKeys = ConnectionCounter(rawValue: SQLITE_DBSTATUS_DEFERRED_FKS)
}

extension Connection {
  /// Returns the value of a counter of this connection.
  ///
  /// - Parameter resetting: whether to reset hits, misses and writes to 0.
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
