import Foundation
import SQLCore
import Testing

@Suite("Scoped Unique64 generators")
struct Unique64GeneratorTests {
  @Test("`Unique64()` uses the innermost scoped generator, and only inside its closure")
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

  @Test("the closure's result and error pass through")
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

  @Test("concurrent tasks, each with a generator of its own, do not affect each other")
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

  @Test("the asynchronous form stays in the caller's isolation") @MainActor
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
