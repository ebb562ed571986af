/// An SQLite object that a caller holds, such as a BLOB or a session. It is closed when its owner
/// is released or when the lease of the connection ends, whichever comes first.
final class LentHandle {
  private(set) var pointer: OpaquePointer?
  private let close: (OpaquePointer) -> Void

  init(_ pointer: OpaquePointer, close: @escaping (OpaquePointer) -> Void) {
    self.pointer = pointer
    self.close = close
  }

  func end() {
    if let pointer { close(pointer) }
    pointer = nil
  }
}
