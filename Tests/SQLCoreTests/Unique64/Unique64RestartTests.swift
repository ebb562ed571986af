import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Unique64 over time and restarts")
struct Unique64RestartTests {
  @Test("ids keep step with the clock at up to 62,500 per second")
  func keepsStep() {
    let first: Int64 = 800_000_000 * 62_500
    let clock = ManualClock(.distantPast)
    let generator = Unique64.Generator(now: clock.read)
    let late = (first..<(first + 62_500)).filter { tick in
      clock.set(Date(timeIntervalSinceReferenceDate: Double(tick) / 62_500))
      return generator.next().rawValue >> 16 != tick
    }
    #expect(late.isEmpty)
  }

  /// The number of ids in a burst: sixteen seconds' worth at full size.
  private static let burst = TestSize.count(small: 50_000, full: 1_000_000)

  @Test("a burst runs ahead of the clock, which then catches up")
  func burst() {
    let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let clock = ManualClock(start)
    let generator = Unique64.Generator(now: clock.read)
    let ids = (0..<Self.burst).map { _ in generator.next() }
    #expect(ids.isStrictlyIncreasing)
    #expect(ids.last?.date == start.addingTimeInterval(Double(Self.burst - 1) * 0.000_016))
    clock.advance(by: 16)
    #expect(generator.next().date == start.addingTimeInterval(16))
  }

  @Test("a restart after a burst repeats no id", arguments: [0.0, 1.0, -3_600.0])
  func restart(clockStep: Double) throws {
    let clock = ManualClock(Date(timeIntervalSinceReferenceDate: 800_000_000))
    let before = Unique64.Generator(now: clock.read)
    let stored = (0..<Self.burst).map { before.next(tag: Int16(truncatingIfNeeded: $0)) }
    clock.advance(by: clockStep)

    let after = Unique64.Generator(now: clock.read)
    #expect(after.advance(past: try #require(stored.max())))
    let fresh = (0..<Self.burst).map { after.next(tag: Int16(truncatingIfNeeded: -$0)) }
    #expect((stored + fresh).isStrictlyIncreasing)
  }

  @Test("a clock that steps back repeats no id", arguments: [-1e-5, -1, -86_400, -9e8, -1e30])
  func clockStepsBack(step: Double) {
    let clock = ManualClock(Date(timeIntervalSinceReferenceDate: 800_000_000))
    let generator = Unique64.Generator(now: clock.read)
    var ids = (0..<100).map { _ in generator.next() }
    clock.advance(by: step)
    ids += (0..<100).map { _ in generator.next() }
    clock.set(Date(timeIntervalSinceReferenceDate: 800_000_001))
    ids.append(generator.next())
    #expect(ids.isStrictlyIncreasing)
    #expect(ids.last?.date == clock.read())
  }

  @Test("a smaller stored id does not move a generator back")
  func advanceNeverMovesBack() {
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let generator = Unique64.Generator(now: { date })
    let first = generator.next()
    #expect(generator.advance(past: Unique64(rawValue: 0)))
    #expect(generator.next() > first)
  }

  // The arguments are numbers and not dates, since a test prints its arguments and Date's
  // description traps on some of these.
  @Test(
    "a clock before 2001, or without a valid date, counts as the start of 2001",
    arguments: [
      -1, -978_307_200, -1e30, -.infinity, .nan, Double.signalingNaN,
    ])
  func clockBefore2001(seconds: Double) {
    let generator = Unique64.Generator(now: { Date(timeIntervalSinceReferenceDate: seconds) })
    let ids = (0..<3).map { _ in generator.next() }
    #expect(ids.map(\.rawValue) == [1 << 16, 2 << 16, 3 << 16])

    #expect(generator.advance(past: Unique64(rawValue: 800_000_000 * 62_500 << 16)))
    #expect(generator.next().date > Date(timeIntervalSinceReferenceDate: 800_000_000))
  }

  @Test(
    "a clock past 2072 gives no id and does no lasting harm",
    arguments: [
      endOfUnique64.timeIntervalSinceReferenceDate, 1e12, .greatestFiniteMagnitude, .infinity,
    ])
  func clockPast2072(seconds: Double) {
    let clock = ManualClock(Date(timeIntervalSinceReferenceDate: 800_000_000))
    let generator = Unique64.Generator(now: clock.read)
    let first = generator.next()
    clock.set(Date(timeIntervalSinceReferenceDate: seconds))
    #expect(generator.next(tag: 7) == .exhausted)
    #expect(generator.next() == .exhausted)
    #expect(!generator.advance(past: .exhausted))

    clock.set(Date(timeIntervalSinceReferenceDate: 800_000_001))
    let second = generator.next()
    #expect(first < second)
    #expect(second.date == clock.read())
  }

  @Test("the last tick is used once")
  func lastTick() {
    let generator = Unique64.Generator(now: { Unique64(rawValue: .max).date })
    #expect(generator.next(tag: -1).rawValue == .max)
    #expect(generator.next(tag: -1) == .exhausted)
    #expect(Unique64.exhausted < Unique64(rawValue: 0))
    #expect(
      abs(endOfUnique64.timeIntervalSince(Unique64(rawValue: .max).date) - 0.000_016) < 0.000_001)
  }

  @Test(
    "a damaged stored id does not use up the generator",
    arguments: [
      Int64.min, -1, .max, .max - 65_536, .max - 1 << 58,
    ])
  func hostileStoredID(rawValue: Int64) {
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let generator = Unique64.Generator(now: { date })
    #expect(!generator.advance(past: Unique64(rawValue: rawValue)))
    #expect(generator.next().date == date)
  }

  @Test("an id up to the limit advances the generator and leaves room for 2⁴³ more")
  func advanceLimit() {
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let generator = Unique64.Generator(now: { date })
    let limit = generator.advanceLimit
    #expect(Int64.max - limit.rawValue == 1 << 59)
    #expect(!generator.advance(past: Unique64(rawValue: limit.rawValue + 1)))
    #expect(generator.advance(past: limit))
    #expect(generator.next(tag: .min) > limit)
    #expect(generator.next() != .exhausted)
  }

  @Test("in the last years of the layout, stored ids still advance the generator")
  func lastYears() {
    let generator = Unique64.Generator(now: { endOfUnique64.addingTimeInterval(-86_400) })
    let stored = Unique64(rawValue: .max - 1 << 40)
    #expect(generator.advanceLimit.rawValue == .max)
    #expect(generator.advance(past: stored))
    #expect(generator.next() > stored)
  }

  @Test(
    "the date and tag of any stored integer can be read",
    arguments: [
      Int64.min, -1, 0, 1, .max,
    ])
  func anyInteger(rawValue: Int64) {
    let id = Unique64(rawValue: rawValue)
    #expect(id.tag == Int16(truncatingIfNeeded: rawValue))
    #expect(id.date < endOfUnique64)
    #expect((id.date < Date(timeIntervalSinceReferenceDate: 0)) == (rawValue < 0))
  }
}
