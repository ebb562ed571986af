/// A use of `PRAGMA wal_autocheckpoint`, which replaces the library's log hook by SQLite's own.
///
/// The library's hook also checkpoints automatically, and besides it bounds the log and calls the
/// listeners. So the library installs its hook again, with the number of pages that the pragma has
/// set.
enum CheckpointPragma {
  case reading
  /// Sets the number of pages from which a commit copies as much of the log as possible; 0 or less
  /// turns this off.
  case setting(Int)

  init(argument: UnsafePointer<CChar>?) {
    self = argument.map { .setting(Int(String(cString: $0)) ?? 0) } ?? .reading
  }
}
