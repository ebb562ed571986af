/// The state of the access that uses a connection: whether it may write, its deadline, and the
/// reason why it was ended.
struct AccessState {
  /// Whether statements may write. False during a read, even on a connection that could write.
  private(set) var allowsWriting: Bool
  /// The time by which the access must end.
  private(set) var deadline: Deadline?
  /// Whether the access runs on the thread of the task that requested it. If so, the access itself
  /// checks, while it runs, whether the task was cancelled.
  private var asksTask = false
  /// The reason why the access was ended; nil if it was not. Later statements of the access throw
  /// this reason.
  private(set) var stopReason: StopReason?
  /// The time at which the wait for a lock began.
  private var waitBegan = Deadline(nanoseconds: 0)
  /// The maximum wait for a lock in nanoseconds, if it differs from the busy timeout.
  private var longestWait: UInt64?

  init(allowsWriting: Bool) {
    self.allowsWriting = allowsWriting
  }

  /// Begins an access.
  mutating func begin(deadline: Deadline?, inTask: Bool = false) {
    self.deadline = deadline
    asksTask = inTask
  }

  /// Ends the access, and removes its limits.
  mutating func end() {
    deadline = nil
    asksTask = false
    stopReason = nil
  }

  mutating func allowWriting(_ isAllowed: Bool) {
    allowsWriting = isAllowed
  }

  // MARK: Stopping

  /// Whether the access was already ended, or may still be ended by its deadline or by the
  /// cancellation of its task.
  var mayStop: Bool { stopReason != nil || deadline != nil || asksTask }

  /// Whether the deadline has passed.
  var isLate: Bool { deadline?.hasPassed ?? false }

  /// Returns `.deadline` if the deadline has passed, `.cancelled` if the task was cancelled; nil
  /// otherwise.
  func findStopReason() -> StopReason? {
    if isLate { return .deadline }
    if asksTask, withUnsafeCurrentTask(body: { $0?.isCancelled ?? false }) { return .cancelled }
    return nil
  }

  /// Notes why the access must end.
  mutating func stop(because reason: StopReason) {
    stopReason = reason
  }

  /// Returns the reason why the access was ended. If `interrupt()` ended it, also removes the
  /// reason, so that later statements of the access run normally.
  mutating func takeStopReason() -> StopReason? {
    guard case .interrupted = stopReason else { return stopReason }
    defer { stopReason = nil }
    return stopReason
  }

  // MARK: Waiting for locks

  /// Sets the maximum wait for a lock, in nanoseconds. If it is nil, the busy timeout applies.
  mutating func limitWaits(to nanoseconds: UInt64?) {
    longestWait = nanoseconds
  }

  mutating func beginWait() {
    waitBegan = .now
  }

  /// The time since the wait for a lock began, in nanoseconds.
  var waited: UInt64 { Deadline.now.nanoseconds &- waitBegan.nanoseconds }

  /// Returns the maximum wait for a lock in nanoseconds.
  func longestWait(_ busyTimeout: Duration) -> UInt64 {
    longestWait ?? UInt64(busyTimeout.wholeMilliseconds) &* 1_000_000
  }
}

/// The options of an access to a connection: its deadline, its thread and its origin.
struct AccessOptions: Sendable {
  /// The time by which the access must end.
  var deadline: Deadline?
  /// Whether the access always runs on a thread of the database, and never on the calling thread.
  var hops = false
  /// Whether the access may begin inside another access of the same thread, on the same connection.
  var isReentrant = false
  /// Whether the access is a probe: a read for the library itself, such as a fetch by an
  /// observation. `close()` waits for a probe instead of throwing `.busy`.
  var isProbe = false
  /// Whether the access may read from the snapshot that its connection has kept since an earlier
  /// read. If not, the kept snapshot is ended before the access begins.
  var usesKeptSnapshot = false
  /// The source file and line that requested the access; nil for an access by the library itself.
  var place: SourcePlace?

  init(deadline: Duration? = nil, hops: Bool = false, place: SourcePlace? = nil) {
    self.deadline = deadline.map(Deadline.after)
    self.hops = hops
    self.place = place
  }
}

/// The source file and line that requested an access.
package struct SourcePlace: Sendable {
  /// The module and the file: `Blog/Feed.swift`.
  let fileID: StaticString
  /// The number of the line, counted from 1.
  let line: UInt

  package init(_ fileID: StaticString, _ line: UInt) {
    self.fileID = fileID
    self.line = line
  }
}
