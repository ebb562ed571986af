/// The length of the write-ahead log, and the length at which it is to be restarted.
///
/// SQLite appends to the log as long as any connection reads from it. If readers overlapped all the
/// time, the log would grow without limit.
struct LogBound {
  /// The number of frames in the log after the last commit.
  private(set) var frameCount = 0
  /// The bound, in frames.
  private var maximum = Int.max
  /// The number of frames at which the library next tries to restart the log. At first it is less
  /// than the bound, so that the next transaction does not exceed the bound at once.
  private var nextAttempt = Int.max
  /// The number of frames from which a commit copies as much of the log as possible, without
  /// waiting, as SQLite's own hook does.
  private(set) var copying = 1_000
  /// The size in bytes of a page with its header.
  private var frameByteCount = 4_096 + 24

  init() {}

  init(maximumByteCount: Int, pageByteCount: Int) {
    frameByteCount = pageByteCount + 24
    maximum = max(8, maximumByteCount / frameByteCount)
    copying = min(1_000, maximum / 2)
    nextAttempt = firstAttempt
  }

  private var firstAttempt: Int { maximum - maximum / 4 }

  var wantsAttempt: Bool { frameCount >= nextAttempt }
  var isExceeded: Bool { frameCount > maximum }
  var byteCount: Int { frameCount * frameByteCount }

  mutating func didCommit(_ count: Int) {
    if count < frameCount { nextAttempt = firstAttempt }
    frameCount = count
  }

  /// Sets the number of frames from which a commit copies the log; 0 or less turns this off.
  mutating func copy(from count: Int) {
    copying = count > 0 ? count : .max
  }

  /// The number for SQLite's own hook that has the same effect.
  var autocheckpoint: Int32 { copying == .max ? 0 : Int32(clamping: copying) }

  /// Whether the log has a bound.
  var isBounded: Bool { maximum < .max }

  mutating func didRestart() {
    didCommit(0)
  }

  /// Plans the next attempt after a reader blocked one. Each attempt waits for readers, so attempts
  /// become rarer as the log grows.
  mutating func didFail() {
    let next = frameCount + max(1, maximum / 8, frameCount / 4)
    nextAttempt = isExceeded ? next : min(next, maximum + 1)
  }
}
