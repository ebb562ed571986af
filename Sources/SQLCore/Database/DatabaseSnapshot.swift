/// A fixed state of a database, from which the program reads. Later commits become visible only
/// when the program calls `renew()`.
///
/// ```swift
/// let snapshot = try await db.makeSnapshot()
/// let before = try await snapshot.count(Post.all)
/// try await db.insert(post)
/// try await snapshot.count(Post.all) == before                // true
/// try await snapshot.renew()
/// ```
///
/// A snapshot has its own connection, in addition to the connections of the database. It has the
/// functions, collations and other registrations of the database. Accesses use this connection one
/// at a time, in the order in which they were requested. A snapshot may outlive its database, and
/// is closed separately. While a snapshot holds its state, SQLite keeps all later writes in the
/// `-wal` file. Renew or release an old snapshot, because the file grows.
/// - SeeAlso: <https://www.sqlite.org/isolation.html>
public final class DatabaseSnapshot: DatabaseReader {
  /// The configuration of the database from which the snapshot was made.
  public let configuration: Configuration
  private let access: ConnectionAccess
  /// The temporary file, if the database is in one. The file stays on disk as long as this
  /// reference exists.
  private let temporaryFile: TemporaryFile?

  init(of database: Database) throws {
    try database.requireLocal("a snapshot")
    guard database.location.isFile else {
      throw DatabaseError.misuse(
        "a database in memory has only one connection, so it cannot have snapshots; "
          + "use `Database.temporary()`, which is a file")
    }
    configuration = database.configuration
    temporaryFile = database.temporaryFile
    let core = try ConnectionCore(
      location: database.location, configuration: configuration, isReader: true)
    let registrations = database.access.registrations
    try registrations.apply(to: core)
    try core.holdSnapshot()
    access = ConnectionAccess(
      core, location: database.location, configuration: configuration, maximumReaders: 0,
      registrations: registrations, keepsTransaction: true)
  }

  deinit {
    // If the database is in a temporary file, the connection must close before the file is deleted.
    // The file is deleted when this object's properties are released.
    _ = access.pool.removeAll()
  }

  /// Moves the snapshot to the newest committed state of the database.
  ///
  /// This thread waits while earlier accesses run.
  public func renew() throws {
    try access.run(.writer, AccessOptions()) { core in try core.holdSnapshot() }
  }

  /// Moves the snapshot to the newest committed state of the database. The task suspends while
  /// earlier accesses run.
  public func renew() async throws {
    try await access.run(.writer, AccessOptions()) { core in try core.holdSnapshot() }
  }

  /// Reads the state of the snapshot, on this thread; programs do not use it directly, but call
  /// `read`.
  public func _read<Result>(
    _ deadline: Duration?, _ fileID: StaticString, _ line: UInt,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    let options = AccessOptions(deadline: deadline, place: SourcePlace(fileID, line))
    return try access.run(.writer, options) { core in
      try core.readingSnapshot { try body(core.lend()) }
    }
  }

  /// Reads the state of the snapshot, from asynchronous code; programs do not use it directly, but
  /// call `read`.
  public func _read<Result: Sendable>(
    on execution: ReadExecution, _ deadline: Duration?, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let options = AccessOptions(
      deadline: deadline, hops: execution == .background, place: SourcePlace(fileID, line))
    return try await access.run(.writer, options) { core in
      try core.readingSnapshot { try body(core.lend()) }
    }
  }

  /// Reads the state of the snapshot as `read` does; programs do not use it directly, but call
  /// `readWithoutTransaction`. Unlike on a database, all statements see the same state.
  public func _readWithoutTransaction<Result>(
    isReentrant: Bool, _ fileID: StaticString, _ line: UInt,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    var options = AccessOptions(place: SourcePlace(fileID, line))
    options.isReentrant = isReentrant
    return try access.run(.writer, options) { core in
      try core.readingSnapshot { try body(core.lend()) }
    }
  }

  /// Reads the state of the snapshot as `read` does; programs do not use it directly, but call
  /// `readWithoutTransaction`. Unlike on a database, all statements see the same state.
  public func _readWithoutTransaction<Result: Sendable>(
    on execution: ReadExecution, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await _read(on: execution, nil, fileID, line, body)
  }

  /// Runs one statement of a query on the state of the snapshot, on this thread;
  /// programs do not use it directly, but call `find`, `fetch` and the like.
  public func _readOnce<Result>(
    _ fileID: StaticString, _ line: UInt, _ body: (Connection) throws -> Result
  ) throws -> Result {
    try _read(nil, fileID, line, body)
  }

  /// Runs one statement of a query on the state of the snapshot, from asynchronous code;
  /// programs do not use it directly, but call `find`, `fetch` and the like.
  public func _readOnce<Result: Sendable>(
    on execution: ReadExecution, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await _read(on: execution, nil, fileID, line, body)
  }

  /// Interrupts the running statement, which then throws `.interrupt`. The snapshot keeps its
  /// state.
  public func interrupt() {
    access.pool.interrupt()
  }

  /// Releases the state and closes the connection. Throws `.busy` while an access runs or waits.
  public func close() throws {
    try access.pool.close()
  }
}

extension Database {
  /// Returns a snapshot of the currently committed state. The snapshot opens its own connection to
  /// the file.
  ///
  /// Throws misuse if the database is in memory, and `.cannotOpen` if the file no longer exists.
  public func makeSnapshot() throws -> DatabaseSnapshot {
    try access.pool.check()
    return try DatabaseSnapshot(of: self)
  }

  /// Returns a snapshot of the currently committed state. The file is opened on a thread of the
  /// database.
  public func makeSnapshot() async throws -> DatabaseSnapshot {
    try await access.runWithoutConnection { try DatabaseSnapshot(of: self) }
  }
}

extension ConnectionCore {
  /// Begins a new transaction and takes its snapshot, which SQLite would otherwise take only at the
  /// first read.
  fileprivate func holdSnapshot() throws {
    // The transaction ends with a COMMIT, because a rollback would also remove a temporary view
    // that was registered while the transaction was open.
    if isInTransaction { try? run(cached: "COMMIT") }
    rollBack()
    try run(cached: "BEGIN DEFERRED")
    try run(cached: "SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  /// Runs a closure in the read transaction that the snapshot keeps open.
  fileprivate func readingSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    guard isInTransaction else {
      throw DatabaseError(
        code: .abort, message: "SQLite released the snapshot after an error; call `renew()`")
    }
    return try reading { try guardingTransaction(body).0 }
  }
}
