import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Observers of the same query")
struct SharedResultTests {
  private func database(_ configuration: Configuration = .relaxed) throws -> Database {
    let db = try Database.temporary(configuration: configuration)
    try db.execute(
      """
      \(unsafe: JoinTables.creation)
      INSERT INTO JoinTeam VALUES (1, 'a'), (2, 'b');
      """)
    return db
  }

  /// A query that runs again.
  private static var titles: some Fetchable<String?> {
    JoinTeam.where { $0.$id < 9 }.select { $0.$title.groupConcat(", ") }
  }

  @MainActor
  @Test("a commit costs one run for all observers, whichever kind they are")
  func oneRun() async throws {
    let db = try database()
    var streams: [QueryObservation<String?>.Iterator] = []
    for _ in 0..<20 { streams.append(db.observe(Self.titles).makeAsyncIterator()) }
    for index in streams.indices { #expect(try await streams[index].next()?.first == "a, b") }
    let live = LiveQuery(Self.titles, in: db)
    while !live.isLoaded { await Task.yield() }
    // With the first commit, the file is checked for those of others.
    try await db.execute("UPDATE JoinTeam SET title = 'x' WHERE id = 2")
    for index in streams.indices { #expect(try await streams[index].next()?.first == "a, x") }
    while live.rows.first != "a, x" { await Task.yield() }
    let before = db.liveStatus
    #expect(before.results == 1 && before.observers == 21 && before.queries.count == 1)
    try await db.execute("UPDATE JoinTeam SET title = 'c' WHERE id = 2")
    for index in streams.indices { #expect(try await streams[index].next()?.first == "a, c") }
    while live.rows.first != "a, c" { await Task.yield() }
    #expect(db.liveStatus.fetches == before.fetches + 1)
  }

  @Test("an observer that begins later gets the current result without a run")
  func later() async throws {
    let db = try database()
    var first = db.observe(Self.titles).makeAsyncIterator()
    _ = try await first.next()
    try await db.execute("UPDATE JoinTeam SET title = 'c' WHERE id = 2")
    #expect(try await first.next()?.first == "a, c")
    let fetches = db.liveStatus.fetches
    for _ in 0..<10 {
      var other = db.observe(Self.titles).makeAsyncIterator()
      let result = try #require(try await other.next())
      #expect(result.first == "a, c" && result.difference.inserted == [0])
    }
    #expect(db.liveStatus.fetches == fetches)
    // The commit is not taken by an observer yet, and is in the result of one that begins.
    try await db.execute("UPDATE JoinTeam SET title = 'd' WHERE id = 2")
    var other = db.observe(Self.titles).makeAsyncIterator()
    #expect(try await other.next()?.first == "a, d")
    #expect(try await first.next()?.first == "a, d")
  }

  @Test("an observer that begins later sees the commits of other connections")
  func elsewhere() async throws {
    let db = try database()
    let path = try #require(db.realPath)
    let other = try Database(path: path)
    for query in [JoinTeam.order(by: \.$id).select(\.$title)] {
      var first = db.observe(query).makeAsyncIterator()
      _ = try await first.next()
      for number in 0..<20 {
        try await other.execute("UPDATE JoinTeam SET title = \("\(number)") WHERE id = 1")
        var later = db.observe(query).makeAsyncIterator()
        #expect(try await later.next()?.first == "\(number)")
      }
      while try await first.next()?.first != "19" {}
    }
  }

  @Test("queries with other values, other rows or a closure of their own share nothing")
  func different() async throws {
    let db = try database()
    var one = db.observe(JoinTeam.where { $0.$id == 1 }.select(\.$title)).makeAsyncIterator()
    var two = db.observe(JoinTeam.where { $0.$id == 2 }.select(\.$title)).makeAsyncIterator()
    var mapped = db.observe(JoinTeam.where { $0.$id == 2 }.select(\.$title).map { $0 ?? "" })
      .makeAsyncIterator()
    var other = db.observe(
      JoinTeam.where { $0.$id == 2 }.select(\.$title).map { ($0 ?? "") + "?" }
    ).makeAsyncIterator()
    #expect(try await one.next()?.first == "a")
    #expect(try await two.next()?.first == "b")
    #expect(try await mapped.next()?.first == "b")
    #expect(try await other.next()?.first == "b?")
    #expect(db.liveStatus.results == 4)
  }

  @Test("a slow observer gets the newest result, with the difference from its own last one")
  func slow() async throws {
    let db = try database()
    let query = JoinTeam.order(by: \.$id).select(\.$title)
    var fast = db.observe(query).makeAsyncIterator()
    var slow = db.observe(query).makeAsyncIterator()
    _ = try await (fast.next(), slow.next())
    for id in 3...6 {
      try await db.execute("INSERT INTO JoinTeam VALUES (\(id), 'x')")
      #expect(try await fast.next()?.difference.inserted == [id - 1])
    }
    try await db.execute("DELETE FROM JoinTeam WHERE id = 1")
    #expect(try await fast.next()?.difference.removed == [0])
    let result = try #require(try await slow.next())
    #expect(result == ["b", "x", "x", "x", "x"])
    #expect(result.difference.removed == [0] && result.difference.inserted == [1, 2, 3, 4])
    // A change that is undone before the observer looks is no news.
    try await db.execute("INSERT INTO JoinTeam VALUES (7, 'y')")
    _ = try await fast.next()
    try await db.execute("DELETE FROM JoinTeam WHERE id = 7")
    _ = try await fast.next()
    try await db.execute("INSERT INTO JoinTeam VALUES (8, 'z')")
    _ = try await fast.next()
    #expect(try await slow.next()?.difference.inserted == [5])
  }

  @Test("when observers are cancelled, the others still get each result")
  func cancelled() async throws {
    let db = try database()
    let (arrived, arrivals) = AsyncStream.makeStream(of: Int.self)
    var arrival = arrived.makeAsyncIterator()
    let tasks = (0..<4).map { number in
      Task {
        for try await _ in db.observe(Self.titles) { arrivals.yield(number) }
      }
    }
    for _ in tasks { _ = await arrival.next() }
    for count in (1...3).reversed() {
      tasks[count].cancel()
      _ = await tasks[count].result
      try await db.execute("UPDATE JoinTeam SET title = title || 'x' WHERE id = 1")
      var left = Set<Int>()
      while left.count < count { if let number = await arrival.next() { left.insert(number) } }
      #expect(left == Set(0..<count))
    }
    tasks[0].cancel()
    _ = await tasks[0].result
    // A run that was cancelled holds the result until it ends.
    while !db.liveStatus.queries.isEmpty { await Task.yield() }
    #expect(db.liveStatus.fetches >= 4)
  }

  /// Returns the stars of a post with a mark, which a commit changes in a reader.
  private static func stars(of post: Int) -> some Fetchable<Int> {
    Query { (marked: Columns<JoinPost>, mark: Columns<JoinMark>) in
      From(marked)
      Join(mark, on: mark.$post == marked.$id)
      Where(marked.$id == Int64(post))
      Select(marked.$stars)
    }
  }

  /// Creates marked posts, and tasks that observe one each and report its stars.
  private func observeStars(
    in db: Database, _ arrivals: AsyncStream<(post: Int, stars: Int)>.Continuation
  ) async throws -> [Task<Void, any Error>] {
    try await db.execute(
      """
      INSERT INTO JoinPost
        WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        SELECT i, NULL, NULL, 'x', 0 FROM n;
      INSERT INTO JoinMark SELECT id, 'a', 1 FROM JoinPost;
      """)
    return (1...100).map { post in
      Task {
        for try await stars in db.observe(Self.stars(of: post)) {
          arrivals.yield((post, stars.first ?? -1))
        }
      }
    }
  }

  private static let counting: SQL = "UPDATE JoinPost SET stars = stars + 1"

  /// A result that notes when it is merged.
  private final class Member: MergedResult {
    final class Log: Sendable {
      let counts = Lock((running: 0, most: 0, order: [Int]()))
    }

    private let number: Int
    private let log: Log
    private let done: AsyncStream<Void>.Continuation

    init(_ number: Int, _ log: Log, _ done: AsyncStream<Void>.Continuation) {
      (self.number, self.log, self.done) = (number, log, done)
    }

    func merge() async {
      log.counts.withLock { counts in
        counts.running += 1
        counts.most = max(counts.most, counts.running)
        counts.order.append(number)
      }
      await Task.yield()
      log.counts.withLock { $0.running -= 1 }
      done.yield()
    }
  }

  @Test("results in line are merged once each, by as many tasks as are allowed", arguments: [1, 3])
  func line(maximum: Int) async {
    let line = MergeLine()
    let (merged, merging) = AsyncStream.makeStream(of: Void.self)
    let log = Member.Log()
    var merges = merged.makeAsyncIterator()
    for round in 0..<3 {
      for number in 0..<100 {
        line.append(Member(round * 100 + number, log, merging), atMost: maximum)
      }
      for _ in 0..<100 { await merges.next() }
    }
    let (_, most, order) = log.counts.withLock { $0 }
    #expect(order.sorted() == Array(0..<300) && most <= maximum)
    if maximum == 1 { #expect(order == Array(0..<300)) }
  }

  @Test("observers that leave while their results are in line do not keep the others waiting")
  func leftInLine() async throws {
    var configuration = Configuration.relaxed
    configuration.maximumLiveReaders = 1
    let db = try database(configuration)
    let (arrived, arrivals) = AsyncStream.makeStream(of: (post: Int, stars: Int).self)
    let tasks = try await observeStars(in: db, arrivals)
    var arrival = arrived.makeAsyncIterator()
    for _ in tasks { _ = await arrival.next() }
    for stars in 1...2 {
      try await db.execute(Self.counting)
      for _ in tasks {
        let arrived = await arrival.next()?.stars
        #expect(arrived == stars)
      }
    }
    // A closure holds the only connection of live queries.
    let gate = Gate()
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let holder = Task {
      let titles = db.observe { connection -> Int in
        let count = try connection.count(JoinTeam.all)
        if count > 2 {
          beginning.yield()
          gate.wait()
        }
        return count
      }
      for try await count in titles where count > 2 { return }
    }
    while db.liveStatus.results < 101 { await Task.yield() }
    while db.liveStatus.queries.contains(where: { $0.sql == "observe { }" && $0.fetches == 0 }) {
      await Task.yield()
    }
    try await db.execute("INSERT INTO JoinTeam VALUES (3, 'c')")
    var first = begun.makeAsyncIterator()
    await first.next()
    try await db.execute(Self.counting)
    for task in tasks[50...] { task.cancel() }
    for task in tasks[50...] { _ = await task.result }
    gate.open()
    gate.open()
    var seen: Set<Int> = []
    while seen.count < 50, let next = await arrival.next() {
      if next.stars == 3 { seen.insert(next.post) }
    }
    #expect(seen.isSuperset(of: 1...50))
    for task in tasks { task.cancel() }
    for task in tasks { _ = await task.result }
    _ = await holder.result
    while db.liveStatus.results > 0 { await Task.yield() }
  }

  @MainActor
  @Test("an error reaches all observers, and those that continue see the next result")
  func errors() async throws {
    let db = try database()
    try await db.execute(
      "CREATE TABLE Item (id INTEGER PRIMARY KEY, size); INSERT INTO Item VALUES (1, 1)")
    struct Item: Model {
      @PrimaryKey var id: Int64
      @Column var size: Int
    }
    let query = Item.order(by: \.$id).select(\.$size)
    var stream = db.observe(query).makeAsyncIterator()
    let live = LiveQuery(query, in: db)
    while !live.isLoaded { await Task.yield() }
    #expect(try await stream.next() == [1])
    try await db.execute("UPDATE Item SET size = 'x'")
    await #expect(throws: ColumnValueError.self) { try await stream.next() }
    while live.isLoaded { await Task.yield() }
    #expect(live.rows == [1])
    try await db.execute("UPDATE Item SET size = 1")
    while !live.isLoaded { await Task.yield() }
    try await db.execute("UPDATE Item SET size = 2")
    #expect(try await stream.next() == [2])
    while live.rows != [2] { await Task.yield() }
  }

  @Test("an interval collects the commits that come meanwhile into one result and one run")
  func interval() async throws {
    let db = try database()
    var results = db.observe(Self.titles, every: .milliseconds(50)).makeAsyncIterator()
    let start = ContinuousClock.now
    #expect(try await results.next()?.first == "a, b")
    let fetches = db.liveStatus.fetches
    for number in 0..<20 {
      try await db.execute("UPDATE JoinTeam SET title = \("\(number)") WHERE id = 2")
    }
    // On a slow machine, the interval may end before the last commit.
    var (last, count) = (try await results.next()?.first ?? nil, 1)
    #expect(.now - start >= .milliseconds(50))
    while last != "a, 19" {
      last = try await results.next()?.first ?? nil
      count += 1
    }
    #expect(db.liveStatus.fetches - fetches <= count)
    var values = db.observe(every: .milliseconds(50)) { try $0.count(JoinTeam.all) }
      .makeAsyncIterator()
    let begin = ContinuousClock.now
    #expect(try await values.next() == 2)
    try await db.execute("INSERT INTO JoinTeam VALUES (3, 'x')")
    #expect(try await values.next() == 3)
    #expect(.now - begin >= .milliseconds(50))
  }

  @Test(
    "the status has the queries that are observed, with their number, cost and reason",
    .needs(.preUpdateHook))
  func status() async throws {
    let db = try database()
    #expect(db.liveStatus == LiveStatus())
    var streams: [QueryObservation<String?>.Iterator] = []
    for id: Int64 in 1...3 {
      streams.append(
        db.observe(JoinTeam.where { $0.$id == id }.select(\.$title)).makeAsyncIterator())
    }
    streams.append(db.observe(Self.titles).makeAsyncIterator())
    var count = db.observe { try $0.count(JoinTeam.all) }.makeAsyncIterator()
    for index in streams.indices { _ = try await streams[index].next() }
    _ = try await count.next()
    let status = db.liveStatus
    #expect(status.observers == 5 && status.results == 5 && status.maintained == 3)
    #expect(status.rows == 3 && status.byteCount > 300 && status.fetchTime > .zero)
    #expect(status.queries.count == 3)
    let byKey = try #require(status.queries.first { $0.isMaintained })
    #expect(byKey.results == 3 && byKey.fetches == 3 && byKey.tablesOfAllRows == [])
    #expect(byKey.sql.contains(#""id" = ?"#) && byKey.explanation.hasPrefix("Maintained: "))
    let again = try #require(status.queries.first { $0.sql.contains("group_concat") })
    #expect(again.tablesOfAllRows == [] && again.averageFetch > .zero)
    #expect(again.explanation.contains("group_concat"))
    #expect(status.queries.contains { $0.sql == "observe { }" && $0.fetches == 2 })
    streams = []
    #expect(db.liveStatus.results == 1 && db.liveStatus.fetches == status.fetches)
  }
}
