/// The observer of a connection, and the data that the observer needs about the current write and
/// the running statement.
///
/// The methods do not call the observer, because the observer may use this value during the call.
///
/// The methods that run for each statement or row are inlined, so that a call copies and retains
/// nothing.
struct ObservationState {
  /// A pointer to the observer of statements, rows and transactions; nil if there is no observer.
  ///
  /// The pointer stays valid while a statement or a transaction runs, because an observer is set
  /// only between transactions.
  private(set) var installed: UnsafeMutablePointer<InstalledObserver>?
  /// Whether row changes are reported to the observer.
  private(set) var observesRows = false
  /// The handle of the statement that is writing now. It is set from the first step of the
  /// statement to its end.
  private(set) var writingStatement: OpaquePointer?
  /// The name that the program has given to the current write, for observers.
  private(set) var writeLabel: String?
  /// The author that the program has named for the current write.
  private(set) var writeAuthor: String?
  /// The tables whose row changes the observer does not need.
  private var passedOver = RecentTables()
  /// The last table that the running statement changed and whose changes the observer does not
  /// need. The table is identified by the address of its name, because no other name can have this
  /// address while the statement runs.
  private var lastPassedOver: UnsafePointer<CChar>?

  /// Frees the memory that this value has allocated, and releases the observer.
  mutating func deallocate() {
    passedOver.removeAll()
    install(nil)
  }

  mutating func set(_ observer: (any StatementObserver)?, hooksRows: Bool) {
    install(observer)
    observesRows = observer != nil && hooksRows
    passedOver.removeAll()
    lastPassedOver = nil
  }

  /// The observer; nil if there is no observer.
  var observer: (any StatementObserver)? { installed?.pointee.observer }

  private mutating func install(_ observer: (any StatementObserver)?) {
    installed?.deinitialize(count: 1)
    installed?.deallocate()
    installed = nil
    guard let observer else { return }
    let place = UnsafeMutablePointer<InstalledObserver>.allocate(capacity: 1)
    place.initialize(to: InstalledObserver(observer: observer))
    installed = place
  }

  mutating func label(_ label: String?) {
    writeLabel = label
    writeAuthor = nil
  }

  mutating func name(author: String?) {
    writeAuthor = author
  }

  // MARK: Statements

  mutating func willWrite(_ statement: OpaquePointer) {
    writingStatement = statement
  }

  mutating func didWrite() {
    writingStatement = nil
  }

  /// Returns a pointer to the observer, so that the caller can notify it that a statement begins or
  /// ends. Also clears `lastPassedOver`, because another table's name may have this address from
  /// now on.
  @inline(__always)
  mutating func observerOfStatement() -> UnsafeMutablePointer<InstalledObserver>? {
    guard let installed else { return nil }
    lastPassedOver = nil
    return installed
  }

  // MARK: Tables

  /// Returns whether the table is the one in `lastPassedOver`. If it is, the observer need not be
  /// asked again.
  @inline(__always)
  func passesOver(_ table: UnsafePointer<CChar>) -> Bool { lastPassedOver == table }

  /// Whether the observer has said that it does not need changes of the event's table.
  @inline(__always)
  func passesOver(_ event: borrowing PreUpdateEvent) -> Bool {
    passedOver.value(of: event) != nil
  }

  /// Notes that the observer does not need changes of the event's table.
  mutating func passOver(_ event: borrowing PreUpdateEvent) {
    passedOver.note(0, of: event)
  }

  /// Notes that the observer does not need further changes of this table by the running statement.
  mutating func passOver(_ table: UnsafePointer<CChar>) {
    lastPassedOver = table
  }
}

/// A holder of the observer of a connection. It is stored in memory that belongs to the connection.
///
/// The type is noncopyable, so that Swift borrows the observer for a call. If the observer were
/// called through a property of the connection, Swift would retain and release it three times for
/// each statement.
struct InstalledObserver: ~Copyable {
  let observer: any StatementObserver

  @inline(__always)
  func statementWillRun(_ statement: StatementPointer, on core: ConnectionCore) {
    observer.statementWillRun(statement, on: core)
  }

  @inline(__always)
  func statementDidRun(_ statement: StatementPointer, failed: Bool, on core: ConnectionCore) {
    observer.statementDidRun(statement, failed: failed, on: core)
  }

  @inline(__always)
  func rowWillChange(_ event: borrowing PreUpdateEvent) -> Bool {
    observer.rowWillChange(event)
  }
}

/// An observer of the statements, row changes and transactions of a connection. The writer has an
/// observer while changes are observed.
package protocol StatementObserver: AnyObject {
  /// Called when a statement that may write takes its first step.
  func statementWillRun(_ statement: StatementPointer, on core: ConnectionCore)
  /// Called when the statement ended, successfully or with an error, or was reset before its end.
  func statementDidRun(_ statement: StatementPointer, failed: Bool, on core: ConnectionCore)
  /// Called when a write has ended successfully, if it shares its transaction with other writes.
  func sharedWriteDidEnd(on core: ConnectionCore)
  /// Called when a row is about to be inserted, updated or deleted. Returns false if the observer
  /// does not need rows of a table with that name.
  func rowWillChange(_ event: borrowing PreUpdateEvent) -> Bool
  /// Called when SQLite is about to commit. The commit may still fail.
  func commitHookDidFire()
  /// Called when SQLite rolled the whole transaction back.
  func rollbackHookDidFire()
}
