import CSQLite

/// A job that copies one database into another, `pagesPerStep` pages at a time.
///
/// The source stays in a read transaction during the copy. Every step therefore sees the same
/// snapshot, and a write by another connection never makes the copy start over.
/// - SeeAlso: <https://www.sqlite.org/c3ref/backup_finish.html>
struct BackupCopy {
  let source: OpaquePointer
  let destination: OpaquePointer
  let pagesPerStep: Int32
  let cancellation: JobCancellation

  /// Copies all pages and returns their number.
  ///
  /// The last step commits. If an error is thrown before the last step, the destination is
  /// unchanged.
  /// - Parameter progress: called after each step except the last.
  func run(_ progress: (BackupProgress) throws -> Void) throws -> Int {
    try cancellation.check()
    guard let backup = sqlite3_backup_init(destination, "main", source, "main") else {
      throw DatabaseError(code: sqlite3_errcode(destination), handle: destination)
    }
    var isFinished = false
    defer { if !isFinished { sqlite3_backup_finish(backup) } }
    while true {
      let code = sqlite3_backup_step(backup, pagesPerStep)
      guard code == SQLITE_OK || code == SQLITE_DONE else {
        isFinished = true
        // The connection of the destination has the error message only after the backup is
        // finished.
        sqlite3_backup_finish(backup)
        throw DatabaseError(code: code, handle: destination)
      }
      let count = Int(sqlite3_backup_pagecount(backup))
      if code == SQLITE_DONE {
        isFinished = true
        let code = sqlite3_backup_finish(backup)
        guard code == SQLITE_OK else { throw DatabaseError(code: code, handle: destination) }
        return count
      }
      try cancellation.check()
      try progress(
        BackupProgress(
          pageCount: count, remainingPageCount: Int(sqlite3_backup_remaining(backup))))
    }
  }
}

/// Converts the number of pages per step to SQLite's type. Throws if the number is not valid.
func checkedPagesPerStep(_ pages: Int) throws -> Int32 {
  guard pages > 0 else {
    throw DatabaseError.misuse("a backup must copy at least one page per step, not \(pages)")
  }
  return Int32(clamping: pages)
}

extension ConnectionCore {
  /// Runs a closure in a read transaction. A backup inside the closure copies the snapshot of this
  /// transaction.
  func holdingSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try run(pragma: "BEGIN DEFERRED")
    defer { if isInTransaction { try? run(pragma: "COMMIT") } }
    // BEGIN DEFERRED takes no lock, and the transaction has no snapshot yet. The first read takes
    // both.
    try run(pragma: "PRAGMA schema_version")
    return try body()
  }

  /// Throws `.corrupt` if SQLite finds the database damaged. Reads every page once.
  ///
  /// A row that violates CHECK, NOT NULL or the types of a STRICT table is not damage, because the
  /// copy must hold the same rows as the source. SQLite 3.40 also reports correct rows by mistake,
  /// in tables WITHOUT ROWID whose key is not the first column. Ignoring these reports hides no
  /// damage, because SQLite checks the structure of the whole file before it checks any row.
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_quick_check>
  func requireWhole(_ name: String) throws {
    try run(pragma: "PRAGMA ignore_check_constraints = ON")
    defer { try? run(pragma: "PRAGMA ignore_check_constraints = OFF") }
    let statement = try compileOne("PRAGMA quick_check(5)").handle
    defer { sqlite3_finalize(statement) }
    var findings: [String] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { break }
      guard code == SQLITE_ROW else { throw failure(code, sql: "PRAGMA quick_check(5)") }
      guard let text = sqlite3_column_text(statement, 0) else { throw DatabaseError.outOfMemory }
      let finding = String(cString: text)
      if finding != "ok", !Self.isAboutValue(finding) { findings.append(finding) }
    }
    guard findings.isEmpty else {
      throw DatabaseError(
        code: .corrupt,
        message: "\(name) is damaged; the destination was not changed: "
          + findings.joined(separator: "; "))
    }
  }

  /// Returns whether a line from `PRAGMA quick_check` is about a value that breaks a declared rule,
  /// such as "NULL value in t.c" or "non-BLOB value in t.c".
  private static func isAboutValue(_ finding: String) -> Bool {
    finding.drop { $0 != " " }.hasPrefix(" value in ")
  }
}

/// The options of one backup into another database. The method `run` makes the backup.
struct DatabaseBackup: Sendable {
  let cancellation = JobCancellation()
  /// Whether the source is locked before the destination. Any two databases are always locked in
  /// the same order. Otherwise, two backups in opposite directions would wait for each other.
  let takesSourceFirst: Bool
  private let pagesPerStep: Int32

  init(_ source: Database, to other: Database, pagesPerStep: Int) throws {
    self.pagesPerStep = try checkedPagesPerStep(pagesPerStep)
    takesSourceFirst = ObjectIdentifier(source) < ObjectIdentifier(other)
    guard source !== other else {
      throw DatabaseError.misuse(
        "the source and the destination of the backup are the same database; "
          + "give another destination")
    }
    if let first = source.realPath, let second = other.realPath {
      try CopyPlace(second, given: second).requireApart(from: [first])
    }
    guard !other.configuration.isReadOnly else {
      throw DatabaseError(
        code: .readOnly,
        message: "the destination of the backup was opened with `Configuration.isReadOnly`")
    }
  }

  func run(
    from source: ConnectionCore, into destination: ConnectionCore,
    progress: (BackupProgress) throws -> Void
  ) throws {
    try cancellation.cover(source)
    let pageCount = try source.holdingSnapshot {
      try source.requireWhole("the source")
      return try copy(from: source, into: destination, progress: progress)
    }
    // In WAL mode, the copy is now in the log of the destination. The checkpoint moves the copy
    // into the file. If it cannot move all pages now, SQLite moves the other pages after a later
    // commit.
    sqlite3_wal_checkpoint_v2(destination.handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    destination.noteReplacedContent()
    try? progress(BackupProgress(pageCount: pageCount, remainingPageCount: 0))
  }

  private func copy(
    from source: ConnectionCore, into destination: ConnectionCore,
    progress: (BackupProgress) throws -> Void
  ) throws -> Int {
    do {
      return try BackupCopy(
        source: source.handle, destination: destination.handle, pagesPerStep: pagesPerStep,
        cancellation: cancellation
      ).run(progress)
    } catch var error as DatabaseError where error.code.primary == .readOnly {
      error.message +=
        " (the source has another page size than the destination, which is already in use and "
        + "cannot change its page size)"
      throw error
    }
  }
}

/// The options of one backup into a file. The method `run` makes the backup.
struct FileBackup: Sendable {
  private let file: ReplacementFile
  private let pagesPerStep: Int32

  init(_ source: Database, to path: String, pagesPerStep: Int, overwriting: Bool) throws {
    self.pagesPerStep = try checkedPagesPerStep(pagesPerStep)
    file = try source.replacementFile(path, overwriting: overwriting)
  }

  var cancellation: JobCancellation { file.cancellation }

  func run(source: ConnectionCore, progress: (BackupProgress) throws -> Void) throws {
    let pageCount = try file.replace(copying: source) { temporary in
      let destination = try file.connect(to: temporary)
      defer { destination.close() }
      // No other connection uses the unfinished file, so SQLite needs no journal for it. SQLite
      // also need not synchronise the file, because `ReplacementFile` does so once the copy is
      // complete.
      sqlite3_exec(
        destination.handle, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil, nil, nil)
      return try source.holdingSnapshot {
        try BackupCopy(
          source: source.handle, destination: destination.handle, pagesPerStep: pagesPerStep,
          cancellation: cancellation
        ).run(progress)
      }
    }
    try? progress(BackupProgress(pageCount: pageCount, remainingPageCount: 0))
  }
}

/// An object that cancels a long job by ending the statements on the job's connections. `cancel()`
/// is called when the task that waits for the job is cancelled.
package final class JobCancellation: Sendable {
  private struct State {
    var isCancelled = false
    /// The connections that run statements of the job. Each connection is stored with the number of
    /// its access. A later access of the same connection has another number, so it is not
    /// cancelled.
    var running: [(core: ConnectionCore, lease: UInt64)] = []
  }

  private let state = Lock(State())

  package init() {}

  func cancel() {
    let running = state.withLock { state in
      state.isCancelled = true
      return state.running
    }
    for (core, lease) in running { core.cancel(lease: lease) }
  }

  package func check() throws {
    if state.withLock({ $0.isCancelled }) { throw CancellationError() }
  }

  /// Registers a connection of the job, so that `cancel()` ends the connection's statements. Throws
  /// `CancellationError` if the job is already cancelled.
  package func cover(_ core: ConnectionCore) throws {
    let lease = core.lease
    state.withLock { $0.running.append((core, lease)) }
    try check()
  }
}
