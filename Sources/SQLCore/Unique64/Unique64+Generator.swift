import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension Unique64 {
  /// A source of ids, each greater than the one before, for any number of threads.
  ///
  /// The tick of an id is the greater of the clock's and the last id's plus one. So 62,500 ids a
  /// second keep step with the clock, a burst runs ahead of it and never waits, and a clock that
  /// steps back repeats no id. A clock before 2001 is read as the start of 2001.
  ///
  /// A generator remembers its last id in memory only: move a new one past those that are stored
  /// with ``advance(past:)``. Opening a `Database` with models does this.
  public final class Generator: Sendable {
    private let last = Atomic<Int64>(0)
    private let clock: @Sendable () -> Int64

    /// Makes a generator over the system's clock.
    public init() {
      clock = systemTicks
    }

    /// Makes a generator over a clock of the caller's.
    ///
    /// - Parameter now: called once for each id, in the thread that asks for it. No lock is held.
    public init(now: @escaping @Sendable () -> Date) {
      clock = { Unique64.ticks(of: now()) }
    }

    /// Makes the next id, without a lock.
    ///
    /// Costs one reading of the clock and one atomic exchange.
    ///
    /// - Parameter tag: any number; it has no part in making the id unique.
    /// - Returns: an id greater than all that this generator made before, or ``exhausted``: while
    ///   the clock is past the year 2072 that ends the layout, and when the last tick is used up.
    public func next(tag: Int16 = 0) -> Unique64 {
      let now = clock()
      // Returning before `last` moves lets a clock that was wrong for a moment recover.
      guard now <= maximumTicks else { return .exhausted }
      var previous = last.load(ordering: .relaxed)
      while true {
        let ticks = max(now, previous &+ 1)
        guard ticks <= maximumTicks else { return .exhausted }
        // Relaxed suffices: all changes to one atomic have one order, which every thread sees.
        let (exchanged, original) = last.weakCompareExchange(
          expected: previous, desired: ticks, ordering: .relaxed)
        if exchanged { return Unique64(ticks: ticks, tag: tag) }
        previous = original
      }
    }

    /// Makes all later ids greater than `id`, an id that is stored.
    ///
    /// An id ahead of the clock is believed, since the clock may have stepped back: being unique
    /// goes before telling the time, and later ids carry dates from there on. Ignored are a negative
    /// id, which no generator makes, and one beyond ``advanceLimit``, which would leave no room.
    ///
    /// - Returns: false if the id was ignored.
    @discardableResult
    public func advance(past id: Unique64) -> Bool {
      guard id.rawValue >= 0, id <= advanceLimit else { return false }
      last.max(id.ticks, ordering: .relaxed)
      return true
    }

    /// The greatest id that ``advance(past:)`` takes into account now.
    ///
    /// It keeps one damaged id from using up the generator: the last sixteenth of the layout
    /// (four years and a half, 2⁴³ ids) is taken only if the clock is no further from it than that.
    /// Ask the database for the greatest id up to here, so that no such id hides the sound ones:
    ///
    /// ```sql
    /// SELECT max("id") FROM "Post" WHERE "id" <= ?
    /// ```
    public var advanceLimit: Unique64 {
      let reserve: Int64 = 1 << 43
      let ticks = min(max(maximumTicks - reserve, clock() + reserve), maximumTicks)
      return Unique64(ticks: ticks, tag: -1)
    }
  }

  /// The generator of the process, which ``init(tag:)`` asks unless another one is put in.
  public static let shared = Generator()

  /// The generator that ``init(tag:)`` asks here: the one that ``withGenerator(_:operation:)`` put
  /// in for this task, else ``shared``.
  public static var generator: Generator {
    taskGenerator ?? shared
  }

  @TaskLocal private static var taskGenerator: Generator?

  /// Makes a new id; see ``Generator/next(tag:)``.
  ///
  /// - Parameter tag: any number, to be read back with ``tag-swift.property``.
  public init(tag: Int16 = 0) {
    self = Self.generator.next(tag: tag)
  }

  /// Runs `operation` with `generator` as the one that ``init(tag:)`` asks.
  ///
  /// It holds for this task and for the child tasks and `Task { }` made in `operation`, so that
  /// tests that run at the same time do not meet. It does not hold in `Task.detached { }`, nor in
  /// other threads.
  ///
  /// - Returns: what `operation` returns. Its error is rethrown.
  public static func withGenerator<Value>(
    _ generator: Generator,
    operation: () throws -> Value
  ) rethrows -> Value {
    try $taskGenerator.withValue(generator, operation: operation)
  }

  /// Runs an asynchronous `operation` with `generator` as the one that ``init(tag:)`` asks.
  ///
  /// It holds as in the synchronous form. The operation runs in the caller's isolation.
  ///
  /// - Returns: what `operation` returns. Its error is rethrown.
  public static func withGenerator<Value>(
    _ generator: Generator,
    isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Value
  ) async rethrows -> Value {
    try await $taskGenerator.withValue(generator, operation: operation, isolation: isolation)
  }

  /// The tick of a date, from 0 to one more than the layout holds.
  private static func ticks(of date: Date) -> Int64 {
    // A Date is a Double: rounding to its whole microsecond lets `ticks(of: id.date)` be exact.
    let microseconds = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()
    // Not a number is read as a clock that has never been set.
    guard microseconds > 0 else { return 0 }
    return Int64(min(microseconds, Double((maximumTicks + 1) << 4))) >> 4
  }

  /// The tick of the system's clock, from 0 to one more than the layout holds.
  @Sendable private static func systemTicks() -> Int64 {
    let secondsFrom1970To2001: Int64 = 978_307_200
    var time = timespec()
    // It cannot fail with this clock; if it did, the time would stay 0, before 2001.
    clock_gettime(CLOCK_REALTIME, &time)
    let seconds = Int64(time.tv_sec) &- secondsFrom1970To2001
    guard seconds >= 0 else { return 0 }
    guard seconds <= maximumTicks / ticksPerSecond else { return maximumTicks + 1 }
    return seconds * ticksPerSecond + Int64(time.tv_nsec) / 16_000
  }
}
