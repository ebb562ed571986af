import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// `.theirs` (in `apply` and in `undo`) deletes every row that has the values of the
/// unique constraint, although a partial index contains only one of them.
@Suite("Rows in the way of a partial unique index")
struct PartialUniqueTests {
  private struct Page: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var slug: String
    @Column var isGone: Bool
    static var schema: Schema<Page> { Logged() }
  }

  private struct Visit: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var page: Int
    static var schema: Schema<Visit> {
      Logged()
      ForeignKey(\.$page, references: \Page.$id)
    }
  }

  private func database() throws -> Database {
    let db = try Database.temporary(models: [Page.self, Visit.self])
    try db.execute("CREATE UNIQUE INDEX live ON Page (slug) WHERE NOT isGone")
    return db
  }

  @Test("only the row that the index contains is deleted")
  func exchange() throws {
    let (a, b) = (try database(), try database())
    try a.insert(Page(id: 1, slug: "a", isGone: false))
    try b.insert(Page(id: 2, slug: "a", isGone: true))
    try b.insert(Page(id: 3, slug: "a", isGone: false))
    try b.log.apply(a.log.batch(after: .start), resolving: .theirs)
    let found = try b.fetch(Int.self, "SELECT id FROM Page ORDER BY id")
    #expect(found == [1, 2])
  }

  @Test("a row that refers to the deleted row is a conflict, not a dangling row")
  func foreignKeys() throws {
    let (a, b) = (try database(), try database())
    try a.insert(Page(id: 1, slug: "a", isGone: false))
    try b.insert(Page(id: 2, slug: "a", isGone: true))
    try b.insert(Page(id: 3, slug: "a", isGone: false))
    try b.insert(Visit(id: 1, page: 3))
    _ = try? b.log.apply(a.log.batch(after: .start), resolving: .theirs)
    let found = try b.rows("PRAGMA foreign_key_check").isEmpty
    #expect(found)
  }

  @Test("an undo with .theirs keeps the other rows, too", .needs(.preUpdateHook))
  func undo() throws {
    let db = try database()
    let history = try History(of: [Page.self], in: db)
    try db.insert(Page(id: 1, slug: "a", isGone: false))
    try db.execute("DELETE FROM Page WHERE id = 1")
    let step = try #require(history.steps().undoable.last)
    try db.insert(Page(id: 2, slug: "a", isGone: true))
    try db.insert(Page(id: 3, slug: "a", isGone: false))
    try history.undo(step, resolving: .theirs)
    let found = try db.fetch(Int.self, "SELECT id FROM Page ORDER BY id")
    #expect(found == [1, 2])
  }
}
