import Foundation

/// R20: a process that writes a change log, undoes, redoes and applies is killed at a random moment.
enum LogKills: Trial {
  static let name = "R20"
  static let title = "change log, kill -9"
  static let unit = "kills"
  static let quick = 100
  static let full = 5_000
  static let partSize = 50

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    var folder = try Folder(isWatched: false)
    var random = SeededGenerator(seed: seed, number: numbers.lowerBound)
    // Every fourth process knows nothing of the log, and creates no tables; without them, another one
    // runs in its place. A file may exist without them, since the process that creates it may be
    // killed before it commits the migration.
    var hasTables = false
    for number in numbers {
      Progress.show(number)
      // Ten processes in a row are killed on the same file. The first of them creates it.
      if number % 10 == 0 {
        folder = try Folder(isWatched: false)
        hasTables = false
      }
      let path = folder.file("logged.sqlite")
      do {
        let isTooEarly = LoggedWork.isPlain(number) && !hasTables
        let child = try ChildProcess([
          "log", path, "\(isTooEarly ? number + full + 1 : number)",
        ])
        let reports = try child.kill(
          afterLines: Int.random(in: 0...60, using: &random), pause: 2_000, &random)
        guard FileManager.default.fileExists(atPath: path) else {
          try require(reports.acknowledged.isEmpty, "the file does not exist")
          tally.count("before the file existed")
          tally.count(unit)
          continue
        }
        hasTables = hasTables || reports.acknowledged[0] != nil
        try check(path, reports, &tally)
      } catch {
        tally.fail("R20 \(number) seed \(seed): \(error)")
        folder = try Folder(isWatched: false)
        hasTables = false
      }
      tally.count(unit)
    }
  }

  private static func check(_ path: String, _ reports: ChildReports, _ tally: inout Tally) throws {
    let replay = try LogReplay(of: path)
    if let entries = reports.acknowledged[0] {
      try require(
        (entries...entries + 1).contains(replay.entries),
        "\(entries) entries were acknowledged, but the log has \(replay.entries)")
      tally.count("while writing")
    }
    if let count = reports.acknowledged[1] {
      let value = try PlainConnection(path: path).rows(LoggedWork.plainCount).first?.first
      try require(
        value == .integer(Int64(count)) || value == .integer(Int64(count + 1)),
        "\(count) transactions of another program were acknowledged, but there are \(value as Any)")
      tally.count("while another program wrote")
    }
    tally.add(
      Tally(
        counts: [
          "most entries": replay.entries, "most undone or redone": replay.inverted,
          "most applied": replay.applied,
        ]))
  }

  static func judge(_ tally: Tally) -> [String] {
    ["while writing", "while another program wrote", "most undone or redone", "most applied"]
      .filter { tally.counts[$0, default: 0] == 0 }.map { "there is nothing under: \($0)" }
  }
}
