/// Told of what a connection does, between the first step of a statement and the end of a
/// transaction. One is installed on the writer while somebody observes, and none otherwise.
package protocol ConnectionObserver: AnyObject {
  /// A statement that may write takes its first step.
  func statementWillRun(_ statement: StatementPointer, on core: ConnectionCore)
  /// It ended, well or with an error, or was reset half-way.
  func statementDidRun(_ statement: StatementPointer, failed: Bool, on core: ConnectionCore)
  /// A write that shares its transaction with others ended well.
  func sharedWriteDidEnd(on core: ConnectionCore)
  /// A row is about to be inserted, updated or deleted. False where rows of a table of that name
  /// never matter, as long as the observer is installed.
  func rowWillChange(_ event: borrowing PreUpdateEvent) -> Bool
  /// SQLite is about to commit; the commit may still fail.
  func commitHookDidFire()
  /// SQLite rolled the whole transaction back.
  func rollbackHookDidFire()
}
