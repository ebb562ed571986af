import CSQLite

extension ConnectionCore {
  /// Runs a checkpoint. If other connections block it for too long, this is part of the result
  /// rather than an error.
  ///
  /// SQLite's own wait is not used. When SQLite finds a reader of an older snapshot, it waits for
  /// that reader's read mark to become free, even if later readers, which do not block the
  /// checkpoint, have meanwhile taken the same read mark. As long as readers come and go, it could
  /// wait forever. So the checkpoint is instead tried again without waiting: each attempt sees the
  /// current readers.
  func checkpoint(_ mode: CheckpointMode) throws -> CheckpointResult {
    var attempts: Int32 = 0
    while true {
      let result = try withoutBusyHandler { try checkpointAtOnce(mode) }
      guard result.isBusy, mode != .passive, waits(attempts) != 0 else {
        // The wait was ended, for example by a cancellation.
        if state.pointee.access.stopReason != nil { throw failure(SQLITE_BUSY, sql: nil) }
        return result
      }
      attempts += 1
    }
  }

  private func checkpointAtOnce(_ mode: CheckpointMode) throws -> CheckpointResult {
    var logCount: Int32 = 0
    var checkpointedCount: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(
      handle, "main", mode.rawValue, &logCount, &checkpointedCount)
    guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw error(code) }
    // SQLite returns −1 if there is no log.
    return CheckpointResult(
      isBusy: code != SQLITE_OK, logFrameCount: Int(max(0, logCount)),
      checkpointedFrameCount: Int(max(0, checkpointedCount)))
  }
}
