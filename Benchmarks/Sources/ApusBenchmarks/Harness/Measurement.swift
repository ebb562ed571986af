/// The result of one workload: the median time of an operation on each side, in nanoseconds. A side
/// that does not exist, or was not asked for, has no time.
struct Measurement {
  let workload: Workload
  let nanoseconds: [SideName: Double]

  subscript(side: SideName) -> Double? { nanoseconds[side] }

  /// Returns the time of a side relative to that of the C side.
  func ratio(_ side: SideName) -> Double? {
    guard let c = self[.c], let other = self[side] else { return nil }
    return other / c
  }
}

/// The error that the sides gave different results, so they did not do the same work.
struct SidesDiffer: Error {
  let workload: String
  let results: [SideName: Int]
}

extension Workload {
  /// Measures the sides in turn, so that other work of the machine affects all of them. The first
  /// run of each side is not counted.
  nonisolated(nonsending)
    func measure(rounds: Int, only wanted: SideName?) async throws -> Measurement
  {
    let fixture = try Fixture()
    defer { withExtendedLifetime(fixture) {} }
    let sides = try sides(fixture)
    var times: [SideName: [Double]] = [:]
    for round in 0...rounds {
      var results: [SideName: Int] = [:]
      for name in SideName.allCases where wanted == nil || wanted == name {
        guard let side = sides[name] else { continue }
        try side.prepare()
        let start = ContinuousClock.now
        let result = try await side.run()
        let time = (ContinuousClock.now - start) / .nanoseconds(1)
        if side.operations == nil { results[name] = result }
        if round > 0 {
          times[name, default: []].append(time / Double(side.operations ?? operations))
        }
      }
      guard Set(results.values).count <= 1 else {
        throw SidesDiffer(workload: name, results: results)
      }
    }
    return Measurement(workload: self, nanoseconds: times.compactMapValues(median))
  }
}

private func median(_ values: [Double]) -> Double? {
  guard !values.isEmpty else { return nil }
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2)
    ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
