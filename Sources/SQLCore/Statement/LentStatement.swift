/// The memory of a user's `Statement`. It is freed when the `Statement` is deinitialised or when
/// the lease of its connection ends, whichever comes first.
///
/// No lock is needed: only the access that holds the lease uses the statement.
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
  /// Registers a statement, so that it is ended together with the lease.
  func keep(_ statement: LentStatement) {
    state.pointee.lentStatements[ObjectIdentifier(statement)] = statement
  }

  /// Ends a statement of the current lease.
  func end(_ statement: LentStatement) {
    state.pointee.lentStatements[ObjectIdentifier(statement)] = nil
    if let pointer = statement.take() { giveBack(pointer) }
  }

  /// Ends every statement that is left of a lease that is over.
  func endLentStatements() {
    guard !state.pointee.lentStatements.isEmpty else { return }
    for statement in state.pointee.lentStatements.values {
      if let pointer = statement.take() { giveBack(pointer) }
    }
    state.pointee.lentStatements = [:]
  }
}
