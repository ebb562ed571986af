import CSQLite
import Synchronization

/// One connection of SQLite with its statement cache: what a `Connection` lends access to.
///
/// `@unchecked Sendable`: it moves between threads, and only the one that holds its lease uses it.
/// `Database` lends each core to one access at a time; a core that a user opened belongs to values
/// of `Connection`, which are not Sendable. SQLite's own mutexes are off (`SQLITE_OPEN_NOMUTEX`).
@usableFromInline
package final class ConnectionCore: @unchecked Sendable {
  let state: UnsafeMutablePointer<ConnectionState>
  package let configuration: Configuration
  package let isReader: Bool
  /// Which access the core is lent to: a `Connection` of an earlier one is stale.
  private let currentLease = Atomic<UInt64>(1)
  /// The latest lease whose access is to end.
  let cancelledLease = Atomic<UInt64>(0)
  /// Set by `interrupt()`, looked at while waiting for a lock.
  let isInterruptRequested = Atomic<Bool>(false)

  /// SQLite's connection. Not in the state, which other threads must not touch: they interrupt it.
  package let handle: OpaquePointer

  /// Opens a connection and prepares it as the configuration says.
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
    // From here on `deinit` closes, also where this throws.
    try prepare(location: location)
  }

  deinit {
    close()
    state.pointee.key.deallocate()
    state.pointee.values.deallocate()
    state.pointee.passedOver.removeAll()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Closes the connection: values of `Connection` that somebody kept must not keep the file open.
  /// Nobody may use or interrupt the core any more.
  func close() {
    guard !state.pointee.isClosed else { return }
    state.pointee.isClosed = true
    state.pointee.cache.deallocate()
    sqlite3_finalize(state.pointee.schemaVersionStatement)
    sqlite3_close_v2(handle)
  }

  // MARK: Leases

  /// The value by which an access uses the core until `endLease()`.
  package func lend() -> Connection {
    Connection(core: self, lease: currentLease.load(ordering: .relaxed))
  }

  /// Makes every `Connection` and `Statement` that was lent stale.
  package func endLease() {
    endLentStatements()
    endLentHandles()
    keepLogHook()
    state.pointee.deadline = nil
    state.pointee.asksTask = false
    state.pointee.writeLabel = nil
    state.pointee.stopReason = nil
    state.pointee.callbackFailure = nil
    state.pointee.changedConnection = false
    currentLease.wrappingAdd(1, ordering: .relaxed)
  }

  package var lease: UInt64 { currentLease.load(ordering: .relaxed) }

  package func check(lease: UInt64) throws {
    guard lease == currentLease.load(ordering: .relaxed) else {
      throw DatabaseError.misuse(
        "this connection was lent to a closure that has returned; use the one of the closure "
          + "that is running, or the database itself")
    }
  }

  // MARK: Facts

  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The error of the call that just failed.
  package func error(_ code: Int32, sql: String? = nil) -> DatabaseError {
    DatabaseError(code: code, handle: handle, sql: sql)
  }

  package func check(_ code: Int32, sql: @autoclosure () -> String? = nil) throws {
    guard code == SQLITE_OK else {
      throw takeCallbackFailure(sql: sql()) ?? error(code, sql: sql())
    }
  }

  /// Whether the statements that run now may write.
  package var allowsWriting: Bool {
    get { state.pointee.allowsWriting }
    set { state.pointee.allowsWriting = newValue }
  }
}
