import Apus
import CSQLiteBench
import Synchronization

/// Workload W10s, which `Scripts/bench --observers` runs. Many observers observe queries that
/// differ only in one bound value. Meanwhile, ten commits a second change the result of one of
/// these queries, and another task reads pages.
///
/// For each kind of query and each number of observers, the report has the time of a page read, the
/// time from a commit until the observer whose result has changed gets the new result, the
/// processor time of a commit, the memory of an observer, the time to remove an observer, and the
/// times for a commit that changes the results of all observers.
enum ManyObservers {
  static let sizes = [1, 20, 100, 1_000, 10_000]

  /// A kind of query with a user as its bound value. Some changes affect the result for one user,
  /// and one change affects the results for all users.
  struct Kind: Sendable {
    let name: String
    let observe: @Sendable (Database, Int64) -> any Followed
    /// The SQL of the query, which the peer, GRDB, observes.
    let sql: String
    /// The changes that affect only the result for user 1. They are made one after the other, again
    /// and again.
    let changes: [String]
    let changeOfAll: String

    init<Q: Fetchable>(
      _ name: String, changes: [String], ofAll changeOfAll: String,
      _ query: @escaping @Sendable (Int64) -> Q
    ) {
      self.name = name
      observe = { FollowedQuery(results: $0.observe(query($1))) }
      sql = (try? query(1).sql.text) ?? ""
      self.changes = changes
      self.changeOfAll = changeOfAll
    }
  }

  /// An observed result. Only the moments at which results arrive are measured, not their contents.
  protocol Followed: Sendable {
    nonisolated(nonsending) func follow(_ arrived: @Sendable () -> Void) async throws
  }

  private struct FollowedQuery<Row: Sendable>: Followed {
    let results: QueryObservation<Row>

    nonisolated(nonsending) func follow(_ arrived: @Sendable () -> Void) async throws {
      for try await _ in results { arrived() }
    }
  }

  /// A library that observes the queries.
  protocol Store: Sendable {
    var name: String { get }
    func change(_ sql: String) async throws
    func readPage(_ feed: Int64) async throws
    func observe(_ kind: Kind, _ user: Int64) -> any Followed
  }

  private struct ApusStore: Store {
    let database: Database
    var name: String { "Apus" }

    func change(_ sql: String) async throws { try await database.execute(SQL(unsafe: sql)) }

    func readPage(_ feed: Int64) async throws {
      _ = try await database.fetch(
        FeedEntry.where { $0.$feed == feed }.order(by: \.$id).limit(20))
    }

    func observe(_ kind: Kind, _ user: Int64) -> any Followed { kind.observe(database, user) }
  }

  private static let marking = [
    "INSERT INTO ReadMark VALUES (1, 15)", "DELETE FROM ReadMark WHERE user = 1 AND entry = 15",
  ]
  private static let publishing = "INSERT INTO FeedEntry VALUES (100000, 1, 'new')"

  static let kinds = [
    Kind(
      "row by key", changes: ["UPDATE FeedUser SET karma = karma + 1 WHERE id = 1"],
      ofAll: "UPDATE FeedUser SET karma = karma + 1"
    ) { user in FeedUser.where { $0.$id == user } },
    Kind("unread: subquery", changes: marking, ofAll: publishing) { LiveFeed.counted(of: $0) },
    Kind("unread: LEFT JOIN", changes: marking, ofAll: publishing) { LiveFeed.joined(of: $0) },
    Kind("unread: NOT EXISTS", changes: marking, ofAll: publishing) { LiveFeed.existing(of: $0) },
    Kind("unread: NOT IN", changes: marking, ofAll: publishing) { LiveFeed.listed(of: $0) },
    Kind(
      "runs again", changes: marking,
      ofAll: "UPDATE FeedEntry SET title = title || '.' WHERE id = 1"
    ) { LiveFeed.titles(of: $0) },
  ]

  /// The moments at which results arrived.
  final class Arrivals: Sendable {
    private let times: Mutex<[ContinuousClock.Instant]> = Mutex([])

    func note() { times.withLock { $0.append(.now) } }

    /// Waits until `count` results have arrived, but for at most a minute. Returns and forgets the
    /// arrivals so far.
    func take(_ count: Int) async throws -> [ContinuousClock.Instant] {
      let end = ContinuousClock.now + .seconds(60)
      while times.withLock({ $0.count }) < count, .now < end {
        try await Task.sleep(for: .microseconds(50))
      }
      return times.withLock { times in
        defer { times = [] }
        return times
      }
    }
  }

  // MARK: Measuring

  /// The limit, in milliseconds, for the peer's median time from a commit to the new result. If the
  /// peer exceeds it, the peer is not measured with larger numbers of observers. Its time grows
  /// with this number, and the workload needs time for ten commits a second.
  private static let maximumOfPeer = 10.0

  static func report(sizes: [Int]?, kinds names: [String], seconds: Double) async throws {
    print(
      """
      query | observers | page read p50, p90, p99 (without observers) µs \
      | commit → result p50, p99 ms | CPU a commit ms | bytes an observer | removal µs \
      | commit of all → results p50, p99 ms, page read p90 µs
      """)
    for kind in kinds where names.isEmpty || names.contains(where: { kind.name.contains($0) }) {
      var measuresPeer = true
      for size in sizes ?? Self.sizes {
        let schema = LiveFeed.schema(users: max(size, 100))
        let fixture = try Fixture()
        try await fixture.database.execute(SQL(unsafe: schema))
        let store = ApusStore(database: fixture.database)
        print(try await measure(kind, size, in: store, seconds: seconds).line)
        fflush(nil)
        guard measuresPeer else { continue }
        // The peer observes through SQLite's update hook, which does not report WITHOUT ROWID
        // tables.
        try fixture.peer.execute(schema.replacing(", WITHOUT ROWID", with: ""))
        let peer = try await measure(kind, size, in: PeerStore(fixture.peer), seconds: seconds)
        measuresPeer = peer.time.milliseconds <= maximumOfPeer
        print(peer.line)
        fflush(nil)
      }
    }
  }

  private static func measure(
    _ kind: Kind, _ size: Int, in store: some Store, seconds: Double
  ) async throws -> (line: String, time: Duration) {
    // `mallinfo2` counts only the memory of the main arena. With this setting, all memory is
    // allocated there.
    mallopt(M_ARENA_MAX, 1)
    let alone = try await pages(in: store, for: seconds) { try await commit(kind, store) }
    let before = ObservationMemory.allocated()
    let (own, others) = (Arrivals(), Arrivals())
    var tasks: [Task<Void, any Error>] = []
    for user in 1...Int64(size) {
      let observed = store.observe(kind, user)
      let arrivals = user == 1 ? own : others
      tasks.append(Task { try await observed.follow { arrivals.note() } })
    }
    _ = try await (own.take(1), others.take(size - 1))
    let bytes = (ObservationMemory.allocated() - before) / size
    // These commits are not measured. After the first commit, some queries run again instead of
    // being maintained, because their first results may already contain this commit.
    for _ in 0..<4 {
      try await commit(kind, store)
      _ = try await own.take(1)
    }
    let times = Mutex<[Duration]>([])
    let observed = try await pages(in: store, for: seconds) {
      let start = ContinuousClock.now
      try await commit(kind, store)
      let time = try await own.take(1).first.map { $0 - start }
      if let time { times.withLock { $0.append(time) } }
    }
    let processor = ProcessorTime.ofProcess
    for _ in 0..<20 {
      try await commit(kind, store)
      _ = try await own.take(1)
    }
    let cost = (ProcessorTime.ofProcess - processor) / 20
    _ = try await others.take(0)
    let all = Mutex<[Duration]>([])
    let beside = try await pages(in: store, for: 0) {
      let start = ContinuousClock.now
      try await store.change(kind.changeOfAll)
      let arrived = try await own.take(1) + others.take(size - 1)
      all.withLock { $0 = arrived.map { $0 - start } }
    }
    let removal = await ContinuousClock().measure {
      for task in tasks { task.cancel() }
      for task in tasks { _ = await task.result }
    }
    let (result, allResults) = (times.withLock { $0 }, all.withLock { $0 })
    let line = [
      "\(kind.name), \(store.name)", "\(size)",
      "\(micros(observed, 0.5)), \(micros(observed, 0.9)), \(micros(observed, 0.99)) "
        + "(\(micros(alone, 0.5)), \(micros(alone, 0.9)), \(micros(alone, 0.99)))",
      "\(millis(result, 0.5)), \(millis(result, 0.99))", "\(rounded(cost / 1e6))", "\(bytes)",
      "\(rounded(removal.milliseconds * 1e3 / Double(size)))",
      "\(millis(allResults, 0.5)), \(millis(allResults, 0.99)), \(micros(beside, 0.9))",
    ].joined(separator: " | ")
    return (line, rank(result, 0.5))
  }

  private static let step = Atomic<Int>(0)

  private static func commit(_ kind: Kind, _ store: some Store) async throws {
    let step = step.add(1, ordering: .relaxed).newValue
    try await store.change(kind.changes[step % kind.changes.count])
  }

  /// Reads one page after another, with a pause after each, while a closure runs ten times a
  /// second. If `seconds` is 0, the closure runs once, and the reads end when it returns. Returns
  /// the times that the reads took.
  private static func pages(
    in store: some Store, for seconds: Double,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> [Duration] {
    let ended = Atomic(false)
    let changing = Task {
      let end = ContinuousClock.now + .seconds(seconds)
      repeat {
        try await body()
        if seconds > 0 { try await Task.sleep(for: .milliseconds(100)) }
      } while .now < end
    }
    let reading = Task {
      var times: [Duration] = []
      var feed: Int64 = 1
      while !ended.load(ordering: .relaxed) {
        feed = feed % Int64(LiveFeed.feeds) + 1
        let start = ContinuousClock.now
        try await store.readPage(feed)
        times.append(.now - start)
        try await Task.sleep(for: .milliseconds(2))
      }
      return times
    }
    _ = await changing.result
    ended.store(true, ordering: .relaxed)
    try await changing.value
    return try await reading.value
  }

  // MARK: Figures

  static func rank(_ times: [Duration], _ part: Double) -> Duration {
    let sorted = times.sorted()
    guard let last = sorted.indices.last else { return .zero }
    return sorted[min(last, Int(Double(sorted.count) * part))]
  }

  private static func micros(_ times: [Duration], _ part: Double) -> String {
    rounded(rank(times, part).milliseconds * 1e3)
  }

  private static func millis(_ times: [Duration], _ part: Double) -> String {
    rounded(rank(times, part).milliseconds)
  }

  private static func rounded(_ number: Double) -> String {
    number < 10 ? "\((number * 100).rounded() / 100)" : "\(Int(number.rounded()))"
  }
}

extension Duration {
  fileprivate var milliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
  }
}
