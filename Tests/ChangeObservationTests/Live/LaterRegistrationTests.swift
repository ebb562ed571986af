import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

/// A plan relies on the collations and functions that were registered when it was made.
@Suite("Collations and functions replaced while a query is observed", .needs(.preUpdateHook))
struct LaterRegistrationTests {
  struct Word: Model {
    @PrimaryKey var id: Int64
    @Column var text: String
  }

  @Test("after NOCASE is replaced, the next result has the new order")
  func collation() async throws {
    let db = try Database.temporary(configuration: .relaxed)
    try await db.execute(
      """
      CREATE TABLE Word (id INTEGER PRIMARY KEY, text TEXT NOT NULL COLLATE NOCASE);
      INSERT INTO Word VALUES (1, 'a'), (2, 'b');
      """)
    let query = Word.order(by: \.$text).select(\.$text)
    let watch = QueryWatch(LiveSource(query), in: db)
    _ = try await watch.next()
    try await db.execute("INSERT INTO Word VALUES (3, 'c')")
    _ = try await watch.update()
    try db.collation("NOCASE") { left, right in
      left == right ? .orderedSame : left < right ? .orderedDescending : .orderedAscending
    }
    try await db.execute("INSERT INTO Word VALUES (4, 'd')")
    _ = try await watch.update()
    let found = watch.rows.map { Array($0) }
    let expected = try await db.fetch(query)
    #expect(found == expected)
    #expect(!watch.isMaintained)
  }

  @Test("after lower is replaced, the next result uses the new function for all rows")
  func function() async throws {
    let db = try Database.temporary(configuration: .relaxed)
    try await db.execute(
      """
      CREATE TABLE Word (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
      INSERT INTO Word VALUES (1, 'A'), (2, 'b');
      """)
    let query = Word.where { $0.$text.lower() == "a" }.order(by: \.$id).select(\.$text)
    let watch = QueryWatch(LiveSource(query), in: db)
    _ = try await watch.next()
    try await db.execute("INSERT INTO Word VALUES (3, 'c')")
    _ = try await watch.update()
    try db.function("lower", .deterministic) { (_: String) in "a" }
    try await db.execute("INSERT INTO Word VALUES (4, 'd')")
    _ = try await watch.update()
    let found = watch.rows.map { Array($0) }
    let expected = try await db.fetch(query)
    #expect(found == expected)
  }
}
