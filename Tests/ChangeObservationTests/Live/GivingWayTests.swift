import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained queries that give way to runs", .needs(.preUpdateHook))
struct GivingWayTests {
  /// Returns a database with room for the rows of one and a half queries, or with the usual room.
  private func database(small: Bool = true) async throws -> Database {
    var configuration = Configuration.relaxed
    if small {
      let watch = QueryWatch(
        LiveSource(JoinTeam.order(by: \.$id)), in: try await database(small: false))
      _ = try await watch.next()
      configuration.maximumLiveMemory = watch.cost.byteCount * 3 / 2
    }
    let db = try Database.temporary(configuration: configuration)
    try await db.execute(
      """
      \(unsafe: JoinTables.creation)
      INSERT INTO JoinTeam
        WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i, 'x' FROM n;
      """)
    return db
  }

  @Test(
    "beyond the memory for maintained queries one runs again, and is maintained when there is room")
  func memory() async throws {
    let db = try await database()
    let watch = QueryWatch(LiveSource(JoinTeam.order(by: \.$id)), in: db)
    #expect(try await watch.next()?.count == 100)
    #expect(watch.isMaintained && watch.cost.isMaintained)
    let tracker = try #require(ChangeTracker.of(db))
    #expect(tracker.heldBytes.load(ordering: .relaxed) == watch.cost.byteCount)
    var other: QueryWatch<JoinTeam>? = QueryWatch(LiveSource(JoinTeam.where { $0.$id > 0 }), in: db)
    #expect(try await other?.next()?.count == 100)
    #expect(other?.isMaintained == false)
    #expect(other?.cost.explanation.contains("Configuration.maximumLiveMemory") == true)
    #expect(tracker.heldBytes.load(ordering: .relaxed) == watch.cost.byteCount)
    // It has the right rows all the same.
    try await db.execute("UPDATE JoinTeam SET title = 'y' WHERE id = 3")
    #expect(try await other?.update()?.difference.inserted == [2])
    // It needs more room than there is.
    #expect(other?.isMaintained == false)
    try await db.execute("DELETE FROM JoinTeam WHERE id > 40")
    #expect(try await watch.update()?.count == 40)
    #expect(try await other?.update()?.count == 40)
    try await db.execute("DELETE FROM JoinTeam WHERE id = 40")
    #expect(try await other?.update()?.count == 39)
    _ = try await watch.update()
    #expect(other?.isMaintained == false, "the rows that did not fit would not fit now")
    other = nil
    #expect(tracker.heldBytes.load(ordering: .relaxed) == watch.cost.byteCount)
  }

  @Test("a query that lacked room is maintained again once others are gone")
  func room() async throws {
    let db = try await database()
    var first: QueryWatch<JoinTeam>? = QueryWatch(LiveSource(JoinTeam.order(by: \.$id)), in: db)
    _ = try await first?.next()
    let second = QueryWatch(LiveSource(JoinTeam.where { $0.$id > 0 }), in: db)
    _ = try await second.next()
    #expect(!second.isMaintained)
    first = nil
    try await db.execute("UPDATE JoinTeam SET title = 'y' WHERE id = 3")
    #expect(try await second.update()?.difference.inserted == [2])
    #expect(second.isMaintained && second.cost.explanation.hasPrefix("Maintained"))
    let fetches = second.fetchCount
    try await db.execute("UPDATE JoinTeam SET title = 'z' WHERE id = 3")
    #expect(try await second.update()?.difference.updated == [2])
    #expect(second.fetchCount == fetches)
    #expect(second.isMaintained)
    withExtendedLifetime(first) {}
  }

  @Test("totals over too many rows run again and say so, and are maintained once there are few")
  func totals() async throws {
    var configuration = Configuration.relaxed
    configuration.maximumLiveMemory = 10 * 2_048
    let db = try Database.temporary(configuration: configuration)
    try await db.execute(
      """
      \(unsafe: JoinTables.creation)
      INSERT INTO JoinPost
        WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        SELECT i, NULL, NULL, 'x', 1 FROM n;
      INSERT INTO JoinMark SELECT id, 'a', id FROM JoinPost WHERE id <= 11;
      """)
    let totals = Query { (post: Columns<JoinPost>, mark: Columns<JoinMark>) in
      From(post)
      Join(mark, on: mark.$post == post.$id)
      Select(post.$stars.sum())
    }
    let explanation = try await db.observe(totals).explanation
    #expect(explanation.isMaintained)
    #expect(
      explanation.description.hasSuffix(
        "while no more than 10 of these have a part in them."))
    let different = QueryWatch(
      LiveSource(JoinPost.select { $0.$id.count(distinct: true) }), in: db)
    let count = try await different.next()?.first
    #expect(count == 20)
    #expect(different.cost.explanation.contains("more than 10 values are counted"))
    let watch = QueryWatch(LiveSource(totals), in: db)
    let first = try await watch.next()?.first
    #expect(first == 11)
    #expect(!watch.isMaintained && !watch.cost.isMaintained)
    #expect(
      watch.cost.explanation.hasPrefix("Runs again")
        && watch.cost.explanation.contains("more than 10 rows of JoinPost have a part"))
    let (stars, fetches) = ("UPDATE JoinPost SET stars = stars + 1 WHERE id = 3", watch.fetchCount)
    try await db.execute("\(unsafe: stars)")
    var total = try await watch.update()?.first
    #expect(total == 12)
    #expect(watch.fetchCount == fetches + 1 && !watch.isMaintained)
    // There are fewer now, which is noticed after some runs.
    try await db.execute("DELETE FROM JoinMark WHERE post > 10")
    var sum = 11
    total = try await watch.update()?.first
    #expect(total == sum)
    while watch.fetchCount < 65 {
      try await db.execute("\(unsafe: stars)")
      sum += 1
      total = try await watch.update()?.first
      #expect(total == sum)
    }
    #expect(watch.isMaintained && watch.cost.explanation.hasPrefix("Maintained"))
    try await db.execute("\(unsafe: stars)")
    total = try await watch.update()?.first
    #expect(total == sum + 1)
    #expect(watch.fetchCount == 65 && watch.cost.merges == 1)
  }

  @Test("differences that cost more than runs rest for a while, and longer if they still do")
  func breaker() {
    let breaker = MergeBreaker()
    /// Returns the number of commits for which the queries run again.
    func rest() -> Int {
      var count = 0
      while !breaker.takesMerge() { count += 1 }
      return count
    }
    breaker.noteMerge(.seconds(9))
    breaker.noteRun(.milliseconds(2))
    for _ in 0..<7 { breaker.noteMerge(.milliseconds(9)) }
    #expect(rest() == 0)
    breaker.noteMerge(.milliseconds(9))
    #expect(rest() == 32)
    for _ in 0..<4 {
      #expect(!breaker.isResting)
      breaker.noteMerge(.milliseconds(9))
    }
    #expect(rest() == 64)
    // Neither slow nor fast, and fast ones between slow ones.
    for _ in 0..<100 { breaker.noteMerge(.milliseconds(3)) }
    for _ in 0..<100 {
      breaker.noteMerge(.milliseconds(1))
      breaker.noteMerge(.milliseconds(1))
      breaker.noteMerge(.milliseconds(9))
    }
    #expect(rest() == 0)
    // After fast ones the rest is short again.
    for _ in 0..<9 { breaker.noteMerge(.milliseconds(1)) }
    for _ in 0..<8 { breaker.noteMerge(.milliseconds(9)) }
    #expect(rest() == 32)
  }

  @Test("a difference below a millisecond never gives way")
  func negligible() {
    let breaker = MergeBreaker()
    breaker.noteRun(.microseconds(10))
    for _ in 0..<100 { breaker.noteMerge(.microseconds(900)) }
    #expect(breaker.takesMerge())
  }

  @Test("queries that differ in values share their plan, until the schema changes")
  func shared() async throws {
    let db = try await database(small: false)
    func watch(_ id: Int64) -> QueryObservation<JoinTeam>.Iterator {
      db.observe(JoinTeam.where { $0.$id == id && $0.$title != "q" }).makeAsyncIterator()
    }
    var iterators = (1...3).map { watch($0) }
    for index in iterators.indices {
      #expect(try await iterators[index].next()?.map(\.id) == [Int64(index + 1)])
    }
    try await db.execute("UPDATE JoinTeam SET title = 'q' WHERE id = 2")
    #expect(try await iterators[1].next()?.isEmpty == true)
    try await db.execute("ALTER TABLE JoinTeam ADD COLUMN note TEXT")
    try await db.execute("UPDATE JoinTeam SET title = 'r' WHERE id > 0")
    for index in iterators.indices {
      while try await iterators[index].next()?.first?.title != "r" {}
    }
    iterators.append(watch(9))
    #expect(try await iterators[3].next()?.map(\.title) == ["r"])
    #expect(db.liveStatus.queries.count == 1 && db.liveStatus.results == 4)
  }
}
