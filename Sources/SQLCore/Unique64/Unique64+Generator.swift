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
  /// A generator of ids for any number of threads. Each id is greater than the id before it.
  ///
  /// An id contains a tick, a unit of time of 16 µs. Its tick is the tick of the clock or the last
  /// id's tick plus one, whichever is greater. Up to 62,500 ids a second, the ticks therefore agree
  /// with the clock. If ids are made faster, their ticks run ahead of the clock, and no call waits.
  /// If the clock is set back, ids do not repeat. A clock before 2001 counts as the start of 2001.
  ///
  /// A generator remembers its last id only in memory. Opening a `Database` moves the generator
  /// past the ids that Apus made and stored in the file. An id counts as stored if a write of a
  /// `Database` bound it as a value in the process that made it: for a model, for a struct in a
  /// named table, or in SQL. Such an id is not made again for this file, even if the clock is set
  /// back or the row is deleted. The library keeps a mark for these ids in the table
  /// `apus_unique64`, which it does not create with the schema policies `.validated` and `.locked`.
  /// Opening with models also moves the generator past the keys in their tables, whichever program
  /// made the keys. Use ``advance(past:)`` for ids that are stored elsewhere.
  public final class Generator: Sendable {
    private let last = Atomic<Int64>(0)
    private let clock: @Sendable () -> Int64
    /// The tick at which the generator was made. The generator made no ids before this tick.
    private let birth: Int64

    /// Makes a generator that uses the system's clock.
    public init() {
      clock = systemTicks
      birth = systemTicks()
    }

    /// Makes a generator that uses the caller's clock.
    ///
    /// - Parameter now: the closure that returns the time. It is called once for each id, on the
    ///   thread that makes the id. No lock is held.
    public init(now: @escaping @Sendable () -> Date) {
      clock = { Unique64.ticks(of: now()) }
      birth = 0
    }

    /// The tick of the greatest id that the generator has made or that was passed to
    /// `advance(past:)`.
    var lastTicks: Int64 { last.load(ordering: .relaxed) }

    /// Returns whether this generator may have made an id. The result is true if the id is not
    /// older than the generator and not newer than the generator's last id.
    func mayHaveMade(_ id: Unique64) -> Bool { id.ticks >= birth && id.ticks <= lastTicks }

    /// Makes the next id, without a lock.
    ///
    /// Costs one reading of the clock and one atomic exchange.
    ///
    /// - Parameter tag: any number; it does not contribute to the uniqueness of the id.
    /// - Returns: an id greater than all ids that this generator made before. Returns ``exhausted``
    ///   if the clock is past the end of the layout in 2072, or if the last tick is used up.
    public func next(tag: Int16 = 0) -> Unique64 {
      let now = clock()
      // The method returns before `last` changes. If the clock was wrong only for a moment, the
      // generator therefore makes ids again afterwards.
      guard now <= maximumTicks else { return .exhausted }
      var previous = last.load(ordering: .relaxed)
      while true {
        let ticks = max(now, previous &+ 1)
        guard ticks <= maximumTicks else { return .exhausted }
        // Relaxed ordering suffices: all threads see the changes of one atomic in the same order.
        let (exchanged, original) = last.weakCompareExchange(
          expected: previous, desired: ticks, ordering: .relaxed)
        if exchanged { return Unique64(ticks: ticks, tag: tag) }
        previous = original
      }
    }

    /// Makes the generator continue after `id`, an id that is already stored. All later ids are
    /// greater.
    ///
    /// An id whose date is ahead of the clock is accepted, because the clock may have been set
    /// back. Later ids then have later dates than this id, although the clock is behind, because
    /// uniqueness matters more than the time. A negative id is ignored, because no generator makes
    /// a negative id. An id beyond ``advanceLimit`` is ignored, because the generator could make
    /// too few greater ids.
    ///
    /// - Returns: false if the id was ignored.
    @discardableResult
    public func advance(past id: Unique64) -> Bool {
      guard id.rawValue >= 0, id <= advanceLimit else { return false }
      last.max(id.ticks, ordering: .relaxed)
      return true
    }

    /// The greatest id that ``advance(past:)`` accepts at present.
    ///
    /// The limit keeps a single damaged id from using up the generator. Ids in the last sixteenth
    /// of the layout (about four and a half years, 2⁴³ ticks) are accepted only if they are less
    /// than 2⁴³ ticks ahead of the clock. Query the database for the greatest id up to this limit,
    /// so that a damaged id does not hide the valid ids:
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

  /// The generator of the process, which ``init(tag:)`` uses unless a task replaces it.
  public static let shared = Generator()

  /// The generator that ``init(tag:)`` uses here: the generator that
  /// ``withGenerator(_:operation:)`` set for this task, or else ``shared``.
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

  /// Runs `operation` with `generator` as the generator that ``init(tag:)`` uses.
  ///
  /// The generator applies to this task, and to the child tasks and `Task { }` made in `operation`,
  /// so that tests that run in parallel do not interfere with each other. It does not apply to
  /// `Task.detached { }` or to other threads.
  ///
  /// - Returns: the result of `operation`. Its error is rethrown.
  public static func withGenerator<Value>(
    _ generator: Generator,
    operation: () throws -> Value
  ) rethrows -> Value {
    try $taskGenerator.withValue(generator, operation: operation)
  }

  /// Runs an asynchronous `operation` with `generator` as the generator that ``init(tag:)`` uses.
  ///
  /// The generator applies to the same tasks as in the synchronous form. The operation runs in the
  /// caller's isolation.
  ///
  /// - Returns: the result of `operation`. Its error is rethrown.
  public static func withGenerator<Value>(
    _ generator: Generator,
    isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Value
  ) async rethrows -> Value {
    try await $taskGenerator.withValue(generator, operation: operation, isolation: isolation)
  }

  /// Returns the tick of a date, from 0 to `maximumTicks + 1`.
  private static func ticks(of date: Date) -> Int64 {
    // A Date is a Double: rounding it to whole microseconds makes `ticks(of: id.date)` exact.
    let microseconds = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()
    // NaN counts as a clock that was never set.
    guard microseconds > 0 else { return 0 }
    return Int64(min(microseconds, Double((maximumTicks + 1) << 4))) >> 4
  }

  /// Returns the tick of the system's clock, from 0 to `maximumTicks + 1`.
  @Sendable private static func systemTicks() -> Int64 {
    let secondsFrom1970To2001: Int64 = 978_307_200
    var time = timespec()
    // The call cannot fail for this clock. If it did, the time would stay 0, which is before 2001.
    clock_gettime(CLOCK_REALTIME, &time)
    let seconds = Int64(time.tv_sec) &- secondsFrom1970To2001
    guard seconds >= 0 else { return 0 }
    guard seconds <= maximumTicks / ticksPerSecond else { return maximumTicks + 1 }
    return seconds * ticksPerSecond + Int64(time.tv_nsec) / 16_000
  }
}
