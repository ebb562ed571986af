import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("Changes that a declared trigger makes", .needs(.preUpdateHook))
struct DeclaredTriggerTests {
  struct Page: Model {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var body: String
    @Column var edits = 0

    static var schema: Schema<Page> {
      Trigger("Page_edits", after: .update(of: \.$title, \.$body)) { _, new in
        Page.update { $0.$edits += 1 }.where { $0.$id == new.$id }
        Audit.insert { $0.$pageID = new.$id }
      }
    }
  }

  struct Audit: Model {
    @PrimaryKey var id: Int?
    @Column var pageID: Int
  }

  struct Shown: Model, SQLView {
    @PrimaryKey var id: Int
    @Column var title: String
    static var definition: some Fetchable { Page.select(\.$id, \.$title) }
    static var schema: Schema<Shown> {
      Trigger("Shown_update", insteadOf: .update) { old, new in
        Page.update { $0.$title = new.$title }.where { $0.$id == old.$id }
      }
    }
  }

  let db: Database

  init() throws {
    db = try Database.temporary(models: [Shown.self, Page.self, Audit.self])
    try db.insert([Page(id: 1, title: "a", body: ""), Page(id: 2, title: "b", body: "")])
  }

  @Test("an observer of the column that only the trigger writes sees the update, and others do not")
  func touchedColumn() async throws {
    let stream = db.changes(of: Page.self, columns: \.$edits)
    try await db.run(Page.update { $0.$edits = 5 }.where { $0.$id == 2 })
    try await db.run(Page.update { $0.$title = "c" }.where { $0.$id == 1 })
    let events = await stream.collect { $0.updated.contains { $0.keyValues == [1] } }
    #expect(words(events) == [["updated 2 edits"], ["updated 1 edits"]])
  }

  @Test("an observer sees the row that a trigger inserts into another table")
  func otherTable() async throws {
    let stream = db.changes(of: Audit.self)
    try await db.run(Page.update { $0.$title = "c" }.where { $0.$id == 2 })
    let events = await stream.collect { !$0.inserted.isEmpty }
    #expect(words(events) == [["inserted 1 id,pageID"]])
  }

  @Test("an update of a view is reported as the update of its table")
  func view() async throws {
    let stream = db.changes(of: Page.self, columns: \.$title)
    try await db.run(Shown.update { $0.$title = "d" }.where { $0.$id == 1 })
    let events = await stream.collect { !$0.updated.isEmpty }
    #expect(events.flatMap(\.updated).map(\.keyValues) == [[1]])
  }
}
