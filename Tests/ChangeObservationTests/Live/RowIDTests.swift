import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

@Suite("Live queries that read the rowid")
struct RowIDTests {
  private struct Thing: Model {
    @PrimaryKey var id: Int64
    @Column var title: String
  }

  private struct Setting: Model {
    @PrimaryKey var name: String
    @Column var value: Int
    var id: String { name }
  }

  /// Returns the rows of a query after a change. The query must not be maintained.
  private func rows<Row>(
    of query: some Fetchable<Row>, in db: Database, after change: SQL
  ) async throws -> [String] {
    let watch = QueryWatch(LiveSource(query), in: db)
    _ = try await watch.next()
    #expect(!watch.isMaintained)
    try await db.execute(change)
    return try #require(try await watch.update()).map { "\($0)" }
  }

  @Test("a query runs again, although the rowid is the key")
  func key() async throws {
    let db = try Database.temporary()
    try await db.execute(
      """
      CREATE TABLE Thing (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
      INSERT INTO Thing VALUES (1, 'a'), (2, 'b');
      """)
    let query = Thing.where { $0.rowID > 1 }.order(by: \.$id).select { ($0.rowID, $0.$title) }
    let found = try await rows(of: query, in: db, after: "INSERT INTO Thing VALUES (9, 'c')")
    #expect(found == [#"(2, "b")"#, #"(9, "c")"#])
  }

  @Test("a query runs again after REPLACE gave a row another rowid and changed another column")
  func replaced() async throws {
    let db = try Database.temporary()
    try await db.execute(
      """
      CREATE TABLE Setting (name TEXT PRIMARY KEY, value INTEGER);
      INSERT INTO Setting VALUES ('a', 1), ('b', 2);
      """)
    let query = Setting.order { $0.rowID }.select(\.$name)
    let found = try await rows(of: query, in: db, after: "REPLACE INTO Setting VALUES ('a', 3)")
    #expect(found == ["b", "a"])
  }
}
