import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

/// In a key that is not the rowid, SQLite allows NULL, and several rows with NULL.
@Suite("Rows of one table whose key is NULL", .needs(.preUpdateHook))
struct NullKeyRowsTests {
  private func database() async throws -> Database {
    let db = try Database.temporary(configuration: .relaxed)
    try await db.execute(
      """
      CREATE TABLE JoinMark (post INTEGER, tag TEXT, weight INTEGER NOT NULL,
        PRIMARY KEY (post, tag));
      INSERT INTO JoinMark VALUES (1, 'a', 1), (1, NULL, 2), (1, NULL, 3);
      """)
    return db
  }

  @Test("inserted, changed and deleted rows whose key is NULL are seen")
  func rows() async throws {
    let db = try await database()
    let query = JoinMark.order(by: \.$weight).select(\.$weight)
    let comparison = Comparison("weights", query, sorted: query, in: db)
    try await comparison.check("first")
    for statement: SQL in [
      "UPDATE JoinMark SET weight = 11 WHERE tag = 'a'",
      "INSERT INTO JoinMark VALUES (2, NULL, 4)",
      "INSERT INTO JoinMark VALUES (2, NULL, 5)",
      "UPDATE JoinMark SET weight = weight + 100 WHERE tag IS NULL AND weight < 5",
      "DELETE FROM JoinMark WHERE weight = 5",
      "UPDATE JoinMark SET tag = 'z' WHERE weight = 102",
    ] {
      try await db.execute(statement)
      try await comparison.check("\(statement)")
    }
  }

  @Test("the difference of a fetched result is right")
  func difference() async throws {
    let db = try await database()
    let query = JoinMark.order(by: \.$weight).select(\.$weight)
    let watch = QueryWatch(LiveSource(query), in: db)
    let first = try #require(try await watch.next())
    try await db.execute("DELETE FROM JoinMark WHERE tag IS NULL")
    let second = try #require(try await watch.refreshed(again: true).map { Results<Int>($0) })
    #expect(Array(second) == [1])
    #expect(first.count - second.difference.removed.count + second.difference.inserted.count == 1)
  }
}
