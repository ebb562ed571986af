import Apus
import CFaults

/// R2: the power is cut, and data that was not forced to disk is there only in part.
enum PowerCuts: Trial {
  static let name = "R2"
  static let title = "power cuts"
  static let unit = "cuts"
  static let quick = 3_000
  static let full = 100_000
  static let partSize = 300

  static func prepareProcess() throws { try InputOutputFaults.prepareProcess() }

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    let reference = try await Reference(OnTrial.scenario())
    try await run(numbers, seed: seed, tally: &tally) { synchronous in
      PowerCutRun(reference: reference, synchronous: synchronous) { acknowledged, begun in
        // If commits do not wait for the disk, the last ones may be lost.
        synchronous == .full ? acknowledged...begun : 0...begun
      }
    }
  }

  /// Runs scenarios with 50 moments each until there are as many cuts as numbers.
  static func run(
    _ numbers: Range<Int>, seed: UInt64, tally: inout Tally,
    _ make: (Configuration.Synchronous) -> PowerCutRun
  ) async throws {
    let moments = 50
    var number = numbers.lowerBound
    while number < numbers.upperBound {
      Progress.show(number)
      var random = SeededGenerator(seed: seed, number: number)
      let cuts = min(moments * PowerCutRun.seedsPerMoment, numbers.upperBound - number)
      let isFull = number / (moments * PowerCutRun.seedsPerMoment) % 2 == 0
      let findings = try await make(isFull ? .full : .normal).run(
        moments: cuts / PowerCutRun.seedsPerMoment, seed: seed, random: &random, &tally)
      for finding in findings { tally.fail("\(name) \(number) seed \(seed): \(finding)") }
      number += cuts
    }
  }
}

/// R2c: nothing is forced to disk at all, which the same trial must find out.
enum PowerCutsControl: Trial {
  static let name = "R2c"
  static let title = "power cuts, synchronous=OFF"
  static let unit = "cuts"
  static let quick = 150
  static let full = 3_000
  static let partSize = 150

  static func prepareProcess() throws { try InputOutputFaults.prepareProcess() }

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    let reference = try await Reference(OnTrial.scenario())
    var random = SeededGenerator(seed: seed, number: numbers.lowerBound)
    let run = PowerCutRun(reference: reference, synchronous: .off) { 0...$1 }
    let findings = try await run.run(
      moments: numbers.count / PowerCutRun.seedsPerMoment, seed: seed, random: &random, &tally)
    tally.count("damaged", findings.count)
  }

  static func judge(_ tally: Tally) -> [String] {
    tally.counts["damaged", default: 0] > 0 ? [] : ["no damage was found: the trial is blind"]
  }
}
