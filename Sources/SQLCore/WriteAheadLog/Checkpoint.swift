import CSQLite

/// The modes of a checkpoint. They differ in the connections for which the checkpoint waits.
///
/// ```swift
/// let result = try db.checkpoint(.truncate)
/// print(result.isComplete ? "the log is empty" : "a reader still needs the log")
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>
public enum CheckpointMode: Int32, Hashable, Sendable, CaseIterable {
  /// Copies as much as possible without waiting.
  case passive = 0
  /// Waits for readers of older snapshots, and copies the whole log.
  case full = 1
  /// Like `full`, and then waits until no connection reads from the log, so that the next write
  /// restarts the log from its beginning.
  case restart = 2
  /// Like `restart`, and truncates the log's file to zero bytes.
  case truncate = 3
}

/// The result of a checkpoint.
///
/// ```swift
/// let result = try db.checkpoint(.passive)
/// print(result.checkpointedFrameCount, "of", result.walFrameCount)
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>
public struct CheckpointResult: Hashable, Sendable {
  /// Whether another connection read or wrote for longer than the checkpoint waited. The checkpoint
  /// then did not do everything that its mode promises.
  public let isBusy: Bool
  /// The number of pages in the log; 0 after `.truncate`, or if there is no log.
  public let walFrameCount: Int
  /// The former name of `walFrameCount`.
  @available(*, deprecated, renamed: "walFrameCount")
  public var logFrameCount: Int { walFrameCount }
  /// The number of the log's pages that were copied into the database file, by this checkpoint or
  /// by an earlier one.
  public let checkpointedFrameCount: Int

  /// Creates a result from its parts.
  public init(isBusy: Bool, walFrameCount: Int, checkpointedFrameCount: Int) {
    self.isBusy = isBusy
    self.walFrameCount = walFrameCount
    self.checkpointedFrameCount = checkpointedFrameCount
  }

  /// Whether the database file holds everything that was committed.
  public var isComplete: Bool { checkpointedFrameCount == walFrameCount }
}

extension ConnectionCore {
  /// Runs a checkpoint. If other connections block it for too long, the result says so, and no
  /// error is thrown.
  ///
  /// The library does not use SQLite's own wait. If SQLite finds a reader of an older snapshot, it
  /// waits until no connection uses that reader's read mark. New readers may take the same read
  /// mark in the meantime, although they would not block the checkpoint. While readers come and go,
  /// SQLite could therefore wait forever. The library instead repeats the checkpoint without
  /// waiting, so that each attempt sees only the current readers.
  func checkpoint(_ mode: CheckpointMode) throws -> CheckpointResult {
    var attempts: Int32 = 0
    while true {
      let result = try withoutBusyHandler { try checkpointAtOnce(mode) }
      guard result.isBusy, mode != .passive, waits(attempts) != 0 else {
        // If the access was stopped while it waited, for example by a cancellation, it throws.
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
      isBusy: code != SQLITE_OK, walFrameCount: Int(max(0, logCount)),
      checkpointedFrameCount: Int(max(0, checkpointedCount)))
  }
}

/// A `PRAGMA wal_autocheckpoint` of a program. It reads or sets how many pages the log must have
/// for a commit to run a checkpoint. Setting the number replaces the library's log hook with
/// SQLite's own.
///
/// The library needs its own hook, which limits the size of the log and calls the listeners. It
/// also runs the automatic checkpoints. After the pragma, the library therefore installs its hook
/// again, with the number of pages that the pragma has set.
enum CheckpointPragma {
  case reading
  /// Sets how many pages the log must have for a commit to run a checkpoint. 0 or less turns
  /// automatic checkpoints off.
  case setting(Int)

  init(argument: UnsafePointer<CChar>?) {
    self = argument.map { .setting(Int(String(cString: $0)) ?? 0) } ?? .reading
  }
}
