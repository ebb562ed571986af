import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("The tables in which virtual tables store their rows", .needs(.preUpdateHook))
struct ShadowTableTests {
  @Test("a column that a virtual table updates by a statement of its own is followed")
  func ownStatement() async throws {
    let db = try Database.temporary()
    let modules = try await db.fetch(
      String.self, "SELECT name FROM pragma_module_list WHERE name = 'rtree'")
    guard !modules.isEmpty else { return }
    try await db.execute(
      """
      CREATE VIRTUAL TABLE Box USING rtree(id, low, high, +note);
      INSERT INTO Box VALUES (1, 0, 1, NULL);
      """)
    let watch = QueryWatch(LiveSource(sql: "SELECT note FROM Box"), in: db)
    _ = try await watch.next()
    // R*Tree writes the note by an UPDATE of the table `Box_rowid`.
    try await db.execute("UPDATE Box SET note = 'new'")
    let found = try await watch.update()?.map { $0.values }
    #expect(found == [["new"]])
  }
}
