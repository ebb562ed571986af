import ApusHistory
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// A file of the format 1 has entries whose numbers come from AUTOINCREMENT, and an index of their
/// times.
@Suite("Change logs of the former format")
struct LogFormatTests {
  private struct Note: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Note> { Logged() }
  }

  private struct Tag: Model {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Tag> { Logged() }
  }

  /// Creates a file as the library wrote it before, with three entries. The first one is old, and the
  /// second one was applied from a database whose clock is ahead.
  private func former() throws -> Database {
    let db = try Database.temporary()
    try db.execute(SQL(unsafe: Self.tables + Self.table("Note", 86_366_386_430_590)))
    for id in 1...3 {
      try db.execute("INSERT INTO Note VALUES (\(id), 'a')")
      try db.execute("UPDATE Note SET text = 'b'")
      try db.execute("UPDATE apus_log_entry SET isOpen = 0")
    }
    try db.execute(
      """
      UPDATE apus_log_entry SET origin = 'other', originSequence = 7, originEpoch = 9,
      time = time + 3600000000 WHERE sequence = 2
      """)
    try db.execute("UPDATE apus_log_entry SET time = time - 3600000000 WHERE sequence = 1")
    try db.execute("INSERT INTO apus_log_cursor VALUES ('mail', 1)")
    return db
  }

  private func open(_ db: Database, _ models: [any Model.Type]) throws -> Database {
    try Database(path: #require(db.path), models: models)
  }

  /// The objects of the log whose names or texts tell the format.
  private func formerParts(_ db: Database) throws -> [String] {
    try db.fetch(
      String.self,
      """
      SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'
      OR name IN ('apus_log_entry_time', 'apus_log_entry_1') OR sql LIKE '%max("time")%' ORDER BY name
      """)
  }

  private func summary(_ entries: [LogEntry]) -> [String] {
    entries.map { entry in
      let changes = entry.changes.map { "\($0.kind) \($0.keyValues) \($0.changedColumns)" }
      return "\(entry.position) \(entry.date) \(String(describing: entry.origin)) \(changes)"
    }
  }

  @Test("a migration brings a log into the present format with its entries, positions and cursors")
  func converts() throws {
    let old = try former()
    let entries = try summary(old.log.entries())
    #expect(entries.count == 3)
    let plan = try old.migrationPlan(for: [Note.self])
    #expect("\(plan)".contains("the log has a new format"), "\(plan)")
    let db = try open(old, [Note.self])
    let (parts, converted) = try (formerParts(db), summary(db.log.entries()))
    #expect(parts == [] && converted == entries)
    let position = try db.log.cursor("mail").position()
    #expect(position == 1)
    let formats = try db.fetch(Int.self, "SELECT format FROM apus_log")
    #expect(formats == [2])
    let steps = try db.migrationPlan(for: [Note.self]).steps
    #expect(steps.isEmpty)
    // The next entry is newer than the one whose clock was ahead.
    try db.insert(Note(id: 4, text: "c"))
    let all = try db.log.entries()
    #expect(all.map(\.sequence) == [1, 2, 3, 4] && all.map(\.gap) == [nil, nil, nil, nil])
    #expect(all[3].date > all[1].date)
    let purged = try db.log.purge(keeping: .init(age: .seconds(1800)))
    #expect(purged == 1)
  }

  @Test("a log whose entries were all purged goes on with the next number")
  func purged() throws {
    let old = try former()
    try old.execute("UPDATE apus_log SET purged = 3; DELETE FROM apus_log_entry")
    let db = try open(old, [Note.self])
    let position = try db.read { try $0.logPosition() }
    #expect(position == 3)
    let status = try db.log.status()
    #expect(status.count == 0)
    let (after, newest) = try (db.log.entries(after: 3), db.log.newestEntries())
    #expect(after.isEmpty && newest.isEmpty)
    try db.insert(Note(id: 4, text: "c"))
    let next = try db.log.entries(after: 3)
    #expect(next.map(\.sequence) == [4])
  }

  @Test("a log of the present format gives no number and no time twice after all was purged")
  func keepsNewest() throws {
    let db = try Database.temporary(models: [Note.self])
    try db.insert(Note(id: 1, text: "a"))
    try db.execute("UPDATE apus_log_entry SET time = time + 3600000000")
    let first = try #require(try db.log.entries().first)
    let purged = try (0..<2).map { _ in try db.log.purge(keeping: .init(count: 0)) }
    #expect(purged == [1, 0])
    let (status, newest) = try (db.log.status(), db.log.newestEntries())
    #expect(status.count == 0 && newest.isEmpty)
    try db.insert(Note(id: 2, text: "b"))
    let entry = try #require(try db.log.entries(after: first.position).first)
    #expect(entry.sequence == 2 && entry.date > first.date)
    let count = try db.log.status().count
    #expect(count == 1)
  }

  @Test("the index of times stays while triggers of another program's tables search it")
  func otherPrograms() throws {
    let old = try former()
    try old.execute(SQL(unsafe: Self.table("Tag", 1)))
    let triggers = ["delete", "insert", "key", "update"].map { "Tag_log_\($0)" }
    let first = try open(old, [Note.self])
    let parts = try formerParts(first)
    #expect(parts == triggers + ["apus_log_entry_time"])
    // Both programs write one log, with times in order.
    try first.execute("INSERT INTO Tag VALUES (1, 'a')")
    try first.insert(Note(id: 4, text: "c"))
    let entries = try first.log.entries()
    #expect(entries.map(\.sequence) == [1, 2, 3, 4, 5])
    #expect(entries[3].date > entries[1].date && entries[4].date > entries[3].date)
    let second = try open(old, [Tag.self])
    let left = try formerParts(second)
    #expect(left == [])
    try second.insert(Tag(id: 2, text: "b"))
    let last = try second.log.entries().last
    #expect(last?.sequence == 6)
  }

  @Test("a backup of the former format that was restored into an open database is written")
  func restored() throws {
    let old = try former()
    let db = try Database.temporary(models: [Note.self])
    try old.backup(to: db)
    try db.write { tx in
      try tx.setLogAuthor("ada")
      try tx.insert(Note(id: 4, text: "c"))
    }
    let entries = try db.log.entries()
    #expect(entries.map(\.sequence) == [1, 2, 3, 4] && entries[3].author == "ada")
    #expect(entries[3].date > entries[1].date)
    let purged = try db.log.purge(keeping: .init(age: .seconds(1800)))
    #expect(purged == 1)
    try open(db, [Note.self]).insert(Note(id: 5, text: "d"))
    let (parts, after) = try (formerParts(db), db.log.entries(after: entries[0].position))
    #expect(parts == [] && after.map(\.sequence) == [2, 3, 4, 5])
  }
}

extension LogFormatTests {
  @Test("a program of the former format purges the newest entry, and its number is not given again")
  func formerPurge() throws {
    let db = try Database.temporary(models: [Note.self])
    try db.insert([Note(id: 1, text: "a")])
    try db.insert([Note(id: 2, text: "b")])
    let last = try #require(db.log.entries().last?.position)
    // As version 0.1 purges everything.
    try db.execute(
      """
      DELETE FROM apus_log_change WHERE id < (SELECT max(id) FROM apus_log_change);
      DELETE FROM apus_log_entry; UPDATE apus_log SET purged = 2
      """)
    try db.insert(Note(id: 3, text: "c"))
    try db.execute("INSERT INTO Note VALUES (4, 'd')")
    let entries = try db.log.entries(after: last)
    #expect(entries.map(\.sequence) == [3, 4])
    #expect(entries.flatMap(\.changes).map(\.keyValues) == [[3], [4]])
  }

  /// The tables of the format 1.
  private static let tables = """
    CREATE TABLE "apus_log" ("id" INTEGER PRIMARY KEY NOT NULL CHECK ("id" = 1),
      "format" INTEGER NOT NULL, "identity" TEXT NOT NULL, "purged" INTEGER NOT NULL DEFAULT 0,
      "schemaVersion" INTEGER) STRICT;
    INSERT INTO "apus_log" VALUES (1, 1, 'd1ee6d5ed918bc4c3aa53ce84b5aa163', 0, NULL);
    CREATE TABLE "apus_log_entry" ("sequence" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
      "time" INTEGER NOT NULL, "firstChange" INTEGER NOT NULL, "isOpen" INTEGER NOT NULL DEFAULT 1,
      "schemaVersion" INTEGER, "label" TEXT, "author" TEXT, "origin" TEXT, "originSequence" INTEGER,
      "undoes" INTEGER, "gap" TEXT, "originEpoch" INTEGER) STRICT;
    CREATE INDEX "apus_log_entry_time" ON "apus_log_entry" ("time");
    CREATE TABLE "apus_log_change" ("id" INTEGER PRIMARY KEY NOT NULL, "entry" INTEGER NOT NULL,
      "shape" INTEGER NOT NULL, "kind" TEXT NOT NULL, "old1", "new1", "old2", "new2");
    CREATE TABLE "apus_log_shape" ("id" INTEGER PRIMARY KEY NOT NULL, "table" TEXT NOT NULL,
      "columns" TEXT NOT NULL, "key" TEXT NOT NULL) STRICT;
    CREATE TABLE "apus_log_cursor" ("name" TEXT PRIMARY KEY NOT NULL, "sequence" INTEGER NOT NULL)
      STRICT;
    CREATE TABLE "apus_log_epoch" ("first" INTEGER PRIMARY KEY NOT NULL,
      "epoch" INTEGER NOT NULL UNIQUE) STRICT;
    INSERT INTO "apus_log_epoch" VALUES (1, 0);
    """

  /// A table with the triggers of the format 1 that the tests need.
  private static func table(_ name: String, _ shape: Int64) -> String {
    let insertion = #"INSERT INTO "apus_log_change" ("entry", "shape", "kind", "#
    let newest = #"(SELECT max("sequence") FROM "apus_log_entry")"#
    let opening = """
      INSERT INTO "apus_log_entry" ("sequence", "time", "firstChange", "schemaVersion") VALUES (\
      (SELECT "sequence" FROM "apus_log_entry" WHERE "sequence" = \(newest) AND "isOpen"), \
      max(CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + CAST(substr(strftime('%f', 'now'), 4) \
      AS INTEGER) * 1000, coalesce((SELECT max("time") FROM "apus_log_entry") + 1, 0)), \
      coalesce((SELECT max("id") FROM "apus_log_change"), 0) + 1, \
      (SELECT "schemaVersion" FROM "apus_log")) ON CONFLICT ("sequence") DO NOTHING;
      \(insertion)
      """
    return """
      CREATE TABLE "\(name)" ("id" INTEGER PRIMARY KEY NOT NULL, "text" TEXT NOT NULL) STRICT;
      INSERT INTO "apus_log_shape" VALUES (\(shape), '\(name)', '["id","text"]', '["id"]');
      CREATE TRIGGER "\(name)_log_insert" /* Apus log */ AFTER INSERT ON "\(name)" BEGIN
        \(opening) "new1", "new2") VALUES (\(newest), \(shape), 'insert', NEW."id", NEW."text");
      END;
      CREATE TRIGGER "\(name)_log_update" /* Apus log */ AFTER UPDATE ON "\(name)"
      WHEN OLD."text" COLLATE BINARY IS NOT NEW."text" BEGIN
        \(opening) "old1", "old2", "new2")
        VALUES (\(newest), \(shape), 'update', OLD."id", OLD."text", NEW."text");
      END;
      CREATE TRIGGER "\(name)_log_key" /* Apus log */ AFTER UPDATE ON "\(name)"
      WHEN OLD."id" COLLATE BINARY IS NOT NEW."id" BEGIN
        \(opening) "old1", "old2") VALUES (\(newest), \(shape), 'delete', OLD."id", OLD."text");
        \(insertion) "new1", "new2") VALUES (\(newest), \(shape), 'insert', NEW."id", NEW."text");
      END;
      CREATE TRIGGER "\(name)_log_delete" /* Apus log */ AFTER DELETE ON "\(name)" BEGIN
        \(opening) "old1", "old2") VALUES (\(newest), \(shape), 'delete', OLD."id", OLD."text");
      END;

      """
  }
}
