import CSQLite
import Synchronization

/// An SQLite connection with its statement cache: the object that a `Connection` gives access to.
///
/// `@unchecked Sendable`: it moves between threads, and only the thread that holds its lease uses
/// it. `Database` lends each core to one access at a time. A core that a caller opened belongs to
/// values of `Connection`, which are not Sendable. SQLite's own mutexes are off
/// (`SQLITE_OPEN_NOMUTEX`).
@usableFromInline
package final class ConnectionCore: @unchecked Sendable {
  let state: UnsafeMutablePointer<ConnectionState>
  package let configuration: Configuration
  package let isReader: Bool
  /// The number of the current access. A `Connection` with an earlier number is stale.
  private let currentLease = Atomic<UInt64>(1)
  /// The latest lease that was cancelled.
  let cancelledLease = Atomic<UInt64>(0)
  /// Set by `interrupt()` and checked while waiting for a lock.
  let isInterruptRequested = Atomic<Bool>(false)

  /// The SQLite connection. It is not part of the state, which other threads must not touch: they
  /// use the handle to interrupt.
  package let handle: OpaquePointer

  /// Opens a connection and applies the configuration.
  package init(location: DatabaseLocation, configuration: Configuration, isReader: Bool) throws {
    let handle = try location.open(configuration, isReader: isReader)
    self.handle = handle
    self.configuration = configuration
    self.isReader = isReader
    state = .allocate(capacity: 1)
    state.initialize(
      to: ConnectionState(
        handle: handle, configuration: configuration,
        allowsWriting: !isReader && !configuration.isReadOnly))
    // From here on `deinit` closes the handle, even if this throws.
    try prepare(location: location)
  }

  deinit {
    close()
    state.pointee.statements.deallocate()
    state.pointee.observation.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Closes the connection, so that a `Connection` value that a caller still holds does not keep
  /// the file open. The core must not be used or interrupted afterwards.
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

  /// Returns the value by which an access uses the core until `endLease()`.
  package func lend() -> Connection {
    Connection(core: self, lease: currentLease.load(ordering: .relaxed))
  }

  /// Ends the lease: every `Connection` and `Statement` that was lent becomes stale.
  package func endLease() {
    endLentStatements()
    endLentHandles()
    keepLogHook()
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

  /// The rowid of the last insert. A value that is set here lasts until the next insert.
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
