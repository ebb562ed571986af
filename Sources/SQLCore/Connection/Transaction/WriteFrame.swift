import CSQLite

/// The work that the library does at the beginning and at the end of each write, inside its
/// transaction.
///
/// SQLite has no trigger that fires at a commit. The change log uses this to know where the changes
/// of one write end.
package struct WriteFrame: Sendable {
  let begin: @Sendable (ConnectionCore) throws -> Void
  let end: @Sendable (ConnectionCore) throws -> Void
  /// A value of the module that made the frame.
  package let context: (any Sendable)?

  package init(
    for context: (any Sendable)? = nil,
    begin: @escaping @Sendable (ConnectionCore) throws -> Void,
    end: @escaping @Sendable (ConnectionCore) throws -> Void
  ) {
    self.context = context
    self.begin = begin
    self.end = end
  }
}

extension Registration {
  /// Runs the frame around the writes of the connections that may write. There is one frame: a
  /// later one replaces it.
  package static func framing(_ frame: WriteFrame) -> Registration {
    Registration(Key(kind: .setting, name: "write_frame")) { core in
      if !core.isReader { core.state.pointee.transaction.frame = frame }
    }
  }
}

extension ConnectionCore {
  /// The context of the frame around writes; nil without a frame.
  package var frameContext: (any Sendable)? { state.pointee.transaction.frame?.context }

  /// Runs what belongs to the beginning of a write. A deferred transaction may be a read, so it is
  /// left alone.
  func beginWrite(_ kind: TransactionKind = .immediate) throws {
    guard let frame = state.pointee.transaction.frame, kind != .deferred else { return }
    try frame.begin(self)
  }

  /// Runs what belongs to the end of a write, before its COMMIT or RELEASE.
  package func endWrite() throws {
    if state.pointee.uniqueIDs.isUsed { try keepUniqueIDMark() }
    guard let frame = state.pointee.transaction.frame,
      sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE
    else { return }
    try frame.end(self)
  }
}
