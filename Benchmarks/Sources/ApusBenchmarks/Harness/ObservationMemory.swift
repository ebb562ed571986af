import Apus
import CSQLiteBench

/// The memory that an observation needs in addition to its database, and the memory after many
/// commits. `Scripts/bench --memory` prints both.
enum ObservationMemory {
  private static let rows = 100_000

  /// Prints the number of bytes per row of each kind of observation, and of an array of the same
  /// rows.
  static func report() throws {
    // `mallinfo2` counts only the memory of the main arena. With this setting, all memory is
    // allocated there.
    mallopt(M_ARENA_MAX, 1)
    let fixture = try Fixture()
    let database = fixture.database
    try database.execute(SQL(unsafe: LivePost.schema(rows: rows)))
    print("bytes a row, of \(rows) rows: as an array, observed")
    let joined = Query { (post: Columns<LivePost>, author: Columns<LiveAuthor>) in
      From(post)
      Join(author, on: post.$author == author.$id)
      Select(post, author)
    }
    try report("rows by key", database, database.observe(LivePost.all), rows) {
      try $0.fetch(LivePost.all)
    }
    let ordered = LivePost.order(by: \.$title)
    try report("rows by a text", database, database.observe(ordered), rows) {
      try $0.fetch(ordered)
    }
    try report("rows of a join", database, database.observe(joined), rows) {
      try $0.fetch(joined)
    }
    let groups = LivePost.group(by: \.$author).select { ($0.$author, $0.count(), $0.$score.sum()) }
    try report("groups", database, database.observe(groups), rows / 10) { try $0.fetch(groups) }
    let included = LiveList.all.including(LivePost.all, by: \.$list)
    try report("included rows", database, database.observe(included), rows) {
      try $0.fetch(included)
    }
    try reportCommits()
  }

  // MARK: After many commits

  /// Prints the number of allocated bytes after 10,000, 100,000 and 1,000,000 commits, while live
  /// queries of each kind and a stream of changes observe the tables. No commit changes the number
  /// of rows.
  private static func reportCommits() throws {
    let fixture = try Fixture()
    let database = fixture.database
    try database.execute(SQL(unsafe: LivePost.schema(rows: 1_000)))
    let joined = Query { (post: Columns<LivePost>, author: Columns<LiveAuthor>) in
      From(post)
      Join(author, on: post.$author == author.$id)
      Where(post.$list == 1)
      Select(post, author)
    }
    let flagged = LivePost.where { $0.$flag == 1 }
    let flags = database.observe { try $0.count(flagged) }
    let changes = database.changes(of: LivePost.self)
    var observers = (1...10).map { list in
      follow(database.observe(LivePost.where { $0.$list == Int64(list) }))
    }
    observers += [
      follow(database.observe(joined)),
      follow(database.observe(LivePost.group(by: \.$feed).select { ($0.$feed, $0.count()) })),
      follow(
        database.observe(
          LiveList.where { $0.$id <= 3 }.including(flagged, by: \.$list), every: .milliseconds(50))),
      Task { for try await _ in flags {} },
      Task { for await _ in changes { try Task.checkCancellation() } },
    ]
    print("allocated bytes, after a number of commits:")
    var commits = 0
    for count in [10_000, 100_000, 1_000_000] {
      try wait { [commits] in
        for number in commits..<count { try await commit(number, to: database) }
        try await Task.sleep(for: .seconds(1))
      }
      commits = count
      print("\(count): \(allocated())")
    }
    for observer in observers { observer.cancel() }
  }

  private static func commit(_ number: Int, to database: Database) async throws {
    let id = Int64(number % 1_000 + 1)
    switch number % 4 {
    case 0: try await database.execute("UPDATE LivePost SET score = score + 1 WHERE id = \(id)")
    case 1: try await database.execute("UPDATE LivePost SET flag = 1 - flag WHERE id = \(id)")
    case 2:
      try await database.execute(
        "UPDATE LivePost SET list = list % 10 + 1, author = author % 100 + 1 WHERE id = \(id)")
    default:
      try await database.write { tx in
        guard let post = try tx.find(LivePost.self, id) else { return }
        try tx.delete(post)
        try tx.insert(post)
      }
    }
  }

  private static func follow<Row>(_ observation: QueryObservation<Row>) -> Task<Void, any Error> {
    Task { for try await _ in observation {} }
  }

  private static func report<Row>(
    _ name: String, _ database: Database, _ observation: QueryObservation<Row>, _ count: Int,
    _ fetch: @escaping @Sendable (Database) throws -> [Row]
  ) throws {
    let array = try wait {
      // The first fetch fills SQLite's cache.
      _ = try fetch(database)
      let before = allocated()
      let rows = try fetch(database)
      return withExtendedLifetime(rows) { allocated() - before }
    }
    // A thread of the database may release the result a moment after the observation is dropped. In
    // this case, the measured difference would be too small. So the largest of several differences
    // counts.
    let observed = try wait {
      var most = 0
      for _ in 0..<3 { most = max(most, try await holding(observation) - allocated()) }
      return most
    }
    print("\(name): \(array / count), \(observed / count)")
  }

  /// Begins an observation, and waits for its first result. Returns the number of bytes that are
  /// then allocated, and ends the observation.
  private static func holding<Row>(_ observation: QueryObservation<Row>) async throws -> Int {
    var iterator = observation.makeAsyncIterator()
    let result = try await iterator.next()
    return withExtendedLifetime((iterator, result)) { allocated() }
  }

  /// The number of bytes that are allocated.
  static func allocated() -> Int {
    let information = mallinfo2()
    return Int(information.uordblks + information.hblkhd)
  }
}
