import CSQLite

/// The SQLite library that this process uses.
/// - SeeAlso: <https://www.sqlite.org/c3ref/libversion.html>
public enum SQLiteLibrary {
  /// The version of the library, such as `3.40.1`.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/libversion.html>
  public static var version: String { String(cString: sqlite3_libversion()) }

  /// The version as a number, such as 3040001 for 3.40.1.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/libversion.html>
  public static var versionNumber: Int { Int(sqlite3_libversion_number()) }

  /// The options with which the library was compiled.
  ///
  /// - SeeAlso: <https://www.sqlite.org/compile.html>
  public static var compileOptions: [String] {
    var options: [String] = []
    while let option = sqlite3_compileoption_get(Int32(clamping: options.count)) {
      options.append(String(cString: option))
    }
    return options
  }

  /// Stops SQLite's counting of memory in the whole process. Returns false if SQLite refuses,
  /// because the process has already used SQLite.
  ///
  /// ```swift
  /// @main struct Server {
  ///   static func main() async throws {
  ///     SQLiteLibrary.stopCountingMemory()
  ///     let db = try Database(path: "server.sqlite")
  ///   }
  /// }
  /// ```
  /// SQLite counts each allocation under a mutex that all connections share. If many threads read
  /// at once, the counting takes up to a tenth of their processor time. Without the counters,
  /// `LibraryCounter` has no values, and `PRAGMA soft_heap_limit` and `PRAGMA hard_heap_limit` have
  /// no effect.
  ///
  /// Call this at the beginning of a program, while no other thread uses SQLite. Opening a database
  /// does not call it, because another library in the process may need the counters or the limits,
  /// or may use SQLite at the same moment. The operating system's SQLite refuses if it was in use
  /// before the program began.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/config.html>
  @discardableResult
  public static func stopCountingMemory() -> Bool {
    csqlite_config_memory_status(0) == SQLITE_OK
  }
}

/// A counter that SQLite keeps for the whole process.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_status_malloc_count.html>
public struct LibraryCounter: RawRepresentable, Hashable, Sendable {
  /// The number of the counter in SQLite's C interface, such as the value of
  /// `SQLITE_STATUS_MEMORY_USED`.
  public let rawValue: Int32

  /// Creates a counter from its number in SQLite, even if this type has no constant for it.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The bytes of memory that SQLite has allocated.
  public static let memory = LibraryCounter(rawValue: SQLITE_STATUS_MEMORY_USED)
  /// The number of allocations that are not freed yet.
  public static let allocations = LibraryCounter(rawValue: SQLITE_STATUS_MALLOC_COUNT)
  /// The size in bytes of the largest allocation. Only the value `highest` has a meaning, not
  /// `current`.
  public static let largestAllocation = LibraryCounter(rawValue: SQLITE_STATUS_MALLOC_SIZE)

  /// The current value, and the highest value since the process began.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/status.html>
  public var value: (current: Int64, highest: Int64) {
    var current: Int64 = 0
    var highest: Int64 = 0
    sqlite3_status64(rawValue, &current, &highest, 0)
    return (current, highest)
  }
}
