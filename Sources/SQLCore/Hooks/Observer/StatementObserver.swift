/// An observer of a connection, notified from the first step of a statement to the end of a
/// transaction. The writer has one while changes are observed, and none otherwise.
package protocol StatementObserver: AnyObject {
  /// Called when a statement that may write takes its first step.
  func statementWillRun(_ statement: StatementPointer, on core: ConnectionCore)
  /// Called when the statement ended, successfully or with an error, or was reset before its end.
  func statementDidRun(_ statement: StatementPointer, failed: Bool, on core: ConnectionCore)
  /// Called when a write that shares its transaction with others ended successfully.
  func sharedWriteDidEnd(on core: ConnectionCore)
  /// Called when a row is about to be inserted, updated or deleted. Returns false if rows of a
  /// table of that name need not be reported as long as the observer is installed.
  func rowWillChange(_ event: borrowing PreUpdateEvent) -> Bool
  /// Called when SQLite is about to commit. The commit may still fail.
  func commitHookDidFire()
  /// Called when SQLite rolled the whole transaction back.
  func rollbackHookDidFire()
}
