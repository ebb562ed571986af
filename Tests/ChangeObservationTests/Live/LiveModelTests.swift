import ChangeObservation
import Observation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@Suite("LiveModel")
struct LiveModelTests {
  @Test("a live model follows its row, and is nil once the row is deleted")
  @MainActor
  func follows() async throws {
    let db = try Database.temporary(models: [Note.self])
    try await db.insert([Note(title: "one"), Note(title: "two")])
    let note = try #require(try await db.find(Note.self, 2))
    let live = note.live(in: db)
    #expect(live.model == nil && !live.isLoaded)
    var titles = Observations { live.isLoaded ? live.model?.title ?? "gone" : "loading" }
      .makeAsyncIterator()
    func next(_ title: String) async {
      while let seen = await titles.next(), seen != title {}
    }
    await next("two")
    try await db.execute("UPDATE Note SET title = 'other' WHERE id = 1")
    try await db.execute("UPDATE Note SET title = 'TWO' WHERE id = 2")
    await next("TWO")
    try await db.execute("DELETE FROM Note")
    await next("gone")
    #expect(live.model == nil && live.isLoaded)
    try await db.execute("INSERT INTO Note (id, title, stars) VALUES (2, 'again', 0)")
    await next("again")
  }

  private actor Owner {
    private var live: LiveQuery<String>?

    func begin(in db: Database) { live = LiveQuery(Note.select(\.$title), in: db) }

    func rows() -> [String] { live.map { Array($0.rows) } ?? [] }

    func isLoaded() -> Bool { live?.isLoaded ?? false }
  }

  @Test("a live query belongs to the actor that created it")
  func otherActor() async throws {
    let db = try Database.temporary(models: [Note.self])
    try await db.insert(Note(title: "one"))
    let owner = Owner()
    await owner.begin(in: db)
    while await !owner.isLoaded() { await Task.yield() }
    #expect(await owner.rows() == ["one"])
  }
}
