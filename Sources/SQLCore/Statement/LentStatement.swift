/// The memory of a user's statement: ended by the statement when it goes, or by the connection when
/// its lease is over, whichever comes first.
///
/// Between the two no thread is in doubt: a statement is used by the access that holds the lease.
final class LentStatement {
  private(set) var pointer: StatementPointer?

  init(_ pointer: StatementPointer) {
    self.pointer = pointer
  }

  fileprivate func take() -> StatementPointer? {
    defer { pointer = nil }
    return pointer
  }
}

extension ConnectionCore {
  /// Keeps hold of a statement, to end it with the lease.
  func keep(_ statement: LentStatement) {
    state.pointee.lentStatements[ObjectIdentifier(statement)] = statement
  }

  /// Ends a statement of the current lease.
  func end(_ statement: LentStatement) {
    state.pointee.lentStatements[ObjectIdentifier(statement)] = nil
    if let pointer = statement.take() { giveBack(pointer) }
  }

  /// Ends every statement of the lease that is over.
  func endLentStatements() {
    guard !state.pointee.lentStatements.isEmpty else { return }
    for statement in state.pointee.lentStatements.values {
      if let pointer = statement.take() { giveBack(pointer) }
    }
    state.pointee.lentStatements = [:]
  }
}
