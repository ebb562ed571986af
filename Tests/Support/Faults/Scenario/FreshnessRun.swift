import Apus
import Foundation

/// The work of one process in a trial of freshness: it writes numbers that only increase into two
/// tables at once, and requires that each read contains the commits that were made before it began.
final class FreshnessRun: Sendable {
  struct Left: Model {
    @PrimaryKey var id: Int
    @Column var number: Int

    static var schema: Schema<Left> {
      Cached()
      CachedResults()
    }
  }

  struct Right: Model {
    @PrimaryKey var id: Int
    @Column var number: Int

    static var schema: Schema<Right> {
      Cached()
      CachedResults()
    }
  }

  static let processes = 3

  private let db: Database
  private let marks: CommitMarks
  private let process: Int
  private let seed: UInt64

  init(path: String, marks: CommitMarks, process: Int, seed: UInt64) async throws {
    var configuration = Configuration.relaxed
    configuration.maximumWALBytes = 100_000
    configuration.busyTimeout = .seconds(60)
    db = try Database(path: path, models: [Left.self, Right.self], configuration: configuration)
    self.marks = marks
    self.process = process
    self.seed = seed
    try await db.write { tx in
      for id in 0..<Self.processes where try tx.find(Left.self, id) == nil {
        try tx.insert(Left(id: id, number: 0))
        try tx.insert(Right(id: id, number: 0))
      }
    }
  }

  /// Reads and writes in a process of its own, until it is killed.
  static func child(path: String, number: Int) async throws {
    let marks = try CommitMarks(path: path + ".marks")
    let run = try await FreshnessRun(
      path: path, marks: marks, process: 1 + number % 2, seed: UInt64(number))
    ChildRun.say("ready")
    while true {
      do {
        _ = try await run.read(1_000)
      } catch {
        ChildRun.say("\(error)")
        marks.fail()
        return
      }
    }
  }

  func close() throws { try db.close() }

  /// Makes that many reads from three tasks, with writes and checkpoints between them. Returns the
  /// number of reads.
  func read(_ count: Int) async throws -> Int {
    try await withThrowingTaskGroup { group in
      for task in 0..<3 {
        group.addTask { try await self.task(task, reads: count / 3) }
      }
      try await group.waitForAll()
    }
    return count / 3 * 3
  }

  private func task(_ task: Int, reads: Int) async throws {
    var random = SeededGenerator(seed: seed &+ UInt64(process), number: task)
    var seen = [Int](repeating: 0, count: Self.processes)
    for _ in 0..<reads {
      // Bursts of reads without a commit, and commits between almost all reads.
      if Int.random(in: 0..<40, using: &random) == 0 { try await write() }
      if Int.random(in: 0..<2_000, using: &random) == 0 {
        try await db.checkpoint(Bool.random(using: &random) ? .passive : .truncate)
      }
      if Int.random(in: 0..<500, using: &random) == 0 { usleep(15_000) }
      try await readOnce(&seen, &random)
    }
  }

  /// Writes the next number of this process. Its writes are made one after another.
  private func write() async throws {
    let process = process
    let number = try await db.write { tx -> Int in
      guard var left = try tx.find(Left.self, process), var right = try tx.find(Right.self, process)
      else { throw Violation("a row is missing") }
      left.number += 1
      right.number = left.number
      try tx.update(left)
      try tx.update(right)
      return left.number
    }
    marks.committed(number, by: process)
  }

  private func readOnce(_ seen: inout [Int], _ random: inout SeededGenerator) async throws {
    let id = Int.random(in: 0..<Self.processes, using: &random)
    let floors = (0..<Self.processes).map { max(seen[$0], marks.last(of: $0)) }
    let floor = floors[id]
    let number: Int
    switch Int.random(in: 0..<9, using: &random) {
    case 0: number = try await db.find(Left.self, id)?.number ?? -1
    case 1: number = try findAtOnce(id)
    case 6: number = try await db.find(Right.self, id)?.number ?? -1
    case 7: number = try findAtOnce(id, inRight: true)
    case 2: number = try await db.first(Right.where { $0.$id == id })?.number ?? -1
    case 3:
      number = try await db.fetch(Left.where { $0.$id == id }.limit(1)).first?.number ?? -1
    case 4:
      let query = Right.where { $0.$id == id && $0.$number >= floor }
      let exists = try await db.exists(query)
      try require(exists, "process \(process) finds no commit \(floor) of process \(id)")
      return
    case 5:
      let count = try await db.count(Left.where { $0.$id == id && $0.$number >= floor })
      try require(count == 1, "process \(process) counts no commit \(floor) of process \(id)")
      return
    default:
      let (left, right) = try await db.read { reader in
        (
          try reader.fetch(Left.order(by: \.$id).select(\.$number)),
          try reader.fetch(Right.order(by: \.$id).select(\.$number))
        )
      }
      try require(left == right, "process \(process) reads two commits at once: \(left), \(right)")
      for (number, floor) in zip(left, floors) {
        try require(number >= floor, "process \(process) reads \(left), after \(floors)")
      }
      seen = left
      return
    }
    try require(
      number >= floor,
      "process \(process) reads \(number) of process \(id), after \(floor) was committed")
    seen[id] = number
  }

  /// The number of reads that the cache of this process answered.
  var cacheHits: Int {
    get throws {
      try db.cacheStatistics(of: Left.self).hits + db.cacheStatistics(of: Right.self).hits
    }
  }

  /// The number of queries that the cache of this process answered.
  var cachedResultHits: Int {
    get throws {
      try db.resultCacheStatistics(of: Left.self).hits
        + db.resultCacheStatistics(of: Right.self).hits
    }
  }

  private func findAtOnce(_ id: Int, inRight: Bool = false) throws -> Int {
    try (inRight ? db.find(Right.self, id)?.number : db.find(Left.self, id)?.number) ?? -1
  }
}
