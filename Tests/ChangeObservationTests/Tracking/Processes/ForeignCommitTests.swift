import Foundation
import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

/// A table that records which transactions it has seen: each one increases the number of row 0
/// and writes it into one of the other rows.
private struct Cell: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var number: Int

  static let creation: SQL = """
    CREATE TABLE Cell (id INTEGER PRIMARY KEY, number INTEGER NOT NULL);
    INSERT INTO Cell VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0);
    """

  static let step: SQL = """
    BEGIN IMMEDIATE;
    UPDATE Cell SET number = number + 1 WHERE id = 0;
    UPDATE Cell SET number = (SELECT number FROM Cell WHERE id = 0)
      WHERE id = 1 + (SELECT number FROM Cell WHERE id = 0) % 5;
    COMMIT;
    """

  /// The rows after `count` transactions.
  static func rows(after count: Int) -> [Cell] {
    [Cell(id: 0, number: count)]
      + (0..<5).map { rest in
        Cell(id: 1 + rest, number: (0...count).last { $0 % 5 == rest && $0 > 0 } ?? 0)
      }
  }
}

@Suite("Live results while other connections commit")
struct ForeignCommitTests {
  private func database() throws -> Database {
    let db = try Database.temporary()
    try db.execute(Cell.creation)
    return db
  }

  private func step(_ db: Database) async throws {
    try await db.writeWithoutTransaction { try $0.execute(Cell.step) }
  }

  /// Checks results until the one after `last` transactions.
  private func check(
    _ results: inout QueryObservation<Cell>.Iterator, from first: Int, to last: Int
  ) async throws {
    var seen = first
    while seen < last {
      let rows = Array(try #require(try await results.next()))
      let number = try #require(rows.first?.number)
      try #require(rows == Cell.rows(after: number), "a result that never was, near \(number)")
      try #require(number > seen, "a result from before")
      seen = number
    }
  }

  @Test("a commit that follows another connection's commit shows both")
  func alternating() async throws {
    let db = try database()
    let other = try Connection(path: try #require(db.path))
    var results = db.observe(Cell.order(by: \.$id)).makeAsyncIterator()
    #expect(try await results.next().map { Array($0) } == Cell.rows(after: 0))
    var random = SeededGenerator(seed: TestSeed.draw())
    var count = 0
    for _ in 0..<TestSize.count(small: 60, full: 2_000) {
      let start = count
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        count += 1
        if Bool.random(using: &random) { try await step(db) } else { try other.execute(Cell.step) }
      }
      try await check(&results, from: start, to: count)
    }
  }

  @Test(
    "while a second process writes, each result is a committed state, and the last is final")
  func secondProcess() async throws {
    let folder = try TemporaryPath()
    let db = try Database(path: folder.path)
    try await db.execute(Cell.creation)
    var results = db.observe(Cell.order(by: \.$id)).makeAsyncIterator()
    _ = try await results.next()
    let count = TestSize.count(small: 100, full: 2_000)
    let other = try OtherProcess.run(["step", folder.path, "\(count)", Cell.step.text])
    let own = Task.detached {
      for _ in 0..<count {
        _ = try await db.writeWithoutTransaction { try $0.execute(Cell.step) }
      }
    }
    try await check(&results, from: 0, to: 2 * count)
    try await own.value
    other.waitUntilExit()
    #expect(other.terminationStatus == 0)
  }

  @Test(
    "a stream reports foreign commits before the own change that follows them",
    .needs(.preUpdateHook))
  func stream() async throws {
    let db = try database()
    let other = try Connection(path: try #require(db.path))
    var changes = db.changes(of: Cell.self).makeAsyncIterator()
    try await step(db)
    #expect(await changes.next()?.isComplete == true)
    for _ in 0..<20 {
      try other.execute(Cell.step)
      try await step(db)
      let element = await changes.next()?.events
      #expect(element == [.changedElsewhere])
      let own = try #require(await changes.next())
      #expect(own.isComplete && own.rows.count == 2)
    }
  }

  @Test(
    "a stream that is read later gives a foreign commit between the own changes around it",
    .needs(.preUpdateHook))
  func order() async throws {
    let db = try database()
    let other = try Connection(path: try #require(db.path))
    var changes = db.changes(of: Cell.self).makeAsyncIterator()
    var all = db.changes().makeAsyncIterator()
    for _ in 0..<2 {
      try await step(db)
      try other.execute(Cell.step)
    }
    try await step(db)
    var (seen, allSeen): ([String], [String]) = ([], [])
    for _ in 0..<5 {
      let element = try #require(await changes.next())
      // Row 0 has the number of the transaction.
      let number = try element.rows.first?.new(\.$number)
      seen.append(number.map { "\($0)" } ?? words([element])[0].joined())
      let next = try #require(await all.next())
      let value = next["Cell"]?.rows.first?.new("number")
      allSeen.append(value?.description ?? next.events.map { "\($0)" }.joined())
    }
    #expect(seen == ["1", "changedElsewhere", "3", "changedElsewhere", "5"])
    #expect(allSeen == seen)
  }

  @Test(
    "if a slow observer loses rows, the events stay, and later changes follow them",
    .needs(.preUpdateHook))
  func dropped() async throws {
    var configuration = Configuration()
    configuration.maximumTrackedRows = 3
    let db = try Database.temporary(configuration: configuration)
    try await db.execute(Cell.creation)
    let other = try Connection(path: try #require(db.path))
    var changes = db.changes(of: Cell.self).makeAsyncIterator()
    try await step(db)
    try other.execute(Cell.step)
    try await step(db)
    try other.execute(Cell.step)
    try await step(db)
    var events: Set<TableEvent> = []
    for _ in 0..<2 {
      let element = try #require(await changes.next())
      #expect(element.rows.isEmpty)
      events.formUnion(element.events)
    }
    #expect(events == [.tableChanged, .changedElsewhere])
    try await step(db)
    let own = try #require(await changes.next())
    #expect(own.isComplete)
    let found = try own.rows.first?.new(\.$number)
    #expect(found == 6)
  }

  @Test("the database's own actions are never taken for foreign commits", .needs(.preUpdateHook))
  func ownCommits() async throws {
    let db = try database()
    var changes = db.changes(of: Cell.self).makeAsyncIterator()
    for round in 0..<20 {
      try await step(db)
      #expect(await changes.next()?.isComplete == true, "round \(round)")
      try? await db.write { _ -> Void in throw CancellationError() }
      switch round % 4 {
      case 0: try await db.execute("PRAGMA user_version = \(unsafe: String(round))")
      case 1:
        try await db.writeWithoutTransaction {
          _ = try $0.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        }
      case 2:
        try await db.execute("CREATE TABLE IF NOT EXISTS Other (id INTEGER)")
        await #expect(throws: DatabaseError.self) {
          try await db.execute("INSERT INTO Cell VALUES (0, 0)")
        }
      default: _ = try await db.fetch(Cell.all)
      }
    }
  }
}
