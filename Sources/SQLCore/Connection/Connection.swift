import CSQLite

/// A connection to a database, which runs statements. The methods `read` and `write` pass a
/// connection to their closures. You can also open a connection yourself.
///
/// ```swift
/// let connection = try Connection()                  // in memory
/// try connection.execute("CREATE TABLE greeting (text TEXT)")
/// ```
///
/// Only one task or thread at a time can use a connection. The compiler enforces this, because a
/// connection is not Sendable. A connection that was passed to a closure is valid until the closure
/// returns; any later use throws misuse. A connection that you opened closes when its last copy is
/// released.
///
/// A connection has the same methods for reading as `Database` and `DatabaseSnapshot`, but is not a
/// `DatabaseReader`. A reader is Sendable: any task may call it, and each call is a separate access
/// with its own snapshot. The calls of a connection all belong to one access, such as one call of
/// `write`, and see the changes of its transaction. If a function is to work in reads and in
/// writes, let it take a `Connection`. Call the function inside `read { }` or `write { }`.
/// - SeeAlso: <https://www.sqlite.org/c3ref/sqlite3.html>
public struct Connection {
  @usableFromInline package let core: ConnectionCore
  @usableFromInline package let lease: UInt64

  package init(core: ConnectionCore, lease: UInt64) {
    self.core = core
    self.lease = lease
  }

  /// Opens a database in memory that lives as long as the connection.
  public init(configuration: Configuration = Configuration()) throws {
    try self.init(location: .memory, configuration: configuration)
  }

  /// Opens a database file. Creates the file if it does not exist and the configuration allows
  /// writing.
  ///
  /// A path that begins with `file:` is a URI, as in `Database.init(path:configuration:)`.
  ///
  /// Throws `DatabaseError`: `.cannotOpen` for a folder or a path that does not exist,
  /// `.notADatabase` for a file that is not a database.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    let location = try DatabaseLocation(path: path)
    try self.init(location: location, configuration: location.restricting(configuration))
  }

  private init(location: DatabaseLocation, configuration: Configuration) throws {
    core = try ConnectionCore(location: location, configuration: configuration, isReader: false)
    lease = core.lease
  }

  /// Returns the object that runs the statements. Throws misuse if the connection was passed to a
  /// closure that has returned.
  @inlinable
  package func use() throws -> ConnectionCore {
    try core.check(lease: lease)
    return core
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool {
    get throws { try use().isInTransaction }
  }

  /// The rowid of the last row that this connection inserted into a rowid table.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/last_insert_rowid.html>
  public var lastInsertRowID: Int64 {
    get throws { sqlite3_last_insert_rowid(try use().handle) }
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed. Rows that triggers or
  /// foreign-key actions changed are not counted. Read this number before the transaction ends,
  /// because the library may write a row of its own when the transaction ends.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/changes.html>
  public var changeCount: Int {
    get throws { try use().changeCount }
  }

  /// The number of rows that all statements of this connection have changed since it was opened.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/total_changes.html>
  public var totalChangeCount: Int {
    get throws { Int(sqlite3_total_changes64(try use().handle)) }
  }

  /// The number and memory of the cached statements, and how often a requested statement was found
  /// in the cache.
  public var statementCacheStatistics: StatementCacheStatistics {
    get throws { try use().state.pointee.statements.statistics }
  }
}

@available(*, unavailable, message: "a connection is used in one place at a time")
extension Connection: Sendable {}

/// The size of a connection's statement cache, and its hits and misses.
/// - SeeAlso: <https://www.sqlite.org/cintro.html>
public struct StatementCacheStatistics: Hashable, Sendable {
  /// The number of cached statements.
  public let count: Int
  /// The memory that the cached statements occupy, in bytes, as SQLite reports it.
  public let byteCount: Int
  /// How often a requested statement was in the cache.
  public let hits: Int
  /// How often a requested statement had to be prepared.
  public let misses: Int
  /// The fraction of requests that were hits, from 0 to 1; 0 before the first request.
  public var hitRate: Double {
    let total = Double(hits) + Double(misses)
    return total > 0 ? Double(hits) / total : 0
  }
}
