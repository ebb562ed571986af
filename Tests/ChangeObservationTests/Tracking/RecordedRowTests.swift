import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// How rows are recorded: the new value is read only from columns that a statement assigns.
@Suite("Recorded rows", .needs(.preUpdateHook))
struct RecordedRowTests {
  private func reported(_ change: DatabaseChanges?) -> [String] {
    (change?.tables ?? []).flatMap { table in
      table.rows.map { row in
        let columns = row.changedColumns.map { column in
          "\(column) \(row.old(column)?.description ?? "-")→\(row.new(column)?.description ?? "-")"
        }
        let key = row.keyValues.map(\.description).joined(separator: ",")
        return "\(row.kind) \(key) \(columns.joined(separator: " "))"
      }
    }
  }

  @Test("columns that an update does not assign keep their values, before and after")
  func unassigned() async throws {
    let db = try Database.temporary(models: [Note.self])
    try await db.insert(Note(title: "a longer title, which lies apart", body: "body"))
    let changes = db.changes(of: Note.self)
    try await db.execute("UPDATE Note SET stars = 2")
    try await db.execute("UPDATE Note SET body = 'another'")
    var iterator = changes.makeAsyncIterator()
    var row = try #require(await iterator.next()?.updated.first)
    #expect(row.changedColumns == ["stars"])
    for side in [try row.old(\.$title), try row.new(\.$title)] {
      #expect(side == "a longer title, which lies apart")
    }
    #expect(try row.old(\.$body) == "body" && row.new(\.$body) == "body")
    #expect(try row.old(\.$stars) == 0 && row.new(\.$stars) == 2)
    row = try #require(await iterator.next()?.updated.first)
    #expect(row.changedColumns == ["body"])
    #expect(try row.old(\.$body) == "body" && row.new(\.$body) == "another")
    #expect(try row.old(\.$stars) == 2 && row.new(\.$stars) == 2)
  }

  @Test("statements that assign the same columns, or others, may take turns")
  func alternatingStatements() async throws {
    let db = try Database.temporary(models: [Note.self])
    let ids: ClosedRange<Int64> = 1...4
    try await db.insert(ids.map { Note(id: $0, title: "title \($0)", body: "body") })
    var changes = db.changes(of: Note.self).makeAsyncIterator()
    try await db.write { tx in
      for id in ids {
        var note = try #require(try tx.find(Note.self, id))
        note.stars = 1
        try tx.update(note)
        try tx.execute("UPDATE Note SET title = 'raw ' || id WHERE id = \(id)")
        try tx.execute("UPDATE Note SET stars = stars + 1 WHERE id = \(id)")
        note = try #require(try tx.find(Note.self, id))
        note.title += "!"
        try tx.update(note)
        // A table that is not observed, and one that another statement assigns.
        try tx.execute("CREATE TEMP TABLE IF NOT EXISTS other (stars INT)")
        try tx.execute("INSERT INTO other VALUES (1); UPDATE other SET stars = 5")
      }
    }
    let rows = try #require(await changes.next()).updated
    #expect(rows.count == 4)
    for (row, id) in zip(rows, ids) {
      #expect(row.changedColumns == ["title", "stars"])
      #expect(try row.old(\.$title) == "title \(id)")
      #expect(try row.new(\.$title) == "raw \(id)!")
      #expect(try row.old(\.$stars) == 0 && row.new(\.$stars) == 2)
      #expect(try row.old(\.$body) == "body" && row.new(\.$body) == "body")
    }
  }

  @Test("what triggers, calculated columns and foreign keys change is reported as well")
  func assignedBesides() async throws {
    let db = try Database.temporary()
    try await db.execute(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, x INT, y INT, z INT GENERATED ALWAYS AS (x + 1) STORED);
      CREATE TABLE b (id INTEGER PRIMARY KEY, x INT, y INT, up INT REFERENCES b ON UPDATE CASCADE);
      CREATE TRIGGER b_before BEFORE UPDATE OF x ON b BEGIN
        UPDATE b SET y = y + 10 WHERE id = new.id;
      END;
      INSERT INTO a (id, x, y) VALUES (1, 1, 1);
      INSERT INTO b VALUES (1, 1, 1, 1), (2, 2, 2, 1);
      """)
    var changes = db.changes().makeAsyncIterator()
    try await db.execute("UPDATE a SET x = 5")
    #expect(reported(await changes.next()) == ["updated 1 x 1→5 z 2→6"])
    try await db.execute("UPDATE b SET x = 7 WHERE id = 1")
    #expect(reported(await changes.next()) == ["updated 1 x 1→7 y 1→11"])
    try await db.execute("UPDATE b SET id = 3 WHERE id = 1")
    let cascade = reported(await changes.next())
    #expect(
      Set(cascade) == [
        "deleted 1 id 1→- x 7→- y 11→- up 1→-", "inserted 3 id -→3 x -→7 y -→11 up -→3",
        "updated 2 up 1→3",
      ])
    try await db.execute(
      "INSERT INTO b VALUES (2, 0, 0, NULL) ON CONFLICT (id) DO UPDATE SET y = 20")
    #expect(reported(await changes.next()) == ["updated 2 y 2→20"])
  }

  @Test("a changed rowid without an INTEGER PRIMARY KEY is a deletion and an insertion")
  func movedRow() async throws {
    let db = try Database.temporary()
    try await db.execute(
      "CREATE TABLE t (name TEXT PRIMARY KEY, x INT); INSERT INTO t VALUES (NULL, 1), ('a', 2)")
    var changes = db.changes().makeAsyncIterator()
    try await db.execute("UPDATE t SET rowid = rowid + 10")
    #expect(
      reported(await changes.next()) == [
        "deleted NULL name NULL→- x 1→-", "inserted NULL name -→NULL x -→1",
      ])
  }

  @Test("a REAL key is one key, whether or not SQLite reports it as an integer")
  func realKey() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE t (weight REAL PRIMARY KEY, x INT) WITHOUT ROWID")
    var changes = db.changes().makeAsyncIterator()
    try await db.write { tx in
      try tx.execute("INSERT INTO t VALUES (1, 1)")
      try tx.execute("UPDATE t SET x = 2")
    }
    #expect(reported(await changes.next()) == ["inserted 1.0 weight -→1.0 x -→2"])
  }

  @Test("a row older than a column has the column's default when its key changes")
  func olderRow() async throws {
    let db = try Database.temporary()
    try await db.execute(
      """
      CREATE TABLE t (name TEXT, part INT, rowid TEXT, PRIMARY KEY (name, part));
      INSERT INTO t VALUES ('a', 1, 'x');
      ALTER TABLE t ADD COLUMN added INTEGER DEFAULT 7;
      """)
    var changes = db.changes().makeAsyncIterator()
    try await db.execute("UPDATE t SET part = 2")
    #expect(
      Set(reported(await changes.next())) == [
        "deleted 'a',1 name 'a'→- part 1→- rowid 'x'→- added 7→-",
        "inserted 'a',2 name -→'a' part -→2 rowid -→'x' added -→7",
      ])
  }

  @Test("another connection's new column is not taken for one that was rolled back")
  func rolledBackColumn() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 1)")
    let other = try Connection(path: try #require(db.path))
    var changes = db.changes().makeAsyncIterator()
    try await db.execute("UPDATE t SET x = 2")
    #expect(reported(await changes.next()) == ["updated 1 x 1→2"])
    struct Abandoned: Error {}
    await #expect(throws: Abandoned.self) {
      try await db.write { tx in
        try tx.execute("ALTER TABLE t ADD COLUMN a; UPDATE t SET a = 1")
        throw Abandoned()
      }
    }
    // The version of the schema is now that of the transaction that was rolled back.
    try other.execute("ALTER TABLE t ADD COLUMN b")
    try await db.execute("UPDATE t SET b = 2")
    try await db.execute("DELETE FROM t")
    let events = await changes.next()?.events
    #expect(events == [.changedElsewhere])
    #expect(reported(await changes.next()) == ["updated 1 b NULL→2"])
  }

  @Test("after deserialize, rows have the columns of the new content")
  func replacedContent() async throws {
    let (db, other) = (try Database.inMemory(), try Database.inMemory())
    try await db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x, y)")
    try await other.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, y, x)")
    try await other.execute("INSERT INTO t VALUES (1, 'y', 'x')")
    var changes = db.changes().makeAsyncIterator()
    try await db.execute("INSERT INTO t VALUES (2, 'x', 'y')")
    #expect(reported(await changes.next()) == ["inserted 2 id -→2 x -→'x' y -→'y'"])
    let bytes = try await other.writeWithoutTransaction { try $0.serialize() }
    try await db.writeWithoutTransaction { try $0.deserialize(bytes) }
    try await db.execute("UPDATE t SET x = 'z'")
    try await db.execute("DELETE FROM t")
    let events2 = await changes.next()?.events
    #expect(events2 == [.tableChanged])
    #expect(reported(await changes.next()) == ["updated 1 x 'x'→'z'"])
  }

  @Test("a dropped index is reported for its own table, whatever table had it before")
  func droppedIndex() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE a (x); CREATE TABLE b (x)")
    var changes = db.changes().makeAsyncIterator()
    for table in ["a", "b", "a"] {
      try await db.execute("CREATE INDEX one ON \(unsafe: table) (x)")
      #expect(await changes.next()?.tables.map(\.name) == [table])
      try await db.execute("DROP INDEX one")
      #expect(await changes.next()?.tables.map(\.name) == [table])
    }
  }

  @Test("text of a UTF-16 database, and invalid UTF-8 with its bytes, is recorded")
  func encodings() async throws {
    let db = try Database.temporary()
    try await db.writeWithoutTransaction { try $0.execute("PRAGMA encoding = 'UTF-16'") }
    try await db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
    var changes = db.changes().makeAsyncIterator()
    try await db.execute("INSERT INTO t VALUES (1, 'zażółć 𝄞')")
    #expect(reported(await changes.next()) == ["inserted 1 id -→1 text -→'zażółć 𝄞'"])
    try await db.execute("UPDATE t SET text = text || '!'")
    #expect(reported(await changes.next()) == ["updated 1 text 'zażółć 𝄞'→'zażółć 𝄞!'"])

    let other = try Database.temporary()
    try await other.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
      CREATE TABLE k (text TEXT PRIMARY KEY) WITHOUT ROWID
      """)
    changes = other.changes().makeAsyncIterator()
    try await other.execute("INSERT INTO t VALUES (1, CAST(x'61ff' AS TEXT))")
    let broken = DatabaseValue.invalidText(Data([0x61, 0xFF]))
    #expect(reported(await changes.next()) == ["inserted 1 id -→1 text -→CAST(x'61FF' AS TEXT)"])
    try await other.execute("UPDATE t SET text = CAST(x'61fe' AS TEXT)")
    let row = await changes.next()?.tables.first?.rows.first
    #expect(row?.old("text") == broken && row?.new("text") == .invalidText(Data([0x61, 0xFE])))
    // Texts that differ only in their broken bytes are different keys.
    try await other.execute("INSERT INTO k VALUES (CAST(x'61fe' AS TEXT)), (CAST(x'61ff' AS TEXT))")
    #expect(
      await changes.next()?.tables.first?.rows.map(\.keyValues)
        == [[.invalidText(Data([0x61, 0xFE]))], [broken]])
  }

  @Test("many rows that are changed repeatedly are one change each", arguments: [7, 8, 9, 5_000])
  func netting(rows: Int) async throws {
    let db = try Database.temporary()
    try await db.execute(
      """
      CREATE TABLE number (id INTEGER PRIMARY KEY, x INT);
      CREATE TABLE word (name TEXT, part INT, x INT, PRIMARY KEY (name, part)) WITHOUT ROWID;
      """)
    var changes = db.changes().makeAsyncIterator()
    let range = "WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(rows))"
    try await db.write { tx in
      try tx.execute("INSERT INTO number \(unsafe: range) SELECT i * 65536, 0 FROM n")
      try tx.execute("INSERT INTO word \(unsafe: range) SELECT 'w' || (i / 2), i % 2, 0 FROM n")
      for x in 1...3 {
        try tx.execute("UPDATE number SET x = \(x)")
        try tx.execute("UPDATE word SET x = \(x)")
      }
      try tx.execute("DELETE FROM number WHERE id = 65536")
      try tx.execute("DELETE FROM word WHERE name = 'w1'")
    }
    let reported = try #require(await changes.next())
    let numbers = try #require(reported["number"]).rows
    let words = try #require(reported["word"]).rows
    #expect(numbers.count == rows - 1 && words.count == rows - 2)
    #expect(Set(numbers.map(\.keyValues)).count == rows - 1)
    #expect(Set(words.map(\.keyValues)).count == rows - 2)
    #expect((numbers + words).allSatisfy { $0.kind == .inserted && $0.new("x") == 3 })
    try await db.write { tx in
      for x in [4, 5, 3] {
        try tx.execute("UPDATE number SET x = \(x)")
        try tx.execute("UPDATE word SET x = \(x) WHERE part = 0")
      }
      try tx.execute("UPDATE word SET x = 9 WHERE name = 'w0'")
    }
    let last = try #require(await changes.next())
    #expect(last["number"] == nil)
    #expect(last["word"]?.rows.allSatisfy { $0.old("x") == 3 && $0.new("x") == 9 } == true)
    #expect(last["word"]?.rows.count == 2)
  }
}
