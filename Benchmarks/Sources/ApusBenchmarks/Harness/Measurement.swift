/// The result of one workload: the times of an operation on each side, in nanoseconds, round by
/// round. A side has no times if the workload lacks this side, or if it was not selected by the
/// command line.
struct Measurement {
  let workload: Workload
  var times: [SideName: [Double]] = [:]
  /// The number of commits in each run, for the sides that write in the background.
  var commits: [SideName: [Double]] = [:]
  /// The processor time of all threads, in nanoseconds per operation, for the sides that write in
  /// the background. Unlike the elapsed time, the processor time does not depend on how many cores
  /// the side can use.
  var processorTimes: [SideName: [Double]] = [:]
  /// The median times of a hop between the rounds, in nanoseconds, for a target that refers to it.
  var hops: [Double] = []

  /// The median time of a side.
  subscript(side: SideName) -> Double? { times[side].flatMap { quantile($0, 0.5) } }

  /// The median time of a hop between the rounds, in nanoseconds.
  var hop: Double? { quantile(hops, 0.5) }

  /// Returns the time of a side relative to that of the C side: the median of the rounds' ratios.
  func ratio(_ side: SideName) -> Double? { quotient(side, by: .c) }

  /// Returns the median of the rounds' quotients of two sides.
  func quotient(_ side: SideName, by other: SideName) -> Double? {
    quantile(quotients(side, other), 0.5)
  }

  /// Returns the range in which the middle half of a side's ratios to the C side lies, from the
  /// first quartile to the third.
  func spread(_ side: SideName) -> ClosedRange<Double>? {
    let ratios = quotients(side, .c)
    guard let first = quantile(ratios, 0.25), let third = quantile(ratios, 0.75) else { return nil }
    return first...third
  }

  private func quotients(_ side: SideName, _ other: SideName) -> [Double] {
    zip(times[side] ?? [], times[other] ?? []).map { $0 / $1 }
  }
}

/// The error that is thrown if the sides have returned different results, so that they cannot have
/// done the same work.
struct SidesDiffer: Error {
  let workload: String
  let results: [SideName: Int]
}

extension Workload {
  /// Measures the sides in turn, so that other work of the machine affects all of them. The first
  /// run of each side is not counted.
  nonisolated(nonsending)
    func measure(rounds: Int, only wanted: [SideName]) async throws -> Measurement
  {
    let fixture = try Fixture()
    defer { withExtendedLifetime(fixture) {} }
    let sides = try sides(fixture)
    var measurement = Measurement(workload: self)
    for round in 0...rounds {
      var results: [SideName: Int] = [:]
      for name in SideName.allCases where wanted.isEmpty || wanted.contains(name) {
        guard let side = sides[name] else { continue }
        try side.prepare()
        let processorStart = ProcessorTime.ofProcess
        let start = ContinuousClock.now
        let result = try await side.run()
        let time = (ContinuousClock.now - start) / .nanoseconds(1)
        let processorTime = ProcessorTime.ofProcess - processorStart
        if side.operations == nil { results[name] = result }
        guard round > 0 else { continue }
        let count = Double(side.operations ?? operations)
        measurement.times[name, default: []].append(time / count)
        if let commits = side.commits {
          measurement.processorTimes[name, default: []].append(processorTime / count)
          measurement.commits[name, default: []].append(Double(commits()))
        }
      }
      if round > 0, target?.isInHops == true { measurement.hops.append(await Hop.measure()) }
      guard Set(results.values).count <= 1 else {
        throw SidesDiffer(workload: name, results: results)
      }
    }
    return measurement
  }
}

/// Returns the quantile of some values: the given share of the values is smaller. If the quantile
/// lies between two values, it is interpolated. Returns nil if there are no values.
func quantile(_ values: [Double], _ share: Double) -> Double? {
  guard !values.isEmpty else { return nil }
  let sorted = values.sorted()
  let place = Double(sorted.count - 1) * share
  let below = Int(place)
  let above = min(below + 1, sorted.count - 1)
  return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
}
