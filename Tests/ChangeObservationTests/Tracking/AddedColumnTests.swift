import ChangeObservation
import QueryDSL
import SQLCore
import TestRun
import Testing

@Suite("Rows older than a column", .needs(.preUpdateHook))
struct AddedColumnTests {
  @Test(
    "a row older than a column has its default, and a NULL that was written stays NULL",
    arguments: ["", " WITHOUT ROWID"])
  func defaults(option: String) async throws {
    let db = try Database.temporary()
    try await db.execute(
      "CREATE TABLE Part (code TEXT PRIMARY KEY NOT NULL, size INTEGER) \(unsafe: option)")
    try await db.execute("INSERT INTO Part VALUES ('old', 1), ('null', 1)")
    try await db.execute("ALTER TABLE Part ADD COLUMN count INTEGER DEFAULT 7")
    try await db.execute("ALTER TABLE Part ADD COLUMN weight REAL DEFAULT 2")
    try await db.execute("ALTER TABLE Part ADD COLUMN text TEXT NOT NULL DEFAULT 5")
    try await db.execute("UPDATE Part SET count = NULL, weight = NULL WHERE code = 'null'")
    var changes = db.changes().makeAsyncIterator()
    for sql: SQL in [
      "UPDATE Part SET size = 2", "UPDATE Part SET count = NULL WHERE code = 'old'",
      "REPLACE INTO Part (code) VALUES ('old')", "DELETE FROM Part WHERE code = 'null'",
    ] {
      try await db.execute(sql)
    }
    func values(_ row: AnyRowChange?, _ value: (AnyRowChange, String) -> DatabaseValue?)
      -> [DatabaseValue?]
    {
      ["size", "count", "weight", "text"].map { column in row.flatMap { value($0, column) } }
    }
    let sizes = try #require(await changes.next()?["Part"])
    #expect(sizes.rows.map(\.changedColumns) == [["size"], ["size"]])
    let old = sizes.rows.first { $0.keyValues == ["old"] }
    #expect(values(old) { $0.old($1) } == [1, 7, 2.0, "5"])
    #expect(values(old) { $0.new($1) } == [2, 7, 2.0, "5"])
    let null = sizes.rows.first { $0.keyValues == ["null"] }
    #expect(values(null) { $0.old($1) } == [1, .null, .null, "5"])
    let count = try #require(await changes.next()?["Part"]?.rows.first)
    #expect(count.changedColumns == ["count"])
    let replaced = try #require(await changes.next()?["Part"]?.rows.first)
    #expect(replaced.kind == .updated)
    #expect(replaced.changedColumns == ["size", "count"])
    let deleted = try #require(await changes.next()?["Part"]?.rows.first)
    #expect(values(deleted) { $0.old($1) } == [2, .null, .null, "5"])
  }
}
