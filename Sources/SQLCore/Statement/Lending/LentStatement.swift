/// The memory of a user's `Statement`. It is freed when the `Statement` is deinitialised or when
/// the lease of its connection ends, whichever comes first.
///
/// No lock is needed: only the access that holds the lease uses the statement.
final class LentStatement {
  private(set) var pointer: StatementPointer?

  init(_ pointer: StatementPointer) {
    self.pointer = pointer
  }

  /// Returns the memory, which the caller frees; nil if it was taken before.
  func take() -> StatementPointer? {
    defer { pointer = nil }
    return pointer
  }
}
