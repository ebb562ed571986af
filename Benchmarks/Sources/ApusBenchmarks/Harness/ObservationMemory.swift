import Apus
import CSQLiteBench

/// The memory that an observation takes beyond its database: `Scripts/bench --memory`.
enum ObservationMemory {
  private static let rows = 100_000

  /// Prints the bytes a row of each kind of observation, beside those of an array of the same rows.
  static func report() throws {
    // `mallinfo2` counts one arena only.
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
    // A thread of the database may release the result a moment after the observation is dropped.
    // Nothing would seem to be freed then, so the largest of several figures counts.
    let observed = try wait {
      var most = 0
      for _ in 0..<3 { most = max(most, try await holding(observation) - allocated()) }
      return most
    }
    print("\(name): \(array / count), \(observed / count)")
  }

  /// Returns the number of bytes that are allocated while the first result is observed, and then
  /// drops the observation.
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
