import ChangeObservation
import Observation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@MainActor
@Suite("LiveQuery")
struct LiveQueryTests {
  @Test("a live query loads, reports that it has loaded, and follows the database")
  func follows() async throws {
    let db = try Database.temporary(models: [Note.self])
    let live = LiveQuery(Note.order(by: \.$title).select(\.$title), in: db)
    #expect(!live.isLoaded)
    await until { live.isLoaded }
    #expect(live.rows == [])
    try await db.insert(Note(title: "b"))
    await until { live.rows == ["b"] }
    try await db.insert(Note(title: "a"))
    await until { live.rows == ["a", "b"] }
  }

  @Test("a live query is released with its last reference")
  func released() async throws {
    let db = try Database.temporary(models: [Note.self])
    var live: LiveQuery<Note>? = LiveQuery(Note.all, in: db)
    await until { live?.isLoaded ?? true }
    weak let reference = live
    live = nil
    #expect(reference == nil)
  }

  @Test("a failure to fetch is a phase")
  func failure() async throws {
    let db = try Database.temporary()
    let live = LiveQuery(Note.all, in: db)
    await until {
      if case .failed = live.phase { true } else { false }
    }
  }
}
