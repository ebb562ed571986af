import Apus
import Foundation

/// R19: three processes read and write one file; each read must contain every commit that was made
/// before it began, by any of them, and no read may mix two commits.
///
/// Rows that are found by their keys are cached. Processes are killed between the reads, and the
/// shared memory of the log is lost, as in a power cut.
enum Freshness: Trial {
  static let name = "R19"
  static let title = "freshness"
  static let unit = "reads"
  static let quick = 40_000
  static let full = 1_000_000
  static let partSize = 10_000

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    var random = SeededGenerator(seed: seed, number: numbers.lowerBound)
    let folder = try Folder(isWatched: false)
    var path = folder.file("fresh.sqlite")
    let rounds = 4
    for round in 0..<rounds {
      Progress.show(numbers.lowerBound + round)
      let marks = try CommitMarks(path: path + ".marks")
      let own = try await FreshnessRun(
        path: path, marks: marks, process: 0, seed: .random(in: .min ... .max, using: &random))
      var children: [ChildProcess] = []
      for child in 0..<2 {
        children.append(try start(child, path, &random))
      }
      var left = numbers.count / rounds
      while left > 0 {
        left -= max(3, try await own.read(min(left, 500)))
        guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
        let child = Int.random(in: 0..<2, using: &random)
        try end(children[child], marks, &tally)
        children[child] = try start(child, path, &random)
      }
      for child in children { try end(child, marks, &tally) }
      tally.count(unit, numbers.count / rounds)
      // The next round goes on with a copy of the file and of its log, without the shared memory.
      let copy = folder.file("fresh-\(round).sqlite")
      for suffix in ["", "-wal", ".marks"]
      where FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      tally.count("cached reads", try own.cacheHits)
      try own.close()
      path = copy
      tally.count("power cuts")
    }
    let marks = try CommitMarks(path: path + ".marks")
    tally.count("commits", (0..<FreshnessRun.processes).map { marks.last(of: $0) }.reduce(0, +))
  }

  private static func start(
    _ child: Int, _ path: String, _ random: inout SeededGenerator
  ) throws -> ChildProcess {
    let number = Int.random(in: 0..<1_000_000, using: &random) * 2 + child
    let process = try ChildProcess(["freshness", path, "\(number)"])
    try require(process.line() == "ready", "a child did not begin: \(process.errors)")
    return process
  }

  /// Kills a child. Throws what a child has found until then.
  private static func end(
    _ child: ChildProcess, _ marks: CommitMarks, _ tally: inout Tally
  ) throws {
    guard child.isRunning, !marks.hasFailed else {
      let finding = child.isRunning ? nil : child.line()
      throw Violation(finding ?? "a child found a violation, or ended: \(child.errors)")
    }
    _ = child.kill()
    try require(!marks.hasFailed, "a child found a violation")
    tally.count("kills")
  }
}
