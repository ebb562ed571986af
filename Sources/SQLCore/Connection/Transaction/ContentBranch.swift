import CSQLite

/// A connection's note of the content that it writes: whether the file may have other content than
/// after the connection's last write.
///
/// A file may have been restored or copied before it was opened, and a backup may replace its
/// content while it is open. Every backup changes the version of the schema, so SQLite recompiles
/// the connection's statements. `WriteFrame` runs a statement at each write anyway. The counters of
/// that statement show whether SQLite recompiled it, so that a write costs no further statement.
struct ContentBranch {
  /// The number under which the file has the branch; nil if the branch must still be noted in the
  /// file.
  private var number: Int64?
  /// The content's version when the branch was noted. The note may be rolled back until another
  /// version shows that the transaction was committed.
  private var notedVersion: UInt32 = 0
  private var isCommitted = false
  private var schemaVersion: Int32 = 0
  /// The statement that ran last, how often it ran, and how often SQLite recompiled it.
  private var statement: OpaquePointer?
  private var runs: Int32 = 0
  private var compilations: Int32 = 0

  /// Returns whether the branch is noted for certain, and the statement was not compiled again
  /// since. A new statement at the address of an evicted one has run less often.
  @inline(__always)
  fileprivate mutating func isKnown(to handle: OpaquePointer?) -> Bool {
    let ran = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_RUN, 0)
    defer { runs = ran }
    return handle == statement && ran > runs
      && sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) == compilations
  }

  fileprivate mutating func follow(
    _ core: ConnectionCore, _ handle: OpaquePointer?,
    _ note: (_ number: Int64?) throws -> Int64
  ) throws {
    let isRemote = core.state.pointee.remote != nil
    let version = isRemote ? 0 : try core.schemaVersion()
    if version != schemaVersion {
      number = nil
      isCommitted = false
    }
    if !isCommitted {
      // An engine elsewhere shares no transaction among several writes.
      let present = isRemote ? notedVersion &+ 1 : core.contentVersion
      let noted = try note(number)
      isCommitted = noted == number && present != notedVersion
      if noted != number { notedVersion = present }
      number = noted
      // Noting it may create a table.
      schemaVersion = isRemote ? 0 : try core.schemaVersion()
    }
    statement = isCommitted ? handle : nil
    compilations = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
  }
}

extension ConnectionCore {
  /// Runs one of the library's own statements as `run(cached:)` does. Then runs a closure if the
  /// file may have other content than after this connection's last write: after opening, and after
  /// a backup has replaced the content.
  ///
  /// - Parameter note: notes the branch of the content in the file, unless the number that it gets
  ///   is noted there already. Returns the number of the note.
  package func run(
    cached text: String, notingBranch note: (_ number: Int64?) throws -> Int64
  ) throws {
    let statement = try lendStatement(text: text)
    defer { giveBack(statement) }
    state.pointee.transaction.willRunOwnStatement()
    defer { state.pointee.transaction.didRunOwnStatement() }
    try start(statement)
    try run(statement)
    let handle = statement.handle
    guard !state.pointee.transaction.branch.isKnown(to: handle) else { return }
    var branch = state.pointee.transaction.branch
    try branch.follow(self, handle, note)
    state.pointee.transaction.branch = branch
  }
}
