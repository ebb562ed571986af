import CSQLite

/// The read transaction that a reader leaves open after a read, for the next read.
///
/// Beginning and ending a read transaction costs more than finding a row: each time, SQLite locks
/// and unlocks a read mark of the log. As long as nothing is committed, the next read would see the
/// same snapshot. So the transaction stays open, and the next read uses it if the header of the
/// wal-index has not changed since.
///
/// A snapshot is kept only for a moment, because it keeps the log from being restarted. The pool
/// ends those that have not been used for some milliseconds.
struct KeptSnapshot {
  /// The index of the log; `none` with attached databases, too.
  private var support = LogIndexSupport.unknown
  /// The version of the database that the open transaction sees; nil if no snapshot is kept.
  private var version: LogIndex.Version?
  /// The time of the last read that found no snapshot.
  private var lastMiss = Deadline(nanoseconds: 0)
  /// The library's own BEGIN and COMMIT, prepared when they are first used.
  private(set) var begin: OpaquePointer?
  private(set) var commit: OpaquePointer?
  /// The pool's count of rounds when the connection last came back with the snapshot.
  private(set) var lastUse: UInt64 = 0
  /// The pool's count of rounds when the connection first came back with the snapshot.
  private var firstUse: UInt64?
  /// Whether the snapshot has been used for so long that the next read must take a new one.
  private var isOld = false

  /// The time in nanoseconds within which another read must follow, so that it keeps its snapshot. A
  /// single read now and then is not worth a timer.
  private let longestPause: UInt64
  /// The number of rounds of the pool for which a snapshot is used at most.
  private static let maximumAge: UInt64 = 8

  init(_ configuration: Configuration) {
    longestPause = 2_000_000 &* UInt64(configuration.keptSnapshotRound.wholeMilliseconds)
  }

  /// Whether a snapshot is kept.
  var isKept: Bool { version != nil }

  /// Whether a snapshot is kept that contains every commit, so that a read may use it.
  @inline(__always)
  var isCurrent: Bool {
    guard let version, case .log(let index) = support else { return false }
    return !isOld && index.isAt(version)
  }

  // MARK: Deciding

  /// Whether it is known how the connection uses the log.
  var isSupportKnown: Bool {
    if case .unknown = support { false } else { true }
  }

  /// Sets how the connection uses the log: nil if it cannot keep snapshots.
  mutating func use(_ index: LogIndex?) {
    support = index.map { .log($0) } ?? .none
  }

  /// Whether a read that begins now follows closely on another one.
  mutating func isBusy() -> Bool {
    let now = Deadline.roughlyNow
    defer { lastMiss = now }
    return now.nanoseconds &- lastMiss.nanoseconds < longestPause
  }

  /// The version that is the newest now; nil if the connection cannot keep snapshots.
  var newestVersion: LogIndex.Version? {
    if case .log(let index) = support { index.version } else { nil }
  }

  /// Keeps the open transaction, which sees that version.
  mutating func keep(_ version: LogIndex.Version) {
    self.version = version
    firstUse = nil
    isOld = false
  }

  /// Forgets the snapshot, whose transaction ends.
  mutating func forget() {
    version = nil
  }

  /// Notes that the connection comes back to the pool with the snapshot, in that round of the pool.
  mutating func didUse(in round: UInt64) {
    lastUse = round
    if let firstUse { isOld = round &- firstUse >= Self.maximumAge } else { firstUse = round }
  }

  // MARK: Statements

  mutating func store(begin: OpaquePointer, commit: OpaquePointer) {
    self.begin = begin
    self.commit = commit
  }

  /// Finalises the statements, before the connection closes.
  mutating func finalize() {
    sqlite3_finalize(begin)
    sqlite3_finalize(commit)
    begin = nil
    commit = nil
  }
}
