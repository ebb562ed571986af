import Apus
import Foundation
import Synchronization

/// R15: ids from many threads, across restarts, in bursts, and while the clock steps back.
enum UniqueIDs: Trial {
  static let name = "R15"
  static let title = "ids"
  static let unit = "ids"
  static let quick = 1_000_000
  static let full = 10_000_000
  static let partSize = 1_000_000

  struct Item: Model {
    @PrimaryKey var id: Unique64
    @Column var run: Int
  }

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    var random = SeededGenerator(seed: seed, number: numbers.lowerBound)
    let half = numbers.count / 2
    try await threads(half, &tally)
    try steppingClock(numbers.count / 4, &random, &tally)
    try restarts(numbers.count - half - numbers.count / 4, &random, &tally)
  }

  /// Lets many threads use one generator, in a burst that runs ahead of its clock.
  private static func threads(_ count: Int, _ tally: inout Tally) async throws {
    let generator = Unique64.Generator()
    let share = count / 8
    let lists = await withTaskGroup(of: [Unique64].self) { group in
      for thread in 0..<8 {
        group.addTask { (0..<share).map { _ in generator.next(tag: Int16(thread - 4)) } }
      }
      return await group.reduce(into: [[Unique64]]()) { $0.append($1) }
    }
    for list in lists {
      try require(
        zip(list, list.dropFirst()).allSatisfy { $0 < $1 }, "the ids of a thread are not in order")
      try require(
        Set(list.map(\.tag)).count == 1,
        "the ids of one thread have the tags \(Set(list.map(\.tag)))")
    }
    try requireUnique(lists.flatMap { $0 }, "among threads")
    tally.count(unit, share * 8)
    tally.count("of 8 threads", share * 8)
  }

  private static func requireUnique(_ ids: [Unique64], _ place: String) throws {
    let sorted = ids.sorted()
    let repeated = zip(sorted, sorted.dropFirst()).first { $0.rawValue == $1.rawValue }
    try require(repeated == nil, "\(repeated.map { "\($0.0)" } ?? "") occurs twice \(place)")
    // The tag must not be needed to make an id unique.
    let ticks = zip(sorted, sorted.dropFirst()).first { $0.rawValue >> 16 == $1.rawValue >> 16 }
    try require(ticks == nil, "two ids differ only by their tag \(place)")
  }

  private static func steppingClock(
    _ count: Int, _ random: inout SeededGenerator, _ tally: inout Tally
  ) throws {
    let time = Mutex(1_700_000_000.0)
    let generator = Unique64.Generator { Date(timeIntervalSince1970: time.withLock { $0 }) }
    var last = Unique64(rawValue: 0)
    for _ in 0..<count {
      let step = Double.random(in: -3_600...3_600, using: &random)
      if Int.random(in: 0..<100, using: &random) == 0 { time.withLock { $0 += step } }
      let id = generator.next(tag: .random(in: .min ... .max, using: &random))
      try require(id > last && id.rawValue >> 16 > last.rawValue >> 16, "\(id) follows \(last)")
      last = id
    }
    tally.count(unit, count)
    tally.count("while the clock steps back", count)
  }

  /// Writes a burst in each run of a program. The next run, whose clock may be behind, opens the
  /// same file.
  private static func restarts(
    _ count: Int, _ random: inout SeededGenerator, _ tally: inout Tally
  ) throws {
    let folder = try Folder(isWatched: false)
    let path = folder.file("ids.sqlite")
    var configuration = Configuration()
    configuration.synchronous = .off
    let restarts = 20
    var now = 1_700_000_000.0
    for run in 0..<restarts {
      let time = now
      let generator = Unique64.Generator { Date(timeIntervalSince1970: time) }
      try Unique64.withGenerator(generator) {
        let db = try Database(path: path, models: [Item.self], configuration: configuration)
        // The primary key refuses an id that exists already.
        try db.insert((0..<count / restarts).map { _ in Item(id: Unique64(), run: run) })
        try db.close()
      }
      now += Double.random(in: -100...1, using: &random)
    }
    let connection = try PlainConnection(path: path)
    let rows = try connection.rows(
      """
      SELECT count(*) FROM (SELECT run, lag(run) OVER (ORDER BY id) AS earlier FROM Item)
      WHERE earlier > run
      """)
    try require(rows == [[.integer(0)]], "ids of a later run are less than ids of an earlier run")
    tally.count(unit, count / restarts * restarts)
    tally.count("over \(restarts) restarts", count / restarts * restarts)
  }
}
