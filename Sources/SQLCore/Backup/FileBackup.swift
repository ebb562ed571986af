import CSQLite

/// A backup into a file, with its options.
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
      let destination = try DatabaseFile(path: temporary).open()
      defer { sqlite3_close_v2(destination) }
      // No other connection sees the file, and it is synchronised to disk once it is complete.
      sqlite3_exec(
        destination, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil, nil, nil)
      return try source.holdingSnapshot {
        try BackupCopy(
          source: source.handle, destination: destination, pagesPerStep: pagesPerStep,
          cancellation: cancellation
        ).run(progress)
      }
    }
    try? progress(BackupProgress(pageCount: pageCount, remainingPageCount: 0))
  }
}
