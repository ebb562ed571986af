import CSQLite

/// A check of whether the content of a file may have been replaced since this connection's last
/// write, for example by a backup.
///
/// Replaced content counts as a new branch. The change log stores the number of the branch in a
/// note, which is a row of one of the log's tables. A new branch begins in these cases:
/// - The connection writes for the first time. The file may have been restored or copied before it
///   was opened.
/// - A backup has replaced the content of the open file.
///
/// A backup changes the version of the schema, so SQLite recompiles the connection's statements.
/// One of them is a statement that `WriteFrame` runs at each write. SQLite counts how often it
/// recompiles this statement. Later writes only read this count, and therefore need no further
/// statement for the check.
struct ContentBranch {
  /// The number of the current branch, as stored in the note; nil if no note is known.
  private var number: Int64?
  /// The version of the content (`contentVersion`) when the note about the branch was written. As
  /// long as the content has this version, the transaction that wrote the note may still be rolled
  /// back. When the version has changed, the note is committed.
  private var notedVersion: UInt32 = 0
  private var isCommitted = false
  private var schemaVersion: Int32 = 0
  /// The statement that `run(cached:notingBranch:)` ran last. `runs` is the number of times that
  /// the statement had run, and `compilations` is the number of times that SQLite had recompiled
  /// it.
  private var statement: OpaquePointer?
  private var runs: Int32 = 0
  private var compilations: Int32 = 0

  /// Returns whether the file certainly still has the note about the branch. This is the case if
  /// the note was committed, and if SQLite has not recompiled the statement of `WriteFrame` since
  /// then. The number of runs is compared too. A new statement may have the same address as an
  /// evicted one, but has run fewer times.
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
      // A remote engine has no version that shows when the note is committed. For such an engine,
      // the note counts as committed if the next call of this method finds it.
      let present = isRemote ? notedVersion &+ 1 : core.contentVersion
      let noted = try note(number)
      isCommitted = noted == number && present != notedVersion
      if noted != number { notedVersion = present }
      number = noted
      // The version of the schema is read again, because writing the note may have created a table.
      schemaVersion = isRemote ? 0 : try core.schemaVersion()
    }
    statement = isCommitted ? handle : nil
    compilations = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
  }
}

extension ConnectionCore {
  /// Runs one of the library's own statements in the same way as `run(cached:)`. Then calls `note`
  /// if the content of the file may have been replaced since this connection's last write. This is
  /// possible after the file was opened, and after a backup into the file.
  ///
  /// - Parameter note: A closure that receives the number of the branch; nil if it is not known. If
  ///   the file has no note with this number, the closure writes a note with a new number into the
  ///   file. The closure returns the number of the note that the file has afterwards.
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
