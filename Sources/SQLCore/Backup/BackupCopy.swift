import CSQLite

/// A copy of one database into another, a number of pages at a time.
///
/// The source is in a read transaction meanwhile, so that every step sees the same snapshot, and a
/// write by another connection never makes the copy start over.
/// - SeeAlso: <https://www.sqlite.org/c3ref/backup_finish.html>
struct BackupCopy {
  let source: OpaquePointer
  let destination: OpaquePointer
  let pagesPerStep: Int32
  let cancellation: JobCancellation

  /// Copies all pages and returns their number.
  ///
  /// The last step commits. If an error is thrown before it, the destination is unchanged.
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
        // Only finishing the backup sets the error message on the connection.
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

/// Checks the user's number of pages per step and converts it to SQLite's type.
func checkedPagesPerStep(_ pages: Int) throws -> Int32 {
  guard pages > 0 else {
    throw DatabaseError.misuse("a backup must copy at least one page per step, not \(pages)")
  }
  return Int32(clamping: pages)
}

extension ConnectionCore {
  /// Runs a closure in a read transaction that SQLite's backup functions use.
  func holdingSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try run(pragma: "BEGIN DEFERRED")
    defer { if isInTransaction { try? run(pragma: "COMMIT") } }
    // BEGIN takes no lock; the first read does.
    try run(pragma: "PRAGMA schema_version")
    return try body()
  }

  /// Throws `.corrupt` if SQLite finds the database damaged. Reads every page once.
  ///
  /// Rows that violate CHECK, NOT NULL or the types of a STRICT table do not count as damage, since
  /// the copy must hold what the source holds. Also, SQLite 3.40 reports such rows by mistake in
  /// tables WITHOUT ROWID whose key does not come first. SQLite checks the structure of the whole
  /// file before it checks any row, so that these findings hide no damage.
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

  /// Whether a finding says that a value breaks a declared rule: "NULL value in t.c",
  /// "non-BLOB value in t.c".
  private static func isAboutValue(_ finding: String) -> Bool {
    finding.drop { $0 != " " }.hasPrefix(" value in ")
  }
}
