/// The SQLite objects that the closure of the current access uses: prepared statements, BLOBs and
/// sessions. They end when the access ends.
///
/// The methods of this type only store and remove the objects. `ConnectionCore` ends them, because
/// ending an object runs code of SQLite and of observers.
struct LentObjects {
  private var statements: [ObjectIdentifier: LentStatement] = [:]
  private var handles: [ObjectIdentifier: LentHandle] = [:]

  mutating func keep(_ statement: LentStatement) {
    statements[ObjectIdentifier(statement)] = statement
  }

  mutating func keep(_ handle: LentHandle) {
    handles[ObjectIdentifier(handle)] = handle
  }

  mutating func remove(_ statement: LentStatement) {
    statements[ObjectIdentifier(statement)] = nil
  }

  mutating func remove(_ handle: LentHandle) {
    handles[ObjectIdentifier(handle)] = nil
  }

  var hasStatements: Bool { !statements.isEmpty }
  var hasHandles: Bool { !handles.isEmpty }

  /// Removes and returns every statement.
  mutating func takeStatements() -> Dictionary<ObjectIdentifier, LentStatement>.Values {
    defer { statements = [:] }
    return statements.values
  }

  /// Removes and returns every object that is not a statement, such as a BLOB.
  mutating func takeHandles() -> Dictionary<ObjectIdentifier, LentHandle>.Values {
    defer { handles = [:] }
    return handles.values
  }
}

extension ConnectionCore {
  // MARK: Statements

  /// Registers a statement, so that it ends when the access ends.
  func keep(_ statement: LentStatement) {
    state.pointee.lent.keep(statement)
  }

  /// Ends a statement of the current access.
  func end(_ statement: LentStatement) {
    state.pointee.lent.remove(statement)
    if let pointer = statement.take() { giveBack(pointer) }
  }

  /// Ends the statements that callers still hold. This method is called, for example, at the end of
  /// an access.
  func endLentStatements() {
    guard state.pointee.lent.hasStatements else { return }
    for statement in state.pointee.lent.takeStatements() {
      if let pointer = statement.take() { giveBack(pointer) }
    }
  }

  // MARK: Other objects

  /// Stores a handle, such as that of a BLOB, so that it is closed when the access ends.
  func keep(_ handle: LentHandle) {
    state.pointee.lent.keep(handle)
  }

  /// Closes a handle, such as that of a BLOB, before the access ends.
  func end(_ handle: LentHandle) {
    state.pointee.lent.remove(handle)
    handle.end()
  }

  /// Closes the handles that callers still hold. This method is called at the end of an access.
  func endLentHandles() {
    guard state.pointee.lent.hasHandles else { return }
    for handle in state.pointee.lent.takeHandles() { handle.end() }
  }
}

/// An SQLite object that a caller holds, such as a BLOB or a session. It is closed when the Swift
/// object that uses it is released or when the access to the connection ends, whichever comes
/// first.
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

/// The memory of a user's `Statement`. It is freed when the `Statement` is deinitialised or when
/// the access to its connection ends, whichever comes first.
///
/// No lock is needed: only the current access uses the statement.
final class LentStatement {
  private(set) var pointer: StatementPointer?

  init(_ pointer: StatementPointer) {
    self.pointer = pointer
  }

  /// Returns the memory of the statement, which the caller must then free. Returns nil if the
  /// memory was already taken.
  func take() -> StatementPointer? {
    defer { pointer = nil }
    return pointer
  }
}
