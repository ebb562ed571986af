import Apus
import ApusCombine
import Foundation
import Synchronization
import Testing

@Suite struct RowPublisherTests {
  typealias ViewsSubscriber = RecordingSubscriber<Int, any Error>

  static let views = Post.order(by: \.$id).select(\.$views)

  /// Whether a stream of rows can begin: whether the only connection for streams is free.
  static func canStream(_ db: Database) async throws -> Bool {
    do {
      for try await _ in db.stream(Self.views) { break }
      return true
    } catch is TooManyStreams {
      return false
    }
  }

  @Test func `A connection publishes the rows of a statement while they are demanded`() throws {
    let db = try openPosts(5)
    let subscriber = RecordingSubscriber<Row, any Error>(demand: .max(1)) { subscriber, row in
      // Demand that comes while a row is received, and demand that is returned, count alike.
      subscriber.request(row[0] == 0 ? .max(1) : .none)
      return row[0] == 1 ? .max(1) : .none
    }
    func views() -> [DatabaseValue?] { subscriber.values.map { $0[0] } }
    try db.read { connection in
      connection.publisher("SELECT views FROM Post ORDER BY id").subscribe(subscriber)
      #expect(views() == [0, 1, 2])
      subscriber.request(.max(1))
      #expect(views() == [0, 1, 2, 3] && !subscriber.hasCompleted)
      subscriber.request(.unlimited)
      #expect(views() == [0, 1, 2, 3, 4] && subscriber.completions.count == 1)
      #expect(subscriber.failure == nil && subscriber.overlaps == 0)
    }
  }

  @Test
  func `A connection's publisher fails with the error of its statement, or after its closure`()
    throws
  {
    let db = try openPosts(2)
    let failing = RecordingSubscriber<Row, any Error>(demand: .unlimited)
    let late = RecordingSubscriber<Row, any Error>(demand: .none)
    try db.read { connection in
      connection.publisher("SELECT * FROM nowhere").subscribe(failing)
      connection.publisher("SELECT views FROM Post").subscribe(late)
    }
    #expect((failing.failure as? DatabaseError)?.code == .error)
    late.request(.max(1))
    #expect((late.failure as? DatabaseError)?.code == .misuse && late.values.isEmpty)
  }

  @Test func `Without demand, no row is read and no connection is taken`() async throws {
    let db = try openPosts(3, readers: 1)
    let subscriber = ViewsSubscriber(demand: .none)
    db.stream(Self.views).publisher().subscribe(subscriber)
    subscriber.request(.none)
    #expect(try await Self.canStream(db))
    #expect(subscriber.values.isEmpty)
    #expect(subscriber.completions.isEmpty)
    subscriber.cancel()
  }

  @Test func `Unlimited demand gives every row in order, and completes once`() async throws {
    let db = try openPosts(3_000)
    let subscriber = ViewsSubscriber(demand: .unlimited)
    db.stream(Self.views).publisher().subscribe(subscriber)
    try await until { subscriber.hasCompleted }
    #expect(subscriber.values == Array(0..<3_000))
    #expect(subscriber.completions.count == 1)
    #expect(subscriber.failure == nil)
    #expect(subscriber.overlaps == 0)
  }

  @Test func `Rows come one by one as they are demanded`() async throws {
    let db = try openPosts(5)
    let subscriber = ViewsSubscriber(demand: .none)
    db.stream(Self.views).publisher().subscribe(subscriber)
    for count in 1...5 {
      subscriber.request(.max(1))
      try await until { subscriber.values.count >= count }
      #expect(subscriber.values == Array(0..<count))
      #expect(!subscriber.hasCompleted)
    }
    subscriber.request(.max(1))
    try await until { subscriber.hasCompleted }
    #expect(subscriber.values == Array(0..<5))
  }

  @Test func `Demand that is returned for each row is added to the rest`() async throws {
    let db = try openPosts(100)
    let subscriber = ViewsSubscriber(demand: .max(2)) { _, views in
      views % 10 == 0 ? .max(3) : .none
    }
    db.stream(Self.views).publisher().subscribe(subscriber)
    // 2 + 3 for the row 0: rows 0 to 4. Without another tenth row, nothing more is demanded.
    try await until { subscriber.values.count >= 5 }
    subscriber.request(.max(6))
    // Row 10 adds three more.
    try await until { subscriber.values.count >= 14 }
    try await Task.sleep(for: .milliseconds(20))
    #expect(subscriber.values == Array(0..<14))
    subscriber.cancel()
  }

  @Test func `SQLite reads a few batches ahead of the demand, and no more`() async throws {
    let db = try openPosts(0)
    let steps = Atomic(0)
    try db.function("counted") { (number: Int) -> Int in
      steps.add(1, ordering: .relaxed)
      return number
    }
    let subscriber = ViewsSubscriber(demand: .max(10))
    db.stream(Int.self, "SELECT counted(value) FROM generate_series(0, 99999)").publisher()
      .subscribe(subscriber)
    try await until { subscriber.values.count >= 10 }
    try await Task.sleep(for: .milliseconds(20))
    #expect(subscriber.values == Array(0..<10))
    #expect(steps.load(ordering: .relaxed) < 1_000)
    subscriber.cancel()
  }

  @Test func `Cancelling in the middle gives the connection back`() async throws {
    let db = try openPosts(3_000, readers: 1)
    let subscriber = ViewsSubscriber(demand: .max(5))
    db.stream(Self.views).publisher().subscribe(subscriber)
    try await until { subscriber.values.count >= 5 }
    #expect(try await !Self.canStream(db))
    subscriber.cancel()
    try await until { try await Self.canStream(db) }
    subscriber.request(.unlimited)
    try await Task.sleep(for: .milliseconds(20))
    #expect(subscriber.values == Array(0..<5))
    #expect(subscriber.completions.isEmpty)
    try await db.close()
  }

  @Test func `A subscriber may cancel inside receive`() async throws {
    let db = try openPosts(3_000, readers: 1)
    let subscriber = ViewsSubscriber(demand: .unlimited) { subscriber, views in
      if views == 7 { subscriber.cancel() }
      return .max(1)
    }
    db.stream(Self.views).publisher().subscribe(subscriber)
    try await until { subscriber.values.count >= 8 }
    try await until { try await Self.canStream(db) }
    #expect(subscriber.values == Array(0..<8))
    #expect(subscriber.completions.isEmpty)
  }

  @Test func `An operator that takes some rows ends the stream`() async throws {
    let db = try openPosts(3_000, readers: 1)
    let subscriber = ViewsSubscriber(demand: .unlimited)
    db.stream(Self.views).publisher().prefix(3).subscribe(subscriber)
    try await until { subscriber.hasCompleted }
    #expect(subscriber.values == [0, 1, 2])
    try await until { try await Self.canStream(db) }
  }

  @Test func `A row that cannot be read fails after the rows before it`() async throws {
    let db = try openPosts(0)
    let subscriber = ViewsSubscriber(demand: .unlimited)
    db.stream(
      Int.self, "SELECT CASE value WHEN 3 THEN 'many' ELSE value END FROM generate_series(0, 9)"
    ).publisher().subscribe(subscriber)
    try await until { subscriber.hasCompleted }
    #expect(subscriber.values == [0, 1, 2])
    #expect(subscriber.failure is ColumnValueError)
    #expect(subscriber.completions.count == 1)
  }

  @Test func `Each subscription has a snapshot of its own`() async throws {
    let db = try openPosts(2)
    let publisher = db.stream(Self.views).publisher()
    let first = ViewsSubscriber(demand: .max(1))
    publisher.subscribe(first)
    try await until { first.values.count == 1 }
    try await db.write { try $0.insert(Post(title: "new", views: 2)) }
    let second = ViewsSubscriber(demand: .unlimited)
    publisher.subscribe(second)
    first.request(.unlimited)
    try await until { first.hasCompleted && second.hasCompleted }
    #expect(first.values == [0, 1])
    #expect(second.values == [0, 1, 2])
  }

  @Test func `Random demands and cancellations from several threads keep every rule`()
    async throws
  {
    let db = try openPosts(400, readers: 8)
    // `APUS_SEED=…` repeats a run.
    let given = ProcessInfo.processInfo.environment["APUS_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0...UInt64.max)
    print("random demands: APUS_SEED=\(seed)")
    await withTaskGroup { group in
      for number in 0..<16 {
        group.addTask {
          await Self.storm(db, Numbers(seed: seed &+ UInt64(number)), "seed \(seed), \(number)")
        }
      }
    }
    try await until { try await Self.canStream(db) }
    // No subscription keeps a connection: closing would throw `.busy`.
    try await until { (try? db.close()) != nil }
  }

  /// Demands rows from several tasks at once, and cancels some subscriptions.
  private static func storm(_ db: Database, _ numbers: Numbers, _ comment: Comment) async {
    var numbers = numbers
    for _ in 0..<10 {
      let subscriber = ViewsSubscriber(demand: .none)
      db.stream(Self.views).publisher().subscribe(subscriber)
      let demands = (0..<8).map { _ in Int(numbers.next() % 120) }
      let cancels = numbers.next() % 2 == 0
      await withTaskGroup { group in
        for demand in demands {
          group.addTask { subscriber.request(.max(demand)) }
        }
        if cancels { group.addTask { subscriber.cancel() } }
      }
      let total = demands.reduce(0, +)
      if cancels {
        #expect(subscriber.completions.count <= 1, comment)
      } else {
        let expected = min(total, 400)
        try? await until { subscriber.values.count >= expected || subscriber.hasCompleted }
        // With as many streams as there are connections, one may be refused.
        if !(subscriber.failure is TooManyStreams) {
          #expect(subscriber.values.count == expected, comment)
        }
      }
      subscriber.cancel()
      let values = subscriber.values
      #expect(values == Array(0..<values.count), comment)
      #expect(values.count <= total, comment)
      #expect(subscriber.overlaps == 0, comment)
    }
  }
}

/// Random numbers from a seed.
struct Numbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
