/// One state of a database, held for as long as you like: what others commit meanwhile is not seen
/// until `renew()`.
///
/// ```swift
/// let snapshot = try db.makeSnapshot()
/// let before = try await snapshot.count(Post.all)
/// try await db.insert(post)
/// try await snapshot.count(Post.all) == before                // true
/// try await snapshot.renew()
/// ```
///
/// It has a connection of its own, beyond those of the database, and lends it to one access at a
/// time, in the order in which they came. It outlives its database, and is closed by itself. While
/// it holds a state, SQLite keeps what was written since in the `-wal` file, which grows: renew or
/// let go of one that is old.
/// - SeeAlso: <https://www.sqlite.org/isolation.html>
public final class DatabaseSnapshot: DatabaseReader {
  /// How its database was opened.
  public let configuration: Configuration
  private let access: ConnectionAccess
  /// Stays on disk as long as the snapshot reads it.
  private let temporaryFile: TemporaryFile?

  init(of database: Database) throws {
    guard database.location.isFile else {
      throw DatabaseError.misuse(
        "a database in memory is one connection, which cannot hold a state and go on; "
          + "`Database.temporary()` is a file")
    }
    configuration = database.configuration
    temporaryFile = database.temporaryFile
    let core = try ConnectionCore(
      location: database.location, configuration: configuration, isReader: true)
    try core.holdSnapshot()
    access = ConnectionAccess(
      core, location: database.location, configuration: configuration, maximumReaders: 0,
      keepsTransaction: true)
  }

  deinit {
    // The connection goes first, then the file.
    _ = access.pool.removeAll()
  }

  /// Lets go of the state that is held, and holds what is committed now.
  ///
  /// It waits for its turn on this thread.
  public func renew() throws {
    try access.run(.writer, AccessOptions()) { core in try core.holdSnapshot() }
  }

  /// Lets go of the state that is held, and holds what is committed now.
  nonisolated(nonsending)
    public func renew() async throws
  {
    try await access.run(.writer, AccessOptions()) { core in try core.holdSnapshot() }
  }

  /// Reads the state that is held, on this thread; see `DatabaseReader`.
  public func read<Result>(
    deadline: Duration?, at place: SourcePlace, _ body: (Connection) throws -> Result
  ) throws -> Result {
    try access.run(.writer, AccessOptions(deadline: deadline, place: place)) { core in
      try core.readingSnapshot { try body(core.lend()) }
    }
  }

  /// Reads the state that is held, from asynchronous code; see `DatabaseReader`.
  nonisolated(nonsending)
    public func read<Result: Sendable>(
      on execution: ReadExecution, deadline: Duration?, at place: SourcePlace,
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    let options = AccessOptions(deadline: deadline, hops: execution == .background, place: place)
    return try await access.run(.writer, options) { core in
      try core.readingSnapshot { try body(core.lend()) }
    }
  }

  /// The same as `read`: every statement sees the state that is held.
  public func readWithoutTransaction<Result>(
    isReentrant: Bool, at place: SourcePlace, _ body: (Connection) throws -> Result
  ) throws -> Result {
    var options = AccessOptions(place: place)
    options.isReentrant = isReentrant
    return try access.run(.writer, options) { core in
      try core.readingSnapshot { try body(core.lend()) }
    }
  }

  /// The same as `read`: every statement sees the state that is held.
  nonisolated(nonsending)
    public func readWithoutTransaction<Result: Sendable>(
      on execution: ReadExecution, at place: SourcePlace,
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await read(on: execution, deadline: nil, at: place, body)
  }

  /// Ends the statement that runs, which throws `.interrupt`; the state stays held.
  public func interrupt() {
    access.pool.interrupt()
  }

  /// Lets go of the state and closes the connection; throws `.busy` while an access runs or waits.
  public func close() throws {
    try access.pool.close()
  }
}

extension Database {
  /// Holds the state that is committed now, on a connection of its own: one file opened.
  ///
  /// Throws misuse in memory, and `.cannotOpen` where the file is gone.
  public func makeSnapshot() throws -> DatabaseSnapshot {
    try access.pool.check()
    return try DatabaseSnapshot(of: self)
  }

  /// Holds the state that is committed now; the file is opened on a thread of the database.
  nonisolated(nonsending)
    public func makeSnapshot() async throws -> DatabaseSnapshot
  {
    try await access.runWithoutConnection { try DatabaseSnapshot(of: self) }
  }
}

extension ConnectionCore {
  /// Begins a transaction anew, and takes its snapshot: SQLite would wait for the first read.
  fileprivate func holdSnapshot() throws {
    rollBack()
    try run(cached: "BEGIN DEFERRED")
    try run(cached: "SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  /// Runs a closure in the transaction that is held.
  fileprivate func readingSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    guard isInTransaction else {
      throw DatabaseError(
        code: .abort, message: "SQLite let go of the snapshot after an error; `renew()` it")
    }
    return try reading { try guardingTransaction(body).0 }
  }
}
