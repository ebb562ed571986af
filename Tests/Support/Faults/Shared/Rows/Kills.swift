import Foundation

/// R4: a process that migrates, writes from many tasks and observes is killed at a random moment.
enum Kills: Trial {
  static let name = "R4"
  static let title = "kill -9"
  static let unit = "kills"
  static let quick = 200
  static let full = 10_000
  static let partSize = 50

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    var folder = try Folder(isWatched: false)
    var random = SeededGenerator(seed: seed, number: numbers.lowerBound)
    for number in numbers {
      Progress.show(number)
      // Twenty processes in a row are killed on the same file.
      if number % 20 == 0 { folder = try Folder(isWatched: false) }
      let path = folder.file("killed.sqlite")
      do {
        let child = try ChildProcess(["write", path, "\(number)"])
        let lines =
          Int.random(in: 0...3, using: &random) == 0
          ? 0 : Int.random(in: 0...300, using: &random)
        let reports = try child.kill(afterLines: lines, pause: 3_000, &random)
        try check(path, reports, &tally)
      } catch {
        tally.fail("R4 \(number) seed \(seed): \(error)")
        folder = try Folder(isWatched: false)
      }
      tally.count(unit)
    }
  }

  /// Requires that all acknowledged and observed steps are in the file, and of each task a prefix.
  private static func check(_ path: String, _ reports: ChildReports, _ tally: inout Tally) throws {
    guard FileManager.default.fileExists(atPath: path) else {
      try require(
        reports.acknowledged.isEmpty, "writes were acknowledged, but the file does not exist")
      return tally.count("before the file existed")
    }
    try OnTrial.reopen(path)
    let connection = try PlainConnection(path: path)
    try connection.requireWhole()
    let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    guard tables.contains([.text("Counter")]) else {
      try require(
        reports.acknowledged.isEmpty, "writes were acknowledged, but the tables do not exist")
      return tally.count("before the tables existed")
    }
    var numbers: [Int: Int] = [:]
    for row in try connection.rows("SELECT id, number FROM Counter") {
      guard case .integer(let task) = row[0], case .integer(let number) = row[1] else { continue }
      numbers[Int(task)] = Int(number)
    }
    let records = try connection.rows(
      """
      SELECT task, count(*), max(number), sum(number), sum(CAST(size AS INTEGER)) FROM Record
      GROUP BY task
      """)
    try require(
      records.count == numbers.count,
      "there are records of \(records.count) tasks, but \(numbers.count) counters"
    )
    for row in records {
      let values = row.map { value -> Int in if case .integer(let n) = value { Int(n) } else { -1 }
      }
      let number = numbers[values[0], default: -1]
      let sum = number * (number + 1) / 2
      try require(
        values[1] == number && values[2] == number && values[3] == sum && values[4] == sum,
        "task \(values[0]) has the records \(values[1...]), but its counter is \(number)")
    }
    for (task, number) in reports.acknowledged {
      try require(
        number <= numbers[task, default: 0],
        "\(number) writes of task \(task) were acknowledged, but it has "
          + "\(numbers[task, default: 0])")
    }
    for (task, number) in reports.observed {
      try require(
        number <= numbers[task, default: 0],
        "\(number) writes of task \(task) were observed, but it has \(numbers[task, default: 0])")
    }
    tally.count(reports.acknowledged.isEmpty ? "while opening" : "while writing")
    tally.count("acknowledged", reports.acknowledged.values.reduce(0, +))
  }

  static func judge(_ tally: Tally) -> [String] {
    tally.counts["while writing", default: 0] > 0
      ? [] : ["no kill hit a process while it was writing"]
  }
}
