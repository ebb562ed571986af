import Apus
import CFaults

/// R5: an allocation of SQLite's fails, once or from then on.
///
/// `full` tries each allocation both ways, until there are no more to fail; `quick` tries some of
/// them, chosen by the seed.
enum OutOfMemory: Trial {
  static let name = "R5"
  static let title = "out of memory"
  static let unit = "points"
  static let quick = 2_000
  static let full = 36_000
  static let partSize = 250

  static func prepareProcess() throws {
    try require(allocator_install() == 0, "the allocator is not installed")
  }

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    // The first run allocates what is kept for good, the second one counts.
    _ = try await Reference(OnTrial.scenario())
    allocator_arm(0, 0)
    let reference = try await Reference(OnTrial.scenario())
    let count = reference.allocations
    let alive = await settledCount(1)
    for number in numbers {
      Progress.show(number)
      let place = place(of: number, seed: seed)
      let (allocation, isLasting) = (place / 2 + 1, place % 2 == 1)
      let label =
        "R5 \(number) seed \(seed): allocation \(allocation)"
        + (isLasting ? " and all later ones" : "")
      let run = FaultyRun(
        reference: reference, arm: { allocator_arm(allocation, isLasting ? 1 : 0) },
        failures: { allocator_failed() }, disarm: { allocator_disarm() })
      try await run.run(label, &tally)
      let left = await settledCount(alive)
      if left > alive { tally.fail("\(label): \(left - alive) allocations more than before") }
      tally.count(unit)
    }
    tally.count("most allocations", count)
  }

  /// Returns the place of a number: consecutive numbers are far apart, and no two have the same
  /// place.
  private static func place(of number: Int, seed: UInt64) -> Int {
    // Multiplying by a prime reaches all places.
    (number * 7_919 + Int(seed % UInt64(full))) % full
  }

  /// Returns the number of live allocations, once connections that are about to close have done so.
  private static func settledCount(_ expected: Int) async -> Int {
    var count = allocator_alive()
    for _ in 0..<200 where count > expected {
      try? await Task.sleep(for: .milliseconds(1))
      count = allocator_alive()
    }
    return count
  }

  static func judge(_ tally: Tally) -> [String] {
    let allocations = tally.counts["most allocations", default: 0]
    if allocations * 2 > full {
      return ["there are \(allocations) allocations, more than the trial covers"]
    }
    let errors = tally.counts["errors", default: 0]
    return errors * 4 < tally.counts[unit, default: 0]
      ? ["only \(errors) failures caused errors"] : []
  }
}
