import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation

/// The cost of a commit for many observers: counted, not measured.
@Suite("Many observers of one row each", .needs(.preUpdateHook))
struct ManyObserversTests {
  private static let count = 100

  private func database(isStrict: Bool = true) async throws -> Database {
    let db = try Database.temporary(models: isStrict ? [Note.self] : [])
    if !isStrict {
      try await db.execute(
        """
        CREATE TABLE Note (
          id INTEGER PRIMARY KEY, title TEXT NOT NULL, stars INTEGER NOT NULL, body TEXT)
        """)
    }
    try await db.insert(
      (0..<Self.count).map { Note(id: Int64($0), title: "note \($0)", stars: $0) })
    return db
  }

  private func watches(
    in db: Database, _ query: (Int) -> TableQuery<Note, Note>
  ) async throws -> [QueryWatch<Note>] {
    var watches: [QueryWatch<Note>] = []
    for number in 0..<Self.count {
      let watch = QueryWatch(LiveSource(query(number)), in: db)
      #expect(try await watch.next()?.count == 1)
      #expect(watch.isMaintained)
      watches.append(watch)
    }
    return watches
  }

  /// Changes the first rows, and expects that each is evaluated once, for its own observer.
  private func expectOneLookEach(
    _ watches: [QueryWatch<Note>], in db: Database, changed: Int
  ) async throws {
    // After this, the first check of the file is done.
    try await db.execute("UPDATE Note SET body = 'seen'")
    for watch in watches { _ = try await watch.update() }
    let evaluators = try #require(ChangeTracker.of(db)?.evaluators(for: db))
    let before = evaluators.evaluatedRowCount
    try await db.execute("UPDATE Note SET title = 'changed' WHERE id < \(changed)")
    var updated = 0
    for watch in watches {
      guard let rows = try await watch.update() else { continue }
      #expect(rows.map(\.title) == ["changed"])
      updated += 1
    }
    #expect(updated == changed)
    #expect(evaluators.evaluatedRowCount - before == changed)
  }

  @Test("a changed row is evaluated only for the observer of its key")
  func keys() async throws {
    let db = try await database()
    let watches = try await watches(in: db) { number in Note.where { $0.$id == Int64(number) } }
    try await expectOneLookEach(watches, in: db, changed: 60)
  }

  @Test("a changed row is evaluated only for the observer of its value")
  func values() async throws {
    let db = try await database()
    let watches = try await watches(in: db) { number in Note.where { $0.$stars == number } }
    try await expectOneLookEach(watches, in: db, changed: 60)
  }

  @Test("a row whose value changes leaves one result and enters another")
  func movingValue() async throws {
    let db = try await database(isStrict: false)
    let watches = try await watches(in: db) { number in Note.where { $0.$stars == number } }
    try await db.write { tx in
      try tx.execute("UPDATE Note SET stars = 7 WHERE id = 3")
      try tx.execute("UPDATE Note SET stars = 8, title = 'moved' WHERE id = 3")
      // A value of another storage class, which matches no observer.
      try tx.execute("UPDATE Note SET stars = 'x' WHERE id = 5")
    }
    #expect(try await watches[3].update()?.isEmpty == true)
    #expect(try await watches[5].update()?.isEmpty == true)
    #expect(try await watches[7].update() == nil)
    #expect(try await watches[8].update()?.map(\.title) == ["moved", "note 8"])
    #expect(try await watches[9].update() == nil)
  }

  @Test("a stream of changes for one key receives only that row")
  func streams() async throws {
    let db = try await database()
    let streams = (0..<Self.count).map { db.changes(of: Note.self, keys: [Int64($0)]) }
    try await db.execute("UPDATE Note SET title = 'changed'")
    for (number, stream) in streams.enumerated() {
      let reported = try #require(await stream.collect { _ in true }.first)
      #expect(reported.rows.map(\.keyValues) == [[.integer(Int64(number))]])
    }
  }
}
