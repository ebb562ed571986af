import CSQLite

/// A connection's knowledge about the content of its file: whether other content may have replaced
/// the content since the connection's last write.
///
/// A file may have been restored or copied before it was opened, and a backup may replace its
/// content while it is open. Every backup changes the version of the schema, so SQLite recompiles
/// the connection's statements. `WriteFrame` runs a statement at each write anyway. The counters of
/// this statement show whether SQLite has recompiled it, so the check costs no further statement.
struct ContentBranch {
  /// The number of the branch's note in the file; nil if the file has no note of the branch yet.
  private var number: Int64?
  /// The version of the content when the branch was noted. A different version later shows that the
  /// transaction with the note was committed. Until then, the note may be rolled back.
  private var notedVersion: UInt32 = 0
  private var isCommitted = false
  private var schemaVersion: Int32 = 0
  /// The statement that ran last, how often it ran, and how often SQLite recompiled it.
  private var statement: OpaquePointer?
  private var runs: Int32 = 0
  private var compilations: Int32 = 0

  /// Returns whether the branch is known to be noted, and the statement was not compiled again
  /// since. A new statement may have the address of an evicted one. It is recognised because it has
  /// run less often.
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
      // The note may have created a table.
      schemaVersion = isRemote ? 0 : try core.schemaVersion()
    }
    statement = isCommitted ? handle : nil
    compilations = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
  }
}

extension ConnectionCore {
  /// Runs one of the library's own statements as `run(cached:)` does. Then runs a closure if other
  /// content may have replaced the file's content since this connection's last write. This is so
  /// after opening, and after a backup has replaced the content.
  ///
  /// - Parameter note: A closure that notes the branch of the content in the file, unless the file
  ///   already has a note with the given number. Returns the number of the note.
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
