/// What was measured of one workload: the median time of an operation on each side, in
/// nanoseconds. A side that was not asked for is nil.
struct Measurement {
  let workload: Workload
  let c: Double?
  let apus: Double?

  var ratio: Double? {
    guard let c, let apus else { return nil }
    return apus / c
  }
}

/// The sides gave different results: they did not do the same work.
struct SidesDiffer: Error {
  let workload: String
  let c: Int
  let apus: Int
}

enum SideName: String {
  case c, apus
}

extension Workload {
  /// Runs the sides in turn, so that whatever else the machine does meets both, after one run of
  /// each that is not counted.
  nonisolated(nonsending)
    func measure(rounds: Int, only side: SideName?) async throws -> Measurement
  {
    let fixture = try Fixture()
    defer { withExtendedLifetime(fixture) {} }
    let sides = try sides(fixture)
    var c: [Double] = []
    var apus: [Double] = []
    for round in 0...rounds {
      let first = side == .apus ? nil : try await time(sides.c)
      let second = side == .c ? nil : try await time(sides.apus)
      if let first, let second, first.result != second.result {
        throw SidesDiffer(workload: name, c: first.result, apus: second.result)
      }
      guard round > 0 else { continue }
      if let first { c.append(first.nanoseconds / Double(operations)) }
      if let second { apus.append(second.nanoseconds / Double(operations)) }
    }
    return Measurement(workload: self, c: median(c), apus: median(apus))
  }

  nonisolated(nonsending)
    private func time(_ side: Side) async throws -> (result: Int, nanoseconds: Double)
  {
    try side.prepare()
    let start = ContinuousClock.now
    let result = try await side.run()
    return (result, (ContinuousClock.now - start) / .nanoseconds(1))
  }
}

private func median(_ values: [Double]) -> Double? {
  guard !values.isEmpty else { return nil }
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2)
    ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
