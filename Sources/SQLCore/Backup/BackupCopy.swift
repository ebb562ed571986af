import CSQLite

/// One copy of a database into another, some pages at a time.
///
/// The source is in a transaction that reads while this runs: every step sees the same snapshot,
/// and what others write meanwhile makes none begin anew.
/// - SeeAlso: <https://www.sqlite.org/c3ref/backup_finish.html>
struct BackupCopy {
  let source: OpaquePointer
  let destination: OpaquePointer
  let pagesPerStep: Int32
  let cancellation: JobCancellation

  /// Copies all pages; returns how many there are.
  ///
  /// What is thrown before the last step, which commits, leaves the destination as it was.
  /// - Parameter progress: told after each step but the last.
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
        // Only finishing says on the connection what went wrong.
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

/// What a user gives as pages a step, as SQLite takes it.
func checkedPagesPerStep(_ pages: Int) throws -> Int32 {
  guard pages > 0 else {
    throw DatabaseError.misuse("a backup copies at least one page a step, not \(pages)")
  }
  return Int32(clamping: pages)
}

extension ConnectionCore {
  /// Runs a closure in a snapshot that the C interface of backups sees.
  func holdingSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try run(pragma: "BEGIN DEFERRED")
    defer { if isInTransaction { try? run(pragma: "COMMIT") } }
    // BEGIN takes no lock; the first read does.
    try run(pragma: "PRAGMA schema_version")
    return try body()
  }

  /// Throws `.corrupt` where SQLite finds the database damaged. Reads every page once.
  ///
  /// Rows that a CHECK forbids are no damage: they are what the database holds.
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
      findings.append(String(cString: text))
    }
    guard findings == ["ok"] else {
      throw DatabaseError(
        code: .corrupt,
        message: "\(name) is damaged, the destination is as it was: "
          + findings.joined(separator: "; "))
    }
  }
}
