import Observation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation

@Suite("The lifetime of observers")
struct LifetimeTests {
  private func database(rows: Int) throws -> Database {
    let db = try Database.temporary(models: [Note.self], configuration: .relaxed)
    try db.insert((0..<rows).map { Note(title: "\($0)") })
    return db
  }

  @Test(
    "of 10,000 observers of single rows, a commit wakes only those of the rows it touched",
    .needs(.preUpdateHook))
  func manyObservers() async throws {
    let db = try database(rows: 100)
    let tracker = try #require(ChangeTracker.of(db))
    let queues = (1...10_000).map { _ in CommitQueue(maximumRows: 100) }
    var ids: [UInt64] = []
    for (index, queue) in queues.enumerated() {
      let key = RowKey.rowID(Int64(index % 100 + 1))
      ids.append(
        tracker.add(
          Subscription(
            tables: [QualifiedTableName("Note"): .init(columns: nil, keys: [key])], queue: queue)))
    }
    try await db.execute("UPDATE Note SET stars = 1 WHERE id = 7")
    let woken = queues.indices.filter { !queues[$0].take().isEmpty }
    #expect(woken == Array(stride(from: 6, to: 10_000, by: 100)))
    for id in ids { tracker.remove(id) }
    #expect(try db.writing { $0.observer == nil })
  }

  @Test(
    "the lookups for a commit depend on its rows and not on the number of observers",
    arguments: [10, 100, 1_000, 10_000])
  func workOfManyObservers(count: Int) throws {
    let table = QualifiedTableName("Note")
    let names = TableNames("Note", columns: ["stars"])
    let queue = CommitQueue(maximumRows: 100)
    var registry = SubscriptionRegistry()
    func watch(_ key: Int, _ table: QualifiedTableName = table) {
      _ = registry.add(
        Subscription(
          tables: [table: .init(columns: ["stars"], keys: [.rowID(Int64(key))])], queue: queue))
    }
    for key in 1...count { watch(key) }
    for key in 1...count { watch(key, QualifiedTableName("Other")) }
    // Two observers of rows that are touched.
    for key in [count + 1, count + 3] { watch(key) }
    func commit(of keys: ClosedRange<Int>) -> Commit {
      let rows = keys.map { NettedRow(key: Int64($0), old: -1, new: 0) }
      let changes = NettedTable(names: names, values: RecordedValues(encoding: .utf8), rows: rows)
      return Commit(sequence: 1, writes: [WriteChanges(label: nil, tables: [table: changes])])
    }
    #expect(registry.concerned(by: commit(of: (count + 4)...(count + 4))).ids.isEmpty)
    // One lookup for the table and one for the row.
    #expect(registry.lookupCount == 2)
    let reported = registry.concerned(by: commit(of: (count + 1)...(count + 5))).ids
    #expect(reported.count == 2)
    // The table, five rows, and two observers.
    #expect(registry.lookupCount == 2 + 8)
  }

  @Test(
    "10,000 observers of a whole table each receive one commit and can be removed",
    .needs(.preUpdateHook))
  func manyObserversOfEverything() async throws {
    let db = try database(rows: 10)
    let tracker = try #require(ChangeTracker.of(db))
    let queues = (1...10_000).map { _ in CommitQueue(maximumRows: 100) }
    let table = [QualifiedTableName("Note"): Subscription.Interest(columns: nil)]
    let ids = queues.map { tracker.add(Subscription(tables: table, queue: $0)) }
    try await db.execute("UPDATE Note SET stars = 1")
    let commits = queues.map { $0.take().commits }
    #expect(commits.allSatisfy { $0.count == 1 && $0[0].rowCount == 10 })
    // They share one commit object.
    #expect(Set(commits.compactMap { $0.first.map(ObjectIdentifier.init) }).count == 1)
    for id in ids { tracker.remove(id) }
    #expect(try db.writing { $0.observer == nil })
  }

  @Test("streams dropped in a write, its commit hook or its update hook are freed")
  func droppedInCommit() async throws {
    let db = try database(rows: 1)
    let tracker = try #require(ChangeTracker.of(db))
    func dropping(_ place: String) throws {
      let held = Box(db.changes())
      let drop: @Sendable () -> Void = { held.drop() }
      switch place {
      case "write":
        try db.write { tx in
          try tx.execute("UPDATE Note SET stars = stars + 1")
          drop()
        }
      case "commit":
        let listener = try db.onCommit { drop() }
        try db.execute("UPDATE Note SET stars = stars + 1")
        try db.remove(listener)
      default:
        let listener = try db.onUpdate { _ in drop() }
        try db.execute("UPDATE Note SET stars = stars + 1")
        try db.remove(listener)
      }
    }
    for place in ["write", "commit", "update"] {
      try dropping(place)
      #expect(!tracker.isWatching, "\(place)")
      #expect(try db.writing { $0.observer == nil }, "\(place)")
    }
    weak var queue: CommitQueue?
    do {
      let own = CommitQueue(maximumRows: 10)
      queue = own
      let id = tracker.add(Subscription(tables: nil, queue: own))
      try await db.execute("UPDATE Note SET stars = stars + 1")
      tracker.remove(id)
    }
    #expect(queue == nil)
  }

  @Test("a stream continues for others after a waiting task was cancelled", .needs(.preUpdateHook))
  func cancelledWaiting() async throws {
    let db = try database(rows: 1)
    let stream = db.changes(of: Note.self)
    for round in 1...3 {
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let waiting = Task {
        begin.yield()
        for await _ in stream { return false }
        return true
      }
      for await _ in begun { break }
      waiting.cancel()
      #expect(await waiting.value)
      try await db.execute("UPDATE Note SET stars = \(round)")
      #expect(words(await stream.collect { _ in true }) == [["updated 1 stars"]])
    }
    // Several tasks wait at once: each element goes to one of them, and none is left waiting.
    let reported = await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { await stream.collect { _ in true }.count }
      }
      for round in 4...7 { try? await db.execute("UPDATE Note SET stars = \(round)") }
      return await group.reduce(0, +)
    }
    #expect(reported == 4)
  }

  @Test("observers dropped by many threads during commits stop the tracking")
  func droppedAnywhere() async throws {
    let db = try database(rows: 10)
    weak let tracker = ChangeTracker.of(db)
    let writer = Task {
      var count = 0
      while !Task.isCancelled {
        try await db.execute("UPDATE Note SET stars = stars + 1")
        count += 1
      }
      return count
    }
    await withTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          for round in 0..<50 {
            var live = db.observe(Note.where { $0.$stars > round }).makeAsyncIterator()
            _ = try? await live.next()
            if number % 2 == 0 { _ = try? await live.next() }
            let stream = db.changes(of: Note.self, keys: [Int64(round % 10)])
            if number == 3 { withExtendedLifetime(stream) {} }
          }
        }
      }
    }
    writer.cancel()
    _ = await writer.result
    // A reader's thread may hold what it fetched a moment longer than the observer's task.
    while try !db.writing({ $0.observer == nil }) { try await Task.sleep(for: .milliseconds(1)) }
    #expect(tracker?.isWatching == false)
  }

  private final class Box: Sendable {
    private let stream: Lock<DatabaseChangeStream?>

    init(_ stream: DatabaseChangeStream) { self.stream = Lock(stream) }

    func drop() { _ = stream.withLock { $0.take() } }
  }

  @MainActor
  private final class Holder {
    var live: LiveModel<Note>?
  }

  @Test("a live model that is dropped while it reports a change is freed")
  @MainActor
  func droppedInCallback() async throws {
    let db = try database(rows: 1)
    let holder = Holder()
    holder.live = LiveModel(Note.self, 1, in: db)
    weak let reference = holder.live
    while holder.live?.isLoaded == false { await Task.yield() }
    let (dropped, drop) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking {
      _ = holder.live?.model
    } onChange: {
      MainActor.assumeIsolated { holder.live = nil }
      drop.yield()
    }
    try await db.execute("UPDATE Note SET stars = 1")
    for await _ in dropped { break }
    // The setter that reported the change still holds the model.
    while reference != nil { await Task.yield() }
    try await db.execute("UPDATE Note SET stars = 2")
    while ChangeTracker.of(db)?.isWatching == true { await Task.yield() }
  }

  @Test("an observer that writes sees its own writes without a deadlock", .needs(.preUpdateHook))
  func writingObserver() async throws {
    let db = try database(rows: 1)
    var rounds = 0
    for try await rows in db.observe(Note.where { $0.$id == 1 }.select(\.$stars)) {
      guard let stars = rows.first, stars < 5 else { break }
      try await db.run(Note.update { $0.$stars += 1 }.where { $0.$id == 1 })
      rounds += 1
    }
    #expect(rounds == 5)
    for await changes in db.changes(of: Note.self).prefixed(by: db) {
      let stars = try changes.rows.first?.new(\.$stars)
      guard let stars, stars < 10 else { break }
      try await db.run(Note.update { $0.$stars += 1 }.where { $0.$id == 1 })
    }
    #expect(try await db.fetch(Note.select(\.$stars)) == [10])
  }

  @Test("a database is freed after it was observed")
  func databaseFreed() async throws {
    var db: Database? = try database(rows: 1)
    weak let reference = db
    var iterator = db.map { $0.observe(Note.all).makeAsyncIterator() }
    _ = try await iterator?.next()
    iterator = nil
    db = nil
    while reference != nil { await Task.yield() }
  }
}

extension ChangeStream where M == Note {
  /// Returns the stream after a first change.
  fileprivate func prefixed(by db: Database) -> ChangeStream<Note> {
    try? db.execute("UPDATE Note SET stars = stars + 1 WHERE id = 1")
    return self
  }
}
