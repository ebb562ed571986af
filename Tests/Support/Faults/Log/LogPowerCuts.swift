import Apus
import CFaults
import Foundation

/// R21: the power is cut while a program writes a change log, undoes, redoes and applies.
enum LogPowerCuts: Trial {
  static let name = "R21"
  static let title = "change log, power cuts"
  static let unit = "cuts"
  static let quick = 1_500
  static let full = 50_000
  static let partSize = 300

  private static let moments = 50
  private static let seedsPerMoment = 3
  private static let steps = 30

  static func prepareProcess() throws { try InputOutputFaults.prepareProcess() }

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    var number = numbers.lowerBound
    while number < numbers.upperBound {
      Progress.show(number)
      let cuts = min(moments * seedsPerMoment, numbers.upperBound - number)
      let synchronous: Configuration.Synchronous =
        number / (moments * seedsPerMoment) % 2 == 0 ? .full : .normal
      try run(number, cuts / seedsPerMoment, synchronous, seed, &tally)
      number += cuts
    }
  }

  /// Does the work once, with cuts at some moments, and checks each disk.
  private static func run(
    _ number: Int, _ moments: Int, _ synchronous: Configuration.Synchronous, _ seed: UInt64,
    _ tally: inout Tally
  ) throws {
    var random = SeededGenerator(seed: seed, number: number)
    let work = random
    disk_begin()
    try runSteps(synchronous, work)
    let operations = disk_operation_count()
    disk_end()
    let images = try Folder(isWatched: false)
    disk_begin()
    var cuts: [String] = []
    for _ in 0..<moments {
      let operation = Int.random(in: 1...operations, using: &random)
      for _ in 0..<seedsPerMoment {
        let folder = images.file("\(cuts.count)")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        guard disk_cut_at(operation, random.next(), folder) != 0 else { continue }
        cuts.append(folder)
      }
    }
    try runSteps(synchronous, work)
    disk_end()
    for (index, folder) in cuts.enumerated() {
      let acknowledged = disk_acknowledged_at(Int32(index))
      let begun = disk_begun_at(Int32(index))
      guard acknowledged >= 0 else {
        tally.count("not met")
        continue
      }
      tally.count("cuts")
      do {
        // If commits do not wait for the disk, the last ones may be lost.
        try check(folder, (synchronous == .full ? acknowledged : 0)...begun, &tally)
      } catch {
        tally.fail(
          "R21 \(number) cut \(index) \(synchronous), step \(acknowledged) of \(begun) seed \(seed): "
            + "\(error)")
      }
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  private static func runSteps(
    _ synchronous: Configuration.Synchronous, _ random: SeededGenerator
  ) throws {
    let folder = try Folder()
    disk_begin_step(1)
    var configuration = Configuration.ofTrials(synchronous: synchronous)
    // A log that is copied into the file after each step would hide a commit that did not wait.
    configuration.maximumWALBytes = 300_000
    let work = try LoggedWork(
      path: folder.file("logged.sqlite"), number: 0, configuration: configuration, random: random)
    disk_acknowledge(1)
    for step in 1...steps {
      disk_begin_step(step + 1)
      try work.step()
      disk_acknowledge(step + 1)
    }
    try work.db.close()
  }

  /// - Parameter steps: how many steps may be in the file. The first one opens it.
  private static func check(
    _ folder: String, _ steps: ClosedRange<Int>, _ tally: inout Tally
  ) throws {
    let path = folder + "/logged.sqlite"
    guard FileManager.default.fileExists(atPath: path) else {
      return try require(steps.lowerBound == 0, "the file does not exist")
    }
    let replay = try LogReplay(of: path)
    let allowed = max(0, steps.lowerBound - 1)...max(0, steps.upperBound - 1)
    try require(
      allowed.contains(replay.entries), "the log has \(replay.entries) entries, not \(allowed)")
    tally.count("with undo or redo", replay.inverted > 0 ? 1 : 0)
    tally.count("with applied transactions", replay.applied > 0 ? 1 : 0)
  }

  static func judge(_ tally: Tally) -> [String] {
    ["cuts", "with undo or redo", "with applied transactions"]
      .filter { tally.counts[$0, default: 0] == 0 }.map { "there is nothing under: \($0)" }
  }
}
