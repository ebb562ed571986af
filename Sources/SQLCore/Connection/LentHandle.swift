/// Something of SQLite's that a user holds: ended by its owner when it goes, or by the connection when
/// its lease is over, whichever comes first.
final class LentHandle {
  private(set) var pointer: OpaquePointer?
  private let close: (OpaquePointer) -> Void

  init(_ pointer: OpaquePointer, close: @escaping (OpaquePointer) -> Void) {
    self.pointer = pointer
    self.close = close
  }

  fileprivate func end() {
    if let pointer { close(pointer) }
    pointer = nil
  }
}

extension ConnectionCore {
  /// Keeps hold of a handle, to end it with the lease.
  func keep(_ handle: LentHandle) {
    state.pointee.lentHandles[ObjectIdentifier(handle)] = handle
  }

  /// Ends a handle of the current lease.
  func end(_ handle: LentHandle) {
    state.pointee.lentHandles[ObjectIdentifier(handle)] = nil
    handle.end()
  }

  /// Ends every handle of the lease that is over.
  func endLentHandles() {
    guard !state.pointee.lentHandles.isEmpty else { return }
    let handles = state.pointee.lentHandles.values
    state.pointee.lentHandles = [:]
    for handle in handles { handle.end() }
  }

  /// Refuses what writes by other ways than a statement, where a statement would be refused.
  func checkWriting() throws {
    try checkStopped()
    if state.pointee.hookDepth > 0 { throw Self.usedInHook }
    guard allowsWriting else { throw readOnly(sql: nil) }
  }
}
