import CSQLite

/// A connection to a database: what the closures of `read` and `write` are given, or one of your
/// own.
///
/// ```swift
/// let connection = try Connection()                  // in memory
/// try connection.execute("CREATE TABLE greeting (text TEXT)")
/// ```
///
/// It is used in one place at a time, and the compiler sees to it: it is not Sendable. One that a
/// closure was given is good until the closure returns; used later, it throws misuse. One of your
/// own closes when the last value of it is gone.
/// - SeeAlso: <https://www.sqlite.org/c3ref/sqlite3.html>
public struct Connection {
  package let core: ConnectionCore
  package let lease: UInt64

  package init(core: ConnectionCore, lease: UInt64) {
    self.core = core
    self.lease = lease
  }

  /// Opens a database in memory, which is gone with the connection.
  public init(configuration: Configuration = Configuration()) throws {
    try self.init(location: .memory, configuration: configuration)
  }

  /// Opens a file, and creates it where it is missing and the configuration allows writing.
  ///
  /// A path that begins with `file:` is a URI, as for a `Database`.
  ///
  /// Throws `DatabaseError`: `.cannotOpen` for a folder or a path that does not exist,
  /// `.notADatabase` for a file that is none.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    let location = try DatabaseLocation(path: path)
    try self.init(location: location, configuration: location.restricting(configuration))
  }

  private init(location: DatabaseLocation, configuration: Configuration) throws {
    core = try ConnectionCore(location: location, configuration: configuration, isReader: false)
    lease = core.lease
  }

  /// The core, while the access that lent it runs; else throws misuse.
  @usableFromInline
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

  /// How many rows the last INSERT, UPDATE or DELETE changed, without triggers and foreign-key
  /// actions.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/changes.html>
  public var changeCount: Int {
    get throws { Int(sqlite3_changes64(try use().handle)) }
  }

  /// How many rows all statements of this connection changed since it was opened.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/total_changes.html>
  public var totalChangeCount: Int {
    get throws { Int(sqlite3_total_changes64(try use().handle)) }
  }

  /// How many statements the cache keeps, their bytes, and how often it had what was asked for.
  public var statementCacheStatistics: StatementCacheStatistics {
    get throws { try use().statementCacheStatistics }
  }
}

@available(*, unavailable, message: "a connection is used in one place at a time")
extension Connection: Sendable {}

/// What the statement cache of a connection holds and how well it serves.
/// - SeeAlso: <https://www.sqlite.org/cintro.html>
public struct StatementCacheStatistics: Hashable, Sendable {
  /// How many statements it keeps.
  public let count: Int
  /// How many bytes they occupy, as SQLite counts them.
  public let byteCount: Int
  /// How often a statement was found.
  public let hits: Int
  /// How often one had to be prepared.
  public let misses: Int
  /// Which part of the statements was found, from 0 to 1; 0 before the first.
  public var hitRate: Double {
    let total = Double(hits) + Double(misses)
    return total > 0 ? Double(hits) / total : 0
  }
}

extension ConnectionCore {
  var statementCacheStatistics: StatementCacheStatistics {
    let cache = state.pointee.cache
    return StatementCacheStatistics(
      count: cache.count, byteCount: cache.byteCount, hits: cache.hits, misses: cache.misses)
  }
}
