import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation

@Suite("First uses of virtual tables by a connection")
struct FreshConnectionTests {
  @Test(
    "a stream filtered by a list reports exactly its rows, from the first write on",
    .needs(.preUpdateHook))
  func changes() async throws {
    let db = try Database.temporary(models: [Note.self])
    let changes = db.changes(of: Note.self) { $0.$stars.isIn([1, 3]) }
    try await db.insert((0..<6).map { Note(id: Int64($0), title: "note", stars: $0) })
    let reported = try #require(await changes.collect { _ in true }.first)
    #expect(reported.rows.map(\.keyValues) == [[1], [3]])
    #expect(reported.isFiltered)
  }

  @Test("a live query filtered by a list is maintained from the start", .needs(.preUpdateHook))
  func liveQuery() async throws {
    let db = try Database.temporary(models: [Note.self])
    let watch = QueryWatch(LiveSource(Note.where { $0.$stars.isIn([1, 3]) }), in: db)
    #expect(try await watch.next()?.count == 0)
    #expect(watch.isMaintained)
    try await db.insert((0..<6).map { Note(id: Int64($0), title: "note", stars: $0) })
    #expect(try await watch.next()?.map(\.stars) == [1, 3])
  }

  @Test(
    "the tables that a statement reads are found on a connection that never used them",
    arguments: [
      ("SELECT n FROM t WHERE n IN (SELECT value FROM apus_array(?))", ["apus_array", "t"]),
      ("SELECT n FROM t, json_each('[1]') WHERE n = value", ["json_each", "t"]),
      ("SELECT name FROM pragma_table_info('t')", ["pragma_table_info"]),
      ("SELECT key FROM json_tree('[1]') WHERE 1 IN (SELECT n FROM t)", ["json_tree", "t"]),
      ("SELECT word FROM words", ["words"]),
      ("SELECT n FROM t WHERE EXISTS (SELECT name FROM sqlite_master)", ["sqlite_master", "t"]),
      (
        "SELECT s.rowid FROM sqlite_master AS s, json_each('[1]')",
        ["json_each", "sqlite_master"]
      ),
    ])
  func dependencies(sql: String, tables: [String]) throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE t (n INTEGER); CREATE VIRTUAL TABLE words USING fts5(word)")
    let connection = try Connection(path: try #require(db.path))
    let core = try connection.use()
    for _ in 0..<2 {
      let found = Set(try core.dependencies(of: sql).map(\.table))
      // FTS5 reads its own tables when it connects.
      #expect(found.filter { !$0.hasPrefix("words_") }.sorted() == tables)
    }
  }
}
