import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Observations of a closed database", .blocking)
struct ClosingTests {
  private func database(inMemory: Bool) throws -> Database {
    let db =
      try inMemory
      ? Database.inMemory(models: [Note.self]) : Database.temporary(models: [Note.self])
    try db.insert(Note(title: "one"))
    return db
  }

  /// Closes the database while a task waits, and returns the task's result.
  private func close(
    _ db: Database,
    while body: @escaping @Sendable (_ begun: @Sendable () -> Void) async throws -> Int
  ) async throws -> Int {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task { try await body { begin.yield() } }
    for await _ in begun { break }
    try await db.close()
    return try await task.value
  }

  @Test("streams of changes deliver what was committed and then finish", arguments: [true, false])
  func changes(inMemory: Bool) async throws {
    var db = try database(inMemory: inMemory)
    let stream = db.changes(of: Note.self)
    let filtered = db.changes(of: Note.self, where: { $0.$stars > 0 })
    let all = db.changes()
    try await db.execute("UPDATE Note SET stars = 1")
    try await db.close()
    #expect(await stream.collect { _ in false }.count == 1)
    #expect(await filtered.collect { _ in false }.count == 1)
    #expect(await all.reduce(0) { count, _ in count + 1 } == 1)
    // Every waiting iterator is woken.
    db = try database(inMemory: inMemory)
    let waited = db.changes()
    let counts = try await close(db) { begun in
      await withTaskGroup { group in
        for _ in 0..<3 {
          group.addTask { await waited.reduce(0) { count, _ in count + 1 } }
        }
        begun()
        return await group.reduce(0, +)
      }
    }
    #expect(counts == 0)
    for await _ in db.changes() { Issue.record("a closed database changed") }
    for await _ in db.changes(of: Note.self) { Issue.record("a closed database changed") }
  }

  @Test("a stream of changes finishes when the last reference to its database is released")
  func released() async throws {
    var db: Database? = try database(inMemory: false)
    let stream = try #require(db?.changes())
    try await db?.execute("UPDATE Note SET stars = 1")
    db = nil
    #expect(await stream.reduce(0) { count, _ in count + 1 } == 1)
  }

  @Test(
    "a filtered stream finishes when the last reference to its database is released",
    .needs(.preUpdateHook))
  func filteredReleased() async throws {
    var changes: ChangeIterator<ModelChanges<Note>>
    do {
      let db = try database(inMemory: false)
      changes = db.changes(of: Note.self, where: { $0.$stars > 0 }).makeAsyncIterator()
      try await db.execute("UPDATE Note SET stars = 1")
      let element = await changes.next()?.updated.count
      #expect(element == 1)
      try await db.execute("UPDATE Note SET stars = 2")
    }
    let element2 = await changes.next()?.updated.count
    #expect(element2 == 1)
    let element3 = await changes.next()
    #expect(element3 == nil)
    // A commit before the release is delivered. If the database is gone before the predicates are
    // first tested, the commit is not filtered.
    let unread: ChangeStream<Note>
    do {
      let db = try database(inMemory: false)
      unread = db.changes(of: Note.self, where: { $0.$stars > 0 })
      try await db.execute("UPDATE Note SET stars = 1")
    }
    let counts = await unread.reduce(into: []) { $0.append($1.updated.count) }
    #expect(counts == [1])
  }

  @Test("observations of results finish, and new ones throw misuse", arguments: [true, false])
  func results(inMemory: Bool) async throws {
    let queries: [@Sendable (Database, @Sendable () -> Void) async throws -> Int] = [
      { try await $0.observe(Note.all).count($1) },
      { try await $0.observe(Note.select { $0.count() }).count($1) },
      { try await $0.observe(sql: "SELECT * FROM Note").count($1) },
      { try await $0.observe { try $0.count(Note.all) }.count($1) },
    ]
    for query in queries {
      let db = try database(inMemory: inMemory)
      #expect(try await close(db) { try await query(db, $0) } == 1)
      // An observation that begins now throws the reason.
      let error = await #expect(throws: DatabaseError.self) { try await query(db, {}) }
      #expect(error?.code == .misuse)
      #expect(error?.message.contains("closed") == true)
    }
  }

  @Test("closing waits for an observation's own fetch and does not fail because of it")
  func fetching() async throws {
    for _ in 0..<20 {
      let db = try database(inMemory: false)
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        for try await _ in db.observe(sql: "SELECT count(*) FROM Note") { begin.yield() }
      }
      for await _ in begun { break }
      try await db.insert(Note(title: "two"))
      try await db.close()
      try await task.value
    }
  }

  @Test("an observation's closure that closes the database does not wait for itself")
  func closingInside() async throws {
    let db = try database(inMemory: false)
    var values = db.observe { _ in (try? db.close()) == nil }.makeAsyncIterator()
    #expect(try await values.next() == true)
    try await db.close()
    #expect(try await values.next() == nil)
  }

  @Test("live objects keep their content and report that they ended")
  @MainActor
  func live() async throws {
    let db = try Database.temporary(models: [Note.self])
    try await db.insert(Note(title: "one"))
    let query = LiveQuery(Note.select(\.$title), in: db)
    let model = LiveModel(Note.self, 1, in: db)
    await until { query.isLoaded && model.isLoaded }
    try await db.close()
    await until { query.phase.hasEnded && model.phase.hasEnded }
    #expect(query.rows == ["one"] && model.model?.title == "one")
    await query.refresh()
    await model.refresh()
    #expect(query.phase.hasEnded && model.phase.hasEnded)
    let late = LiveQuery(Note.all, in: db)
    await until { late.phase.hasEnded }
    await late.refresh()
  }
}

extension QueryObservation {
  /// Counts the results.
  fileprivate func count(_ begun: @Sendable () -> Void) async throws -> Int {
    var count = 0
    for try await _ in self {
      count += 1
      begun()
    }
    return count
  }
}

extension ValueObservation {
  /// Counts the values.
  fileprivate func count(_ begun: @Sendable () -> Void) async throws -> Int {
    var count = 0
    for try await _ in self {
      count += 1
      begun()
    }
    return count
  }
}
