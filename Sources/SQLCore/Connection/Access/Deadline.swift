#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A point in time, in nanoseconds of the system's monotonic clock.
struct Deadline: Sendable {
  let nanoseconds: UInt64

  static var now: Deadline {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Deadline(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
  }

  /// The time of the clock's last tick, at most some milliseconds ago. It is cheaper to read than
  /// `now`.
  static var roughlyNow: Deadline {
    #if canImport(Darwin)
      Deadline(nanoseconds: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX))
    #else
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
      return Deadline(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    #endif
  }

  static func after(_ duration: Duration) -> Deadline {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return now }
    // A limit of about 31 years prevents an overflow.
    let bounded = UInt64(min(seconds, 1_000_000_000)) &* 1_000_000_000
    return Deadline(
      nanoseconds: now.nanoseconds &+ bounded &+ UInt64(attoseconds / 1_000_000_000))
  }

  var hasPassed: Bool { Deadline.now.nanoseconds >= nanoseconds }

  /// The time until the deadline in nanoseconds; 0 after it has passed.
  var remaining: UInt64 {
    let now = Deadline.now.nanoseconds
    return now < nanoseconds ? nanoseconds &- now : 0
  }
}

extension Duration {
  /// The duration in milliseconds, rounded up and clamped to the range of a C int.
  var wholeMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    guard !overflow else { return seconds < 0 ? 0 : .max }
    let more = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: max(0, scaled.addingReportingOverflow(more).partialValue))
  }
}

/// An error thrown when an access does not end before its deadline, as in
/// `db.read(deadline: .seconds(2)) { … }`.
///
/// ```swift
/// do {
///   let count = try await db.read(deadline: .seconds(1)) { try $0.count(Post.all) }
///   print(count)
/// } catch is DeadlineExceeded {
///   print("busy, try again later")
/// }
/// ```
///
/// The running statement was stopped, and a transaction was rolled back. If the deadline passes
/// after the last statement of the access, while the closure's own code runs, nothing is thrown.
/// - SeeAlso: <https://www.sqlite.org/c3ref/interrupt.html>
public struct DeadlineExceeded: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence that names the cause.
  public var description: String { "the access took longer than its deadline allows" }
}
