/// The result of a checkpoint.
/// - SeeAlso: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>
public struct CheckpointResult: Hashable, Sendable {
  /// Whether another connection read or wrote for longer than the checkpoint waited. The checkpoint
  /// then did not complete what its mode promises.
  public let isBusy: Bool
  /// The number of pages in the log; 0 after `.truncate`, and if there is no log.
  public let logFrameCount: Int
  /// The number of these pages that were copied into the database file.
  public let checkpointedFrameCount: Int

  /// Creates a result from its parts.
  public init(isBusy: Bool, logFrameCount: Int, checkpointedFrameCount: Int) {
    self.isBusy = isBusy
    self.logFrameCount = logFrameCount
    self.checkpointedFrameCount = checkpointedFrameCount
  }

  /// Whether the database file holds everything that was committed.
  public var isComplete: Bool { checkpointedFrameCount == logFrameCount }
}
