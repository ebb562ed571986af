import Dispatch
import Foundation
import SQLCore
import Synchronization
import Testing

@Suite("N15–N20 Unique64")
struct Unique64Tests {
  @Test("N15 an id is an Int64 with bit 63 clear")
  func layout() {
    let id = Unique64()
    #expect(MemoryLayout<Unique64>.size == 8)
    #expect(id.rawValue > 0)
    #expect(Unique64(rawValue: id.rawValue) == id)
  }

  @Test("N15 bits 62–16 are ticks of 16 µs since 2001, bits 15–0 the tag")
  func bits() {
    let clock = ManualClock(Date(timeIntervalSinceReferenceDate: 1))
    let id = Unique64.Generator(now: clock.read).next(tag: 0x1234)
    #expect(id.rawValue == 62_500 << 16 | 0x1234)
  }

  @Test("N15 ids increase strictly, whatever their tags")
  func increasing() {
    let seed = UInt64.random(in: .min ... .max)
    print("Unique64Tests.increasing: seed \(seed)")
    var random = SeededGenerator(state: seed)
    let generator = Unique64.Generator()
    var last = generator.next()
    for _ in 0..<100_000 {
      let id = generator.next(tag: .random(in: .min ... .max, using: &random))
      guard id > last else {
        Issue.record("\(id) after \(last), seed \(seed)")
        return
      }
      last = id
    }
  }

  @Test("N15 ids increase strictly in each of several threads, and none is made twice")
  func threads() {
    let generator = Unique64.Generator()
    let made = Mutex<[[Unique64]]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      let ids = (0..<50_000).map { _ in generator.next(tag: Int16(thread)) }
      made.withLock { $0.append(ids) }
    }
    let lists = made.withLock { $0 }
    #expect(lists.allSatisfy { $0.isStrictlyIncreasing })
    #expect(Set(lists.joined().map { $0.rawValue >> 16 }).count == 8 * 50_000)
  }

  @Test("N15 an id is greater than one that another task handed over")
  func handedOver() async {
    let generator = Unique64.Generator()
    var last = generator.next()
    for _ in 0..<1_000 {
      let before = last
      last = await Task.detached { generator.next() }.value
      guard last > before else {
        Issue.record("\(last) after \(before)")
        return
      }
    }
  }

  @Test("N15 ids are hashed, coded and written as integers")
  func coding() throws {
    let id = Unique64(rawValue: 3_301_234_567_890_123_456)
    #expect(id.description == "3301234567890123456")
    #expect(Unique64(id.description) == id)
    #expect(Unique64("9223372036854775808") == nil)
    #expect(try JSONEncoder().encode([id]) == Data("[3301234567890123456]".utf8))
    #expect(try JSONDecoder().decode([Unique64].self, from: Data("[-1,7]".utf8)).last?.tag == 7)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Unique64].self, from: Data(#"["7"]"#.utf8))
    }
  }

  @Test("N15 an id cannot be compared with a plain number")
  func noLiteral() {
    let type: Any.Type = Unique64.self
    #expect(!(type is any ExpressibleByIntegerLiteral.Type))
  }

  @Test("N16 the process has one generator", arguments: [0, 1, 42, Int16.max])
  func shared(tag: Int16) {
    let first = Unique64.shared.next(tag: tag)
    let second = Unique64(tag: tag)
    #expect(first < second)
    #expect(first.tag == tag)
    #expect(second.tag == tag)
    #expect(Unique64.shared.next().tag == 0)
  }

  @Test("N17 the date is read back within a tick")
  func date() {
    let before = Date()
    let date = Unique64.Generator().next().date
    let after = Date()
    #expect(date > before.addingTimeInterval(-0.000_018))
    #expect(date < after.addingTimeInterval(0.000_002))
  }

  @Test("N17 the date of an id, put in as the clock, gives the same tick")
  func dateRoundTrip() {
    let seed = UInt64.random(in: .min ... .max)
    print("Unique64Tests.dateRoundTrip: seed \(seed)")
    var random = SeededGenerator(state: seed)
    for _ in 0..<10_000 {
      let ticks = Int64.random(in: 1..<(1 << 47), using: &random)
      let id = Unique64(rawValue: ticks << 16)
      let again = Unique64.Generator(now: { id.date }).next()
      guard again == id else {
        Issue.record("\(again) for \(id), seed \(seed)")
        return
      }
    }
  }

  @Test(
    "N19 a tag is read back and leaves the ticks as they are",
    arguments: [
      .min, -12_345, -1, 0, 1, 255, 256, Int16.max,
    ])
  func tags(tag: Int16) {
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let id = Unique64.Generator(now: { date }).next(tag: tag)
    #expect(id.tag == tag)
    #expect(id.date == date)
    #expect(id.rawValue > 0)
  }

  @Test("N20 an id is the default value of a property")
  func defaultValue() {
    struct Author: Equatable {
      var id = Unique64()
      var name: String
    }
    let jane = Author(name: "Jane")
    let george = Author(name: "George")
    #expect(jane.id < george.id)
    #expect(Author(id: jane.id, name: "Jane") == jane)
  }
}

@Suite("N18 Unique64 over time and restarts")
struct Unique64RestartTests {
  @Test("N18 ids keep step with the clock up to 62,500 a second")
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

  @Test("N18 a burst of a million runs ahead of the clock, which then catches up")
  func burst() {
    let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let clock = ManualClock(start)
    let generator = Unique64.Generator(now: clock.read)
    let ids = (0..<1_000_000).map { _ in generator.next() }
    #expect(ids.isStrictlyIncreasing)
    #expect(ids.last?.date == start.addingTimeInterval(999_999 * 0.000_016))
    clock.advance(by: 16)
    #expect(generator.next().date == start.addingTimeInterval(16))
  }

  @Test("N18 a restart after a burst repeats none", arguments: [0.0, 1.0, -3_600.0])
  func restart(clockStep: Double) throws {
    let clock = ManualClock(Date(timeIntervalSinceReferenceDate: 800_000_000))
    let before = Unique64.Generator(now: clock.read)
    let stored = (0..<1_000_000).map { before.next(tag: Int16(truncatingIfNeeded: $0)) }
    clock.advance(by: clockStep)

    let after = Unique64.Generator(now: clock.read)
    #expect(after.advance(past: try #require(stored.max())))
    let fresh = (0..<1_000_000).map { after.next(tag: Int16(truncatingIfNeeded: -$0)) }
    #expect((stored + fresh).isStrictlyIncreasing)
  }

  @Test("N18 a clock that steps back repeats none", arguments: [-1e-5, -1, -86_400, -9e8, -1e30])
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

  @Test("N18 a smaller stored id does not move a generator back")
  func advanceNeverMovesBack() {
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let generator = Unique64.Generator(now: { date })
    let first = generator.next()
    #expect(generator.advance(past: Unique64(rawValue: 0)))
    #expect(generator.next() > first)
  }

  // The arguments are no dates, because a test prints its arguments and Date's description traps on
  // some of these.
  @Test(
    "N18 a clock before 2001, or none, is the start of 2001",
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
    "N18 a clock past 2072 gives no id, and does no harm once it is right again",
    arguments: [
      end.timeIntervalSinceReferenceDate, 1e12, .greatestFiniteMagnitude, .infinity,
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

  @Test("N18 the last tick is used once")
  func lastTick() {
    let generator = Unique64.Generator(now: { Unique64(rawValue: .max).date })
    #expect(generator.next(tag: -1).rawValue == .max)
    #expect(generator.next(tag: -1) == .exhausted)
    #expect(Unique64.exhausted < Unique64(rawValue: 0))
    #expect(abs(end.timeIntervalSince(Unique64(rawValue: .max).date) - 0.000_016) < 0.000_001)
  }

  @Test(
    "N18 a damaged stored id does not use up the generator",
    arguments: [
      Int64.min, -1, .max, .max - 65_536, .max - 1 << 58,
    ])
  func hostileStoredID(rawValue: Int64) {
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let generator = Unique64.Generator(now: { date })
    #expect(!generator.advance(past: Unique64(rawValue: rawValue)))
    #expect(generator.next().date == date)
  }

  @Test("N18 an id up to the limit is believed, and leaves room for 2⁴³ more")
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

  @Test("N18 in the last years of the layout, stored ids count as before")
  func lastYears() {
    let generator = Unique64.Generator(now: { end.addingTimeInterval(-86_400) })
    let stored = Unique64(rawValue: .max - 1 << 40)
    #expect(generator.advanceLimit.rawValue == .max)
    #expect(generator.advance(past: stored))
    #expect(generator.next() > stored)
  }

  @Test(
    "N18 the date and tag of any stored integer can be read",
    arguments: [
      Int64.min, -1, 0, 1, .max,
    ])
  func anyInteger(rawValue: Int64) {
    let id = Unique64(rawValue: rawValue)
    #expect(id.tag == Int16(truncatingIfNeeded: rawValue))
    #expect(id.date < end)
    #expect((id.date < Date(timeIntervalSinceReferenceDate: 0)) == (rawValue < 0))
  }
}

@Suite("N20 generators that are put in")
struct Unique64GeneratorTests {
  @Test("N20 a generator put in is asked by Unique64(), nested and only inside")
  func scope() throws {
    let outer = Unique64.Generator(now: { Date(timeIntervalSinceReferenceDate: 1_000) })
    let inner = Unique64.Generator(now: { Date(timeIntervalSinceReferenceDate: 2_000) })
    #expect(Unique64.generator === Unique64.shared)
    Unique64.withGenerator(outer) {
      #expect(Unique64().date.timeIntervalSinceReferenceDate == 1_000)
      Unique64.withGenerator(inner) {
        #expect(Unique64(tag: -2).date.timeIntervalSinceReferenceDate == 2_000)
      }
      #expect(Unique64.generator === outer)
    }
    #expect(Unique64.generator === Unique64.shared)
  }

  @Test("N20 what the closure returns and throws passes through")
  func results() async {
    struct Failure: Error {}
    let generator = Unique64.Generator()
    #expect(Unique64.withGenerator(generator) { 7 } == 7)
    #expect(throws: Failure.self) { try Unique64.withGenerator(generator) { throw Failure() } }
    await #expect(throws: Failure.self) {
      try await Unique64.withGenerator(generator) {
        await Task.yield()
        throw Failure()
      }
    }
    #expect(Unique64.generator === Unique64.shared)
  }

  @Test("N20 tasks that run at the same time, each with a generator, do not meet")
  func parallelTasks() async {
    await withTaskGroup(of: (Int64, [Unique64]).self) { group in
      for number in Int64(1)...8 {
        group.addTask {
          let date = Date(timeIntervalSinceReferenceDate: Double(number) * 1_000_000)
          return await Unique64.withGenerator(Unique64.Generator(now: { date })) {
            var ids: [Unique64] = []
            for _ in 0..<100 {
              ids.append(Unique64())
              await Task.yield()
              ids.append(await Task { Unique64() }.value)
            }
            return (number, ids)
          }
        }
      }
      for await (number, ids) in group {
        let first = number * 1_000_000 * 62_500
        #expect(ids.map { $0.rawValue >> 16 } == Array(first..<(first + 200)))
      }
    }
  }

  @Test("N20 the asynchronous form stays in the caller's isolation") @MainActor
  func isolation() async {
    var ids: [Unique64] = []
    await Unique64.withGenerator(Unique64.Generator()) {
      MainActor.assertIsolated()
      ids.append(Unique64())
      await Task.yield()
      ids.append(Unique64())
    }
    #expect(ids.isStrictlyIncreasing)
  }
}

/// 2001 and 2⁴⁷ ticks of 16 µs: 2072-05-10, the first moment that the layout cannot hold.
private let end = Date(timeIntervalSinceReferenceDate: Double(1 << 47) / 62_500)

private final class ManualClock: Sendable {
  private let date: Mutex<Date>

  init(_ date: Date) {
    self.date = Mutex(date)
  }

  @Sendable func read() -> Date {
    date.withLock { $0 }
  }

  func set(_ date: Date) {
    self.date.withLock { $0 = date }
  }

  func advance(by seconds: TimeInterval) {
    date.withLock { $0 = $0.addingTimeInterval(seconds) }
  }
}

/// SplitMix64, so that a printed seed gives the same run again.
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

extension [Unique64] {
  fileprivate var isStrictlyIncreasing: Bool {
    zip(self, dropFirst()).allSatisfy(<)
  }
}
