/// The modes of a checkpoint, which differ in what it waits for.
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
