import CSQLite
import Synchronization

/// An SQLite connection with its statement cache: the object that a `Connection` gives access to.
///
/// `@unchecked Sendable`: a core moves between threads, but only one thread at a time uses it.
/// `Database` gives each core to one access at a time. A core that a caller opened is used only
/// through values of `Connection`, which are not Sendable. SQLite's own mutexes are off
/// (`SQLITE_OPEN_NOMUTEX`).
@usableFromInline
package final class ConnectionCore: @unchecked Sendable {
  let state: UnsafeMutablePointer<ConnectionState>
  package let configuration: Configuration
  package let isReader: Bool
  /// The number of the current access (its lease of the core). Each `Connection` stores the number
  /// of the access for which it was made. If another access is current, the connection throws
  /// misuse.
  private let currentLease = Atomic<UInt64>(1)
  /// The number of the access that was cancelled last.
  let cancelledLease = Atomic<UInt64>(0)
  /// Whether `interrupt()` was called since the last statement began. Waits for locks check this.
  let isInterruptRequested = Atomic<Bool>(false)

  /// The handle of the SQLite connection. It is not part of the state, because `interrupt()` uses
  /// the handle from other threads, which must not touch the state.
  package let handle: OpaquePointer

  /// Opens a connection and applies the configuration.
  ///
  /// - Parameter isBare: Whether to apply only the encryption key and no other setting, because a
  ///   copy will overwrite or replace the file.
  package init(
    location: DatabaseLocation, configuration: Configuration, isReader: Bool, isBare: Bool = false
  ) throws {
    let handle = try location.open(configuration, isReader: isReader)
    self.handle = handle
    self.configuration = configuration
    self.isReader = isReader
    state = .allocate(capacity: 1)
    state.initialize(
      to: ConnectionState(
        handle: handle, configuration: configuration,
        allowsWriting: !isReader && !configuration.isReadOnly))
    // From here on, the handle is closed by `deinit`, even if the next line throws.
    if isBare { try unlock(location) } else { try prepare(location: location) }
  }

  deinit {
    close()
    state.pointee.statements.deallocate()
    state.pointee.observation.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Closes the connection. The file closes even if a caller still holds a `Connection` value. The
  /// core must not be used or interrupted afterwards.
  func close() {
    guard !state.pointee.isClosed else { return }
    state.pointee.isClosed = true
    if state.pointee.kept.isKept { endKeptSnapshot() }
    state.pointee.kept.finalize()
    state.pointee.statements.finalize()
    state.pointee.remote?.close()
    sqlite3_close_v2(handle)
  }

  // MARK: Leases

  /// Returns a `Connection` for the current access. The connection is valid until `endLease()`.
  package func lend() -> Connection {
    Connection(core: self, lease: currentLease.load(ordering: .relaxed))
  }

  /// Ends the current access. From now on, the `Connection` values and statements of the access
  /// throw misuse.
  package func endLease() {
    endLentStatements()
    endLentHandles()
    keepWALHook()
    state.pointee.observation.label(nil)
    state.pointee.hooks.forgetFailure()
    state.pointee.access.end()
    state.pointee.transaction.endAccess()
    currentLease.wrappingAdd(1, ordering: .relaxed)
  }

  package var lease: UInt64 { currentLease.load(ordering: .relaxed) }

  @usableFromInline
  package func check(lease: UInt64) throws {
    guard lease == currentLease.load(ordering: .relaxed) else {
      throw DatabaseError.misuse(
        "this connection was lent to a closure that has returned; use the connection of the "
          + "closure that is running, or the database itself")
    }
  }

  // MARK: Facts

  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  package var changeCount: Int {
    state.pointee.remote.map { $0.changeCount } ?? Int(sqlite3_changes64(handle))
  }

  /// The maximum number of parameters of a statement.
  package var maximumParameterCount: Int {
    Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
  }

  /// The rowid of the row that was inserted last. If this property is set to another value, SQLite
  /// returns that value until the next insert.
  package var lastInsertRowID: Int64 {
    get { sqlite3_last_insert_rowid(handle) }
    set { sqlite3_set_last_insert_rowid(handle, newValue) }
  }

  /// Returns the error of the call that has just failed.
  package func error(_ code: Int32, sql: String? = nil) -> DatabaseError {
    DatabaseError(code: code, handle: handle, sql: sql)
  }

  package func check(_ code: Int32, sql: @autoclosure () -> String? = nil) throws {
    guard code == SQLITE_OK else {
      throw state.pointee.hooks.takeFailure()?.thrown(sql: sql()) ?? error(code, sql: sql())
    }
  }

  /// Whether statements of the current access may write.
  package var allowsWriting: Bool {
    get { state.pointee.access.allowsWriting }
    set { state.pointee.access.allowWriting(newValue) }
  }
}

/// The mutable state of a connection, kept in raw memory. Each subsystem, such as the hooks, has
/// one property with its own part of the state. Other subsystems use this part only through its
/// methods.
///
/// Swift would check each use of a class's properties for exclusive access. The check is not needed
/// here, because the lease ensures that only one thread at a time uses a connection. A method that
/// changes one of the parts must not call SQLite or a caller's code, because both might use the
/// same part again. Such a method therefore only returns the work to be done, and `ConnectionCore`
/// does the work.
struct ConnectionState {
  let handle: OpaquePointer
  /// Whether the handle is closed.
  var isClosed = false
  /// The folder against which `attach(path:as:)` resolves relative paths while the connection is
  /// prepared. A connection may open long after its database, when the working folder has changed.
  var attachingFolder: String?
  /// Whether the library checks, at the end of each statement, how many rows the statement scanned.
  var watchesScans: Bool
  /// The connection to the engine of a remote database, which runs the SQL outside of this process,
  /// for example in a cluster. Nil for a local database.
  var remote: (any RemoteConnection)?
  var statements: StatementLender
  var lent = LentObjects()
  var access: AccessState
  var transaction = TransactionState()
  var uniqueIDs = UniqueIDMark()
  var kept: KeptSnapshot
  var hooks = HookState()
  var observation = ObservationState()
  var cacheFeed = CacheFeed()
  var cachedTables = CachedTables()
  var resultTables = ResultTables()
  /// Whether a table is STRICT, for each table that was checked since this connection last changed
  /// the schema. The key is the name of the table.
  var strictTables: [String: Bool] = [:]
  /// Whether the running access has replaced the whole content of the database.
  var isContentReplaced = false
  var authorizer = AuthorizerState()
  var wal = WALState()
  var registrations = RegistrationState()
  /// The parameter values of the prepared query that a live query is evaluating now.
  var statementArguments: [DatabaseValue] = []

  init(handle: OpaquePointer, configuration: Configuration, allowsWriting: Bool) {
    self.handle = handle
    watchesScans = configuration.onTableScan != nil
    statements = StatementLender(configuration)
    kept = KeptSnapshot(configuration)
    access = AccessState(allowsWriting: allowsWriting)
  }
}

extension ConnectionCore {
  /// Returns a number that changes when another connection commits to the file, but not when this
  /// connection commits.
  ///
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_data_version>
  package func dataVersion() throws -> Int32 {
    if let remote = state.pointee.remote { return try remote.dataVersion() }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, "PRAGMA data_version", -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw error(code) }
    return sqlite3_column_int(statement, 0)
  }

  /// A number that changes with each commit of this connection to the main database. If another
  /// connection commits, the number changes when this connection next begins to read. Reading the
  /// number runs no statement, so a commit hook may use it.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>
  package var contentVersion: UInt32 {
    // If the engine does not answer, −1 is returned, so that the caller assumes that the content
    // has changed.
    if let remote = state.pointee.remote {
      return UInt32(bitPattern: (try? remote.dataVersion()) ?? -1)
    }
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Returns the version of the main database's schema, a number that each change of the schema
  /// increases. Runs one short statement, which is not reported to the connection's observer.
  package func schemaVersion() throws -> Int32 {
    let statement = try state.pointee.statements.schemaVersion ?? prepareSchemaVersion()
    let code = sqlite3_step(statement)
    defer { sqlite3_reset(statement) }
    guard code == SQLITE_ROW else { throw error(code) }
    return sqlite3_column_int(statement, 0)
  }

  private func prepareSchemaVersion() throws -> OpaquePointer? {
    var statement: OpaquePointer?
    try check(
      sqlite3_prepare_v3(
        handle, "PRAGMA schema_version", -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    state.pointee.statements.keep(schemaVersion: statement)
    return statement
  }
}
