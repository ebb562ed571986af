import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Tracking without the pre-update hook")
struct CoarseTrackerTests {
  /// A database whose tracker uses only the authorizer.
  private func database(_ models: [any Model.Type] = []) throws -> Database {
    let db = try Database.temporary(models: models, configuration: .relaxed)
    let tracker = db.writeObserver { ChangeTracker(granularity: .tables) }
    #expect(tracker != nil)
    return db
  }

  @Test("every table that a commit changed is reported, whatever wrote it")
  func nothingMissed() throws {
    let transactions = TestSize.count(small: 200, full: 2_000, long: 25_000)
    let seed = TestSeed.draw()
    let db = try database()
    try db.execute(RandomWrites.schema)
    let queue = CommitQueue(maximumRows: .max)
    _ = try #require(ChangeTracker.of(db)).add(Subscription(tables: nil, queue: queue))
    var writes = RandomWrites(seed: seed)
    var commits = 0
    try db.writeWithoutTransaction { connection in
      var before = try RandomWrites.tables.map { try TableContents($0, on: connection) }
      for unit in 0..<transactions {
        try writes.unit(on: connection)
        let after = try RandomWrites.tables.map { try TableContents($0, on: connection) }
        let reported = queue.take().commits
        try #require(reported.count <= 1, "seed \(seed), unit \(unit)")
        commits += reported.count
        let tables = reported.first?.writes.first?.tables ?? [:]
        for (index, name) in RandomWrites.tables.enumerated() {
          let isSame =
            before[index].rows == after[index].rows
            && before[index].definitions == after[index].definitions
          try #require(
            isSame || tables[QualifiedTableName(name)]?.events.isEmpty == false,
            "seed \(seed), unit \(unit), \(writes.tried), \(name)")
        }
        before = after
      }
    }
    #expect(commits > transactions / 5)
  }

  @Test("statements cached before are reported, and rolled-back ones are not")
  func cachedStatements() async throws {
    let db = try database([Note.self])
    try await db.insert(Note(title: "one"))
    try await db.execute("DELETE FROM Note")
    var changes = db.changes().makeAsyncIterator()
    struct Abandoned: Error {}
    await #expect(throws: Abandoned.self) {
      try await db.write { tx in
        try tx.insert(Note(title: "lost"))
        throw Abandoned()
      }
    }
    try await db.write(label: "label") { try $0.insert(Note(title: "two")) }
    let reported = await changes.next()
    #expect(reported?.label == "label")
    #expect(reported?["Note"]?.events == [.tableChanged])
    try await db.execute("DELETE FROM Note")
    #expect(await changes.next()?["Note"]?.events == [.tableChanged])
  }

  @Test("a trigger created later is known for statements compiled before it")
  func laterTrigger() async throws {
    let db = try database([Note.self, Tagging.self])
    var changes = db.changes().makeAsyncIterator()
    try await db.insert(Note(title: "one"))
    #expect(await changes.next()?.tables.map(\.name) == ["note"])
    try await db.execute(
      """
      CREATE TRIGGER tags AFTER INSERT ON Note BEGIN
        INSERT INTO Tagging (note, tag, weight) VALUES (new.id, 'new', 1);
      END
      """)
    _ = await changes.next()
    try await db.insert(Note(title: "two"))
    let reported = await changes.next()
    #expect(Set(reported?.tables.map(\.name) ?? []) == ["note", "tagging"])
  }

  @Test("live results are fetched again after each change")
  func liveResults() async throws {
    let db = try database([Note.self])
    var results = db.observe(Note.select(\.$title)).makeAsyncIterator()
    #expect(try await results.next() == [])
    try await db.insert(Note(title: "one"))
    #expect(try await results.next() == ["one"])
    try await db.execute("DELETE FROM Note")
    #expect(try await results.next() == [])
    #expect(db.liveStatus.queries.map(\.isMaintained) == [false])
    #expect(db.liveStatus.merges == 0)
  }

  @Test("a query that could be maintained says that it runs again, and which rows changed")
  func differences() async throws {
    let db = try database([Note.self])
    try await db.insert([Note(title: "one"), Note(title: "two")])
    let query = Note.where { $0.$stars == 0 }.order(by: \.$id)
    let explanation = try await db.observe(query).explanation
    #expect(!explanation.isMaintained)
    #expect(
      explanation.description
        == "Runs again after each commit that touches what it reads, because SQLite was built "
        + "without the pre-update hook.")
    let watch = QueryWatch(LiveSource(query), in: db)
    #expect(try await watch.update()?.map(\.title) == ["one", "two"])
    try await db.execute("UPDATE Note SET title = 'second' WHERE title = 'two'")
    let result = try await watch.update()
    #expect(result?.map(\.title) == ["one", "second"])
    #expect(result?.difference.updated == [1])
    #expect(result?.difference.inserted == [] && result?.difference.removed == [])
  }
}
