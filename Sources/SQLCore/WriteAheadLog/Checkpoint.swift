import CSQLite

/// What a checkpoint waits for.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>
public enum CheckpointMode: Int32, Hashable, Sendable, CaseIterable {
  /// Copies what it can without waiting for anybody.
  case passive = 0
  /// Waits for readers of older snapshots, and copies the whole log.
  case full = 1
  /// As `full`, and waits until nobody reads from the log, so that the next write begins it anew.
  case restart = 2
  /// As `restart`, and cuts the log's file to nothing.
  case truncate = 3
}

/// What a checkpoint found and did.
/// - SeeAlso: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>
public struct CheckpointResult: Hashable, Sendable {
  /// Whether somebody read or wrote for longer than the checkpoint waited: what its mode promises
  /// is not done.
  public let isBusy: Bool
  /// How many pages stand in the log; 0 after `.truncate`, and where there is no log.
  public let logFrameCount: Int
  /// How many of them are in the file of the database, too.
  public let checkpointedFrameCount: Int

  /// A result with its parts.
  public init(isBusy: Bool, logFrameCount: Int, checkpointedFrameCount: Int) {
    self.isBusy = isBusy
    self.logFrameCount = logFrameCount
    self.checkpointedFrameCount = checkpointedFrameCount
  }

  /// Whether the file of the database holds all that was committed.
  public var isComplete: Bool { checkpointedFrameCount == logFrameCount }
}

extension ConnectionCore {
  /// Runs a checkpoint; that somebody is in its way for too long is a result, no error.
  ///
  /// SQLite itself waits for the place in which it saw a reader of an older snapshot, also where
  /// later readers, who are not in the way, have taken that place meanwhile: while readers come and
  /// go, it would wait for ever. Asked anew, it sees who is there.
  func checkpoint(_ mode: CheckpointMode) throws -> CheckpointResult {
    var attempts: Int32 = 0
    while true {
      let result = try withoutBusyHandler { try checkpointAtOnce(mode) }
      guard result.isBusy, mode != .passive, waits(attempts) != 0 else {
        // The wait was ended, by a cancellation say.
        if state.pointee.stopReason != nil { throw failure(SQLITE_BUSY, sql: nil) }
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
    // SQLite gives −1 where there is no log.
    return CheckpointResult(
      isBusy: code != SQLITE_OK, logFrameCount: Int(max(0, logCount)),
      checkpointedFrameCount: Int(max(0, checkpointedCount)))
  }
}
