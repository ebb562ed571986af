import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("One element per write", .blocking)
struct WriteTests {
  func database(maximumTrackedRows: Int = 100_000) throws -> Database {
    var configuration = Configuration()
    configuration.maximumTrackedRows = maximumTrackedRows
    let db = try Database.temporary(models: [Note.self], configuration: configuration)
    try db.insert([Note(title: "one"), Note(title: "two"), Note(title: "three")])
    return db
  }

  func first<M: Model>(_ count: Int, of stream: ChangeStream<M>) async -> [ModelChanges<M>] {
    var collected: [ModelChanges<M>] = []
    for await changes in stream {
      collected.append(changes)
      if collected.count == count { break }
    }
    return collected
  }

  @Test("an element has the label of its write, or nil")
  func labels() async throws {
    let db = try database()
    let stream = db.changes(of: Note.self)
    try await db.write(label: "import") { try $0.insert(Note(title: "four")) }
    try await db.insert(Note(title: "five"))
    try await db.write(label: "alone", alone: true) { try $0.delete(Note.self, 1) }
    func rename(on db: Database) throws {
      try db.write(label: "sync") { tx in _ = try tx.delete(Note.self, 2) }
    }
    try rename(on: db)
    #expect(await first(4, of: stream).map(\.label) == ["import", nil, "alone", "sync"])
  }

  @Test(
    "writes that share a commit are reported one by one, in order, after the commit",
    .needs(.preUpdateHook))
  func sharedCommit() async throws {
    let db = try database()
    let stream = db.changes(of: Note.self)
    struct Abandoned: Error {}
    let gate = Gate()
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    // The first write holds the writer until the others stand in line.
    let first = Task {
      try await db.write(label: "first", alone: true) { tx in
        start.yield()
        gate.wait()
        try tx.execute("UPDATE Note SET stars = stars + 1 WHERE id = 1")
      }
    }
    for await _ in started { break }
    let others = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...6 {
        group.addTask {
          do {
            try await db.write(label: "\(number)") { tx in
              try tx.execute("UPDATE Note SET stars = stars + 1 WHERE id = 1")
              // A write that fails undoes its own part, and one without effect is not reported.
              if number == 3 { throw Abandoned() }
              if number == 4 { try tx.execute("UPDATE Note SET stars = stars - 1 WHERE id = 1") }
            }
            return true
          } catch is Abandoned {
            return false
          }
        }
      }
      gate.open()
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    try await first.value
    #expect(others == 5)
    let reported = await self.first(5, of: stream)
    #expect(reported.first?.label == "first")
    #expect(Set(reported.compactMap(\.label)) == ["first", "1", "2", "5", "6"])
    // Each write begins where the one before it ended.
    #expect(try reported.map { try $0.rows[0].old(\.$stars) } == [0, 1, 2, 3, 4])
    #expect(try reported.map { try $0.rows[0].new(\.$stars) } == [1, 2, 3, 4, 5])
  }

  @Test(
    "a stream that begins during a write gets its rows only if they were being recorded",
    .needs(.preUpdateHook))
  func lateStream() async throws {
    let db = try database()
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let gate = Gate()
    func beginWrite() async throws -> Task<Void, any Error> {
      let writer = Task {
        try await db.write { tx in
          try tx.execute("UPDATE Note SET stars = stars + 1 WHERE id = 1")
          start.yield()
          gate.wait()
        }
      }
      for await _ in started { break }
      return writer
    }
    // The rows were not recorded, so only the table can be reported.
    var writer = try await beginWrite()
    let stream = db.changes(of: Note.self)
    gate.open()
    try await writer.value
    #expect(words(await first(1, of: stream)) == [["tableChanged"]])

    writer = try await beginWrite()
    let late = db.changes(of: Note.self, columns: \.$stars)
    gate.open()
    try await writer.value
    #expect(words(await first(1, of: late)) == [["updated 1 stars"]])
    #expect(words(await first(1, of: stream)) == [["updated 1 stars"]])
  }

  @Test("all schema changes of one write are one element, with its label")
  func schemaChangeOfOneWrite() async throws {
    let db = try database()
    var changes = db.changes().makeAsyncIterator()
    try await db.write(label: "rename") { tx in
      try tx.execute("ALTER TABLE Note RENAME TO Gone")
      try tx.execute("CREATE TABLE Note (id INTEGER PRIMARY KEY)")
    }
    try await db.write(label: "next") { try $0.execute("INSERT INTO Note VALUES (1)") }
    let first = try #require(await changes.next())
    #expect(first.label == "rename")
    #expect(first.tables.map { $0.name.lowercased() } == ["gone", "note"])
    #expect(first.tables.allSatisfy { $0.events.contains(.schemaChanged) })
    #expect(await changes.next()?.label == "next")
  }

  @Test(
    "a write beyond the row limit reports only the table, and the next one its rows",
    .needs(.preUpdateHook))
  func collapse() async throws {
    let db = try database(maximumTrackedRows: 3)
    var changes = db.changes(of: Note.self).makeAsyncIterator()
    try await db.execute("UPDATE Note SET stars = 1")
    #expect(await changes.next()?.rows.count == 3)
    try await db.write { tx in
      try tx.execute("UPDATE Note SET stars = 2")
      try tx.execute("UPDATE Note SET stars = 3 WHERE id = 1")
    }
    let collapsed = await changes.next()
    #expect(collapsed?.events == [.tableChanged])
    #expect(collapsed?.rows.isEmpty == true)
    try await db.execute("UPDATE Note SET stars = 4 WHERE id = 1")
    #expect(await changes.next()?.rows.count == 1)
  }

  @Test("a savepoint that rolls back discards a table that only it changed beyond the limit")
  func collapseRolledBack() async throws {
    let db = try database(maximumTrackedRows: 1)
    try await db.execute("CREATE TABLE Other (id INTEGER PRIMARY KEY)")
    var changes = db.changes().makeAsyncIterator()
    try await db.write { tx in
      try tx.execute("INSERT INTO Other VALUES (1)")
      try tx.execute("SAVEPOINT s")
      try tx.execute("UPDATE Note SET stars = 1")
      try tx.execute("ROLLBACK TO s")
    }
    let reported = try #require(await changes.next())
    #expect(reported.tables.map { $0.name.lowercased() } == ["other"])
    #expect(reported["other"]?.events == [.tableChanged])
  }

  @Test(
    "a slow consumer learns that the table changed, without more rows than the limit",
    .needs(.preUpdateHook))
  func slowConsumer() async throws {
    let db = try database(maximumTrackedRows: 10)
    let stream = db.changes(of: Note.self)
    for _ in 0..<20 { try await db.execute("UPDATE Note SET stars = stars + 1 WHERE id = 1") }
    let reported = await first(1, of: stream)
    #expect(reported.first?.events == [.tableChanged])
    try await db.execute("UPDATE Note SET stars = 100 WHERE id = 1")
    let next = await first(1, of: stream)
    #expect(next.first?.isComplete == true)
    #expect(try next.first?.rows.first?.old(\.$stars) == 20)
  }

  @Test(
    "a schema change is reported only for its own table, and not if it is rolled back",
    .needs(.preUpdateHook))
  func schemaChanges() async throws {
    let db = try database()
    try await db.execute("CREATE TABLE Other (id INTEGER PRIMARY KEY)")
    let stream = db.changes(of: Note.self)
    try await db.execute("ALTER TABLE Other ADD COLUMN text TEXT")
    struct Abandoned: Error {}
    await #expect(throws: Abandoned.self) {
      try await db.write { tx in
        try tx.execute("ALTER TABLE Note ADD COLUMN extra TEXT")
        try tx.execute("UPDATE Note SET extra = 'x'")
        throw Abandoned()
      }
    }
    try await db.execute("UPDATE Note SET stars = 1 WHERE id = 1")
    try await db.execute("CREATE INDEX stars ON Note (stars)")
    try await db.execute("ALTER TABLE Note RENAME TO Gone")
    try await db.execute("ALTER TABLE Other RENAME TO Note")
    #expect(
      words(await first(4, of: stream)) == [
        ["updated 1 stars"], ["schemaChanged"], ["schemaChanged"], ["schemaChanged"],
      ])
  }
}
