import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import Synchronization
import Testing

@Suite("LiveValue")
struct LiveValueTests {
  @Test("a live value follows what its closure reads, and shows no equal value again")
  @MainActor
  func follows() async throws {
    let db = try Database.temporary(models: [Note.self])
    let runs = Atomic(0)
    let live = LiveValue(in: db) { connection in
      runs.add(1, ordering: .relaxed)
      return try connection.count(Note.where { $0.$stars > 0 })
    }
    #expect(live.value == nil)
    #expect(!live.isLoaded)
    await until { live.value == 0 }
    try await db.insert(Note(title: "one", stars: 1))
    await until { live.value == 1 }
    // The value is the same after this write.
    try await db.execute("UPDATE Note SET stars = 2")
    try await db.insert(Note(title: "two", stars: 2))
    await until { live.value == 2 }
    let before = runs.load(ordering: .relaxed)
    await live.refresh()
    let after = runs.load(ordering: .relaxed)
    #expect(after > before)
    #expect(live.isLoaded)
    try await db.close()
    await until { live.phase.hasEnded }
    #expect(live.value == 2)
  }

  @Test("after an error, a live value reads again at the next change and when asked to")
  @MainActor
  func recovers() async throws {
    struct Refused: Error {}
    let db = try Database.temporary(models: [Note.self])
    let isRefused = Atomic(false)
    let live = LiveValue(in: db) { connection in
      let count = try connection.count(Note.all)
      if isRefused.load(ordering: .relaxed) { throw Refused() }
      return count
    }
    await until { live.value == 0 }
    isRefused.store(true, ordering: .relaxed)
    try await db.insert(Note(title: "one"))
    await until { live.phase.error is Refused }
    #expect(live.value == 0)
    isRefused.store(false, ordering: .relaxed)
    try await db.insert(Note(title: "two"))
    await until { live.value == 2 }
    #expect(live.isLoaded)
    isRefused.store(true, ordering: .relaxed)
    await live.refresh()
    #expect(live.phase.error is Refused)
    isRefused.store(false, ordering: .relaxed)
    await live.refresh()
    #expect(live.isLoaded)
  }

  @Test("a live value of a table that does not exist yet appears with the table")
  @MainActor
  func missingTable() async throws {
    let db = try Database.temporary()
    let live = LiveValue(in: db) { try $0.rows("SELECT * FROM later").count }
    await until { live.phase.error != nil }
    #expect(live.value == nil)
    try await db.execute("CREATE TABLE later (x); INSERT INTO later VALUES (1)")
    await until { live.value == 1 }
    #expect(live.isLoaded)
    try await db.execute("DROP TABLE later")
    await until { live.phase.error != nil }
    #expect(live.value == 1)
  }

  @Test("results after the first are applied by the closure that the user gives")
  @MainActor
  func applying() async throws {
    let db = try Database.temporary(models: [Note.self])
    let applied = Atomic(0)
    let value = LiveValue(
      in: db,
      applying: { change in
        applied.add(1, ordering: .relaxed)
        change()
        change()
      }
    ) { try $0.count(Note.all) }
    // A closure that does not call its argument loses nothing.
    let rows = LiveQuery(Note.all, in: db, applying: { _ in applied.add(1, ordering: .relaxed) })
    let model = LiveModel(
      Note.self, 1, in: db,
      applying: { change in
        applied.add(1, ordering: .relaxed)
        change()
      })
    await until { value.isLoaded && rows.isLoaded && model.isLoaded }
    let before = applied.load(ordering: .relaxed)
    #expect(before == 0)
    try await db.insert(Note(title: "one"))
    await until { value.value == 1 && rows.rows.count == 1 && model.model != nil }
    let after = applied.load(ordering: .relaxed)
    #expect(after == 3)
  }
}
