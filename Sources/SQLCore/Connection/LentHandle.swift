/// An SQLite object that a caller holds, such as a BLOB or a session. It is closed when its owner
/// is released or when the lease of the connection ends, whichever comes first.
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
  /// Stores a handle, so that it is closed when the lease ends.
  func keep(_ handle: LentHandle) {
    state.pointee.lentHandles[ObjectIdentifier(handle)] = handle
  }

  /// Closes a handle of the current lease.
  func end(_ handle: LentHandle) {
    state.pointee.lentHandles[ObjectIdentifier(handle)] = nil
    handle.end()
  }

  /// Closes every handle of the lease that has ended.
  func endLentHandles() {
    guard !state.pointee.lentHandles.isEmpty else { return }
    let handles = state.pointee.lentHandles.values
    state.pointee.lentHandles = [:]
    for handle in handles { handle.end() }
  }

  /// Throws wherever a statement that writes would be refused. It is for writes that are not made
  /// by a statement.
  func checkWriting() throws {
    try checkStopped()
    if state.pointee.hookDepth > 0 { throw Self.usedInHook }
    guard allowsWriting else { throw readOnly(sql: nil) }
  }
}
