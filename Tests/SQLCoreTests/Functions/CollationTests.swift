import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Collations in Swift", .blocking)
struct CollationTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.collation("reversed") { left, right in
      left == right ? .orderedSame : left < right ? .orderedDescending : .orderedAscending
    }
    try db.execute(
      "CREATE TABLE letter (l TEXT); INSERT INTO letter VALUES ('a'), ('c'), ('z'), ('e')")
  }

  @Test("a reversing collation sorts and finds the maximum in reverse order")
  func reversed() throws {
    let rows = try db.rows("SELECT l FROM letter ORDER BY l COLLATE reversed")
    #expect(try rows.map { try $0.get(String.self, at: 0) }.joined() == "zeca")
    #expect(try db.row("SELECT max(l COLLATE reversed) FROM letter")?[0] == "a")
  }

  @Test("a byte collation sorts a unique index by its own order")
  func index() throws {
    try db.byteCollation("length") { left, right in
      left.count == right.count
        ? .orderedSame : left.count < right.count ? .orderedAscending : .orderedDescending
    }
    try db.execute(
      """
      CREATE TABLE word (w TEXT COLLATE length);
      CREATE UNIQUE INDEX word_w ON word (w);
      INSERT INTO word VALUES ('ccc'), ('a'), ('bb' || char(0) || 'b')
      """)
    #expect(
      try db.rows("SELECT length(CAST(w AS BLOB)) FROM word ORDER BY w").map { $0[0] } == [1, 3, 4])
    let error = #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO word VALUES ('z')")
    }
    #expect(error?.constraint?.kind == .unique)
  }

  @Test("a collation is on every connection of a database, and can be removed")
  func removal() throws {
    let held = Holding(readerOf: db)
    #expect(try db.rows("SELECT l FROM letter ORDER BY l COLLATE reversed").count == 4)
    held.end()
    try db.removeCollation("reversed")
    let error = #expect(throws: DatabaseError.self) {
      try db.rows("SELECT l FROM letter ORDER BY l COLLATE reversed")
    }
    #expect(error?.message == "no such collation sequence: reversed")
  }

  @Test("a collation's error is the statement's error")
  func throwingInRead() throws {
    try db.collation("broken") { _, _ in throw Broken() }
    for sql: SQL in [
      "SELECT l FROM letter ORDER BY l COLLATE broken",
      "SELECT l FROM letter ORDER BY l COLLATE broken LIMIT 1",
      "SELECT count(*) FROM letter WHERE l = 'a' COLLATE broken",
    ] {
      let error = #expect(throws: DatabaseError.self) { try db.rows(sql) }
      #expect(error?.message == "cannot compare")
      #expect(error?.sql == sql.text)
      #expect(throws: DatabaseError.self) { try db.row(sql) }
    }
    #expect(try db.rows("SELECT l FROM letter").count == 4)
  }

  @Test("a collation that fails during a write undoes the whole transaction")
  func throwingInWrite() throws {
    let fails = Shared(false)
    try db.collation("moody") { left, right in
      if fails.current { throw Broken() }
      return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
    try db.execute(
      "CREATE TABLE moody (t TEXT COLLATE moody UNIQUE); INSERT INTO moody VALUES ('b')")
    fails.change { $0 = true }
    let error = #expect(throws: DatabaseError.self) {
      try db.write { tx in
        try tx.execute("INSERT INTO letter VALUES ('x')")
        try tx.execute("INSERT INTO moody VALUES ('a')")
      }
    }
    #expect(error?.message == "cannot compare")
    // Also in autocommit.
    let alone = #expect(throws: DatabaseError.self) {
      try db.writeWithoutTransaction { try $0.execute("INSERT INTO moody VALUES ('a')") }
    }
    #expect(alone?.message == "cannot compare")
    fails.change { $0 = false }
    #expect(try db.rows("SELECT t FROM moody").map { $0[0] } == ["b"])
    #expect(try db.row("SELECT count(*) FROM letter")?[0] == 4)
    #expect(try db.row("PRAGMA integrity_check")?[0] == "ok")
    try db.execute("INSERT INTO moody VALUES ('a')")
    #expect(try db.rows("SELECT t FROM moody ORDER BY t").map { $0[0] } == ["a", "b"])
  }

  @Test(
    "a collation that uses its connection, or removes itself while it runs, gets errors")
  func reentering() throws {
    let connection = try Connection()
    nonisolated(unsafe) let same = connection
    let messages = Shared<Set<String>>([])
    @Sendable func note(_ body: () throws -> Void) {
      do { try body() } catch let error as DatabaseError {
        messages.change { $0.insert(String(error.message.prefix(28))) }
      } catch {}
    }
    try connection.collation("nosy") { left, right in
      note { _ = try same.row("SELECT 1") }
      note { try same.removeCollation("nosy") }
      return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
    #expect(
      try connection.rows(
        "SELECT column1 FROM (VALUES ('b'), ('a'), ('c')) ORDER BY column1 COLLATE nosy"
      ).map { $0[0] } == ["a", "b", "c"])
    #expect(messages.current == ["a connection cannot be used ", "unable to delete/modify coll"])
    try connection.removeCollation("nosy")
  }

  private struct Broken: Error, CustomStringConvertible { let description = "cannot compare" }
}
