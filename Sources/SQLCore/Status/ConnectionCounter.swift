import CSQLite

/// What SQLite counts for one connection.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbstatus_options.html>
public struct ConnectionCounter: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  public let rawValue: Int32

  /// A counter by SQLite's number.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Bytes of the page cache.
  public static let cacheMemory = ConnectionCounter(rawValue: SQLITE_DBSTATUS_CACHE_USED)
  /// Bytes of the schema.
  public static let schemaMemory = ConnectionCounter(rawValue: SQLITE_DBSTATUS_SCHEMA_USED)
  /// Bytes of the prepared statements.
  public static let statementMemory = ConnectionCounter(rawValue: SQLITE_DBSTATUS_STMT_USED)
  /// Pages that the cache had.
  public static let cacheHits = ConnectionCounter(rawValue: SQLITE_DBSTATUS_CACHE_HIT)
  /// Pages that had to be read.
  public static let cacheMisses = ConnectionCounter(rawValue: SQLITE_DBSTATUS_CACHE_MISS)
  /// Pages that were written.
  public static let cacheWrites = ConnectionCounter(rawValue: SQLITE_DBSTATUS_CACHE_WRITE)
  /// Pages written before the commit, because the cache was full.
  public static let cacheSpills = ConnectionCounter(rawValue: SQLITE_DBSTATUS_CACHE_SPILL)
  /// Foreign keys that are violated until the commit: 0 or 1.
  public static let deferredForeignKeys = ConnectionCounter(rawValue: SQLITE_DBSTATUS_DEFERRED_FKS)
}

/// What SQLite counts for the whole process.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_status_malloc_count.html>
public struct LibraryCounter: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  public let rawValue: Int32

  /// A counter by SQLite's number.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Bytes that SQLite has allocated.
  public static let memory = LibraryCounter(rawValue: SQLITE_STATUS_MEMORY_USED)
  /// Allocations that are not freed yet.
  public static let allocations = LibraryCounter(rawValue: SQLITE_STATUS_MALLOC_COUNT)
  /// Bytes of the largest allocation, as its highest value.
  public static let largestAllocation = LibraryCounter(rawValue: SQLITE_STATUS_MALLOC_SIZE)

  /// The count now, and its highest value since the process began.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/status.html>
  public var value: (current: Int64, highest: Int64) {
    var current: Int64 = 0
    var highest: Int64 = 0
    sqlite3_status64(rawValue, &current, &highest, 0)
    return (current, highest)
  }
}

extension Connection {
  /// What SQLite counted for this connection.
  ///
  /// - Parameter resetting: whether hits, misses and writes begin at 0 again.
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

/// The SQLite that runs in this process.
/// - SeeAlso: <https://www.sqlite.org/c3ref/libversion.html>
public enum SQLiteLibrary {
  /// Its version, such as `3.40.1`.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/libversion.html>
  public static var version: String { String(cString: sqlite3_libversion()) }

  /// The options with which it was built.
  ///
  /// - SeeAlso: <https://www.sqlite.org/compile.html>
  public static var compileOptions: [String] {
    var options: [String] = []
    while let option = sqlite3_compileoption_get(Int32(clamping: options.count)) {
      options.append(String(cString: option))
    }
    return options
  }
}
