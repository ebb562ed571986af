import ApusRemote
import Foundation
import QueryDSL
import SQLCore

/// Copies of tables in a DuckDB database, and typed queries over these copies.
///
/// ```swift
/// let analytics = try Analytics()
/// try analytics.copy(Order.self, Customer.self, from: db)
/// let totals = try analytics.database.fetch(
///   Order.group(by: \.$status).select { ($0.$status, $0.$amount.sum()) })
/// ```
///
/// DuckDB stores a table by columns. Queries that read many rows and few columns run several times
/// as fast as in SQLite, and return the same rows. An operation that DuckDB computes differently is
/// translated into one that agrees with SQLite, or throws `AnalyticsError.unsupported`. DuckDB's
/// library is loaded when the first `Analytics` is created.
/// - SeeAlso: <https://duckdb.org/docs/stable/clients/c/overview>
public final class Analytics: Sendable {
  /// A read-only database that contains the copies. All methods that fetch typed queries can be
  /// used on this database.
  ///
  /// A read sees the copies as they are when it begins. Live queries run again within a second after
  /// a copy or an update.
  public let database: Database
  /// The version of DuckDB's library.
  public var version: String { duck.version }

  let duck: DuckDatabase
  let catalogue = Catalogue()
  let writer: Writer

  /// Opens a DuckDB database, and creates it if it does not exist.
  ///
  /// `path` is the path of the database file, in which the copies are still present when the
  /// program starts again. If `path` is nil, the database is in memory. `library` is the path of
  /// DuckDB's library. If `library` is nil, the environment variable `APUS_DUCKDB` gives the path.
  /// If the variable is not set either, the system's loader looks for `libduckdb`, also in
  /// `/usr/local/lib` and `/opt/homebrew/lib`. The first library that is loaded serves the whole
  /// process. `threads` and `memoryLimit`, such as "4GB", bound what a query uses; by default,
  /// DuckDB takes all cores and most of the memory.
  ///
  /// Throws `AnalyticsError.libraryNotFound`, with the places and the reasons, if the library cannot
  /// be loaded, and `AnalyticsError.cannotOpen` if DuckDB does not accept `threads` or `memoryLimit`,
  /// or if the file cannot be opened, for example because another process has it open.
  public init(
    path: String? = nil, library: String? = nil, threads: Int? = nil, memoryLimit: String? = nil
  ) throws {
    duck = try DuckDatabase(
      path: path ?? "", library: library, threads: threads, memoryLimit: memoryLimit)
    writer = Writer(try duck.connect())
    var configuration = Configuration()
    configuration.isReadOnly = true
    database = try Database(
      engine: AnalyticsEngine(duck: duck, catalogue: catalogue), configuration: configuration)
    catalogue.add(try writer.use { try CopyRecord.readAll($0) })
  }

  /// The names of the copied tables, in alphabetical order.
  public var tables: [String] { catalogue.tables.values.map(\.name).sorted() }
}

/// The connection that writes the copies. Only one thread at a time uses it.
///
/// `@unchecked Sendable`: the lock guards the connection. A copy holds the lock until it is
/// complete, and another copy waits for the lock. The query that reads the rows to copy may call
/// SQL functions of the user. If such a function started another copy, it would wait for the lock
/// forever.
final class Writer: @unchecked Sendable {
  private let lock = NSLock()
  private let connection: DuckConnection

  init(_ connection: DuckConnection) {
    self.connection = connection
  }

  func use<Result>(_ body: (DuckConnection) throws -> Result) throws -> Result {
    try lock.withLock { try body(connection) }
  }
}

/// Runs a blocking closure on a thread of Dispatch, while the calling task is suspended.
@concurrent
func offloading<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
  }
}
