import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Synchronization
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Rebuilds, which keep what no model declares")
struct RebuildTests {
  struct Item: Model, Equatable {
    @PrimaryKey var id: Int64?
    @Column var code: String
    @Column var size: Int
  }

  struct Composite: Model {
    struct ID: Hashable, Sendable {
      var code: String
      var size: Int
    }
    static let tableName = "Item"
    @PrimaryKey var code: String
    @PrimaryKey var size: Int
    @Column var extra: String?
    var id: ID { ID(code: code, size: size) }
  }

  /// Makes a table with everything that a model cannot declare, rows that refer to it, and sizes
  /// stored as text.
  func database() throws -> Database {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (
        id INTEGER PRIMARY KEY AUTOINCREMENT, code VARCHAR(9) NOT NULL DEFAULT 'x' COLLATE NOCASE,
        size TEXT NOT NULL /* a number */, extra TEXT DEFAULT (lower('E')),
        shout TEXT AS (upper(code)) STORED, parent INTEGER REFERENCES Item ON DELETE CASCADE,
        CONSTRAINT short CHECK (length(code) < 9), UNIQUE (code, extra) ON CONFLICT IGNORE
      );
      CREATE INDEX mine ON Item (lower(code) DESC) WHERE size <> '';
      CREATE TABLE Child (itemID INTEGER NOT NULL REFERENCES Item (id) ON DELETE CASCADE);
      CREATE TABLE log (text);
      CREATE TRIGGER gone AFTER DELETE ON Item BEGIN INSERT INTO log VALUES (old.code); END;
      CREATE TRIGGER child AFTER INSERT ON Child BEGIN
        UPDATE Item SET extra = 'child' WHERE id = new.itemID; END;
      CREATE VIEW small AS SELECT id, code FROM Item WHERE size < 5;
      INSERT INTO Item (id, code, size, parent) VALUES (3, 'a', '1', NULL), (7, 'B', '20', 3);
      INSERT INTO Item (id, code, size) VALUES (99, 'z', '0');
      DELETE FROM Item WHERE id = 99;
      INSERT INTO Child VALUES (3), (7);
      ANALYZE;
      """)
    return db
  }

  @Test("a rebuild keeps rowids, references, triggers, views, indexes and undeclared parts")
  func keeps() throws {
    let db = try database()
    // The library's own record of the table is left out.
    let others: SQL = """
      SELECT name, sql FROM sqlite_schema WHERE name NOT IN ('Item', 'apus_schema', 'apus_types')
        AND sql IS NOT NULL ORDER BY name
      """
    let before = try db.rows(others).map(\.values)
    let plan = try db.migrate([Item.self])
    #expect(plan.steps.first?.action == .rebuildTable && plan.steps.first?.kind == .lossless)
    #expect(try db.rows(others).map(\.values) == before)
    #expect(
      try db.row("SELECT sql FROM sqlite_schema WHERE name = 'Item'")?.get(String.self, at: 0)
        == """
        CREATE TABLE "Item" (
          "id" INTEGER PRIMARY KEY AUTOINCREMENT,
          "code" VARCHAR(9) NOT NULL DEFAULT 'x' COLLATE NOCASE,
          "size" INTEGER NOT NULL, /* a number */
          "extra" TEXT DEFAULT (lower('E')),
          "shout" TEXT AS (upper(code)) STORED,
          "parent" INTEGER REFERENCES Item ON DELETE CASCADE,
          CONSTRAINT short CHECK (length(code) < 9),
          UNIQUE (code, extra) ON CONFLICT IGNORE
        )
        """)
    #expect(
      try db.rows("SELECT id, code, size, extra, shout, parent FROM Item").map(\.values) == [
        [3, "a", 1, "child", "A", nil], [7, "B", 20, "child", "B", 3],
      ])
    #expect(try db.row("SELECT count(*) FROM Child")?[0] == 2)
    #expect(try db.rows("SELECT * FROM log").count == 1)
    #expect(try db.rows("SELECT id FROM small").map { $0[0] } == [3])
    #expect(try db.row("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 'Item'")?[0] != 0)
    // AUTOINCREMENT continues its count, and the cascade and the trigger still work.
    #expect(try db.insert(Item(code: "new", size: 2)).id == 100)
    try db.execute("DELETE FROM Item WHERE id = 3")
    #expect(try db.row("SELECT count(*) FROM Child")?[0] == 0)
    #expect(try db.rows("SELECT text FROM log ORDER BY text").map { $0[0] } == ["B", "a", "z"])
    #expect(try db.migrationPlan(for: [Item.self]).isEmpty)
    #expect(try db.row("PRAGMA foreign_keys")?[0] == 1)
  }

  @Test("the plan lists each kept part with the line that drops it")
  func listed() throws {
    let plan = try database().migrationPlan(for: [Item.self])
    #expect(
      plan.steps.filter { $0.line != nil }.map { "\($0.action): \($0.line ?? "")" } == [
        #"keepDeclaration("the trigger gone"): Dropped(trigger: "gone")"#,
        #"keepDeclaration("the collation NOCASE of code"): Dropped(collationOf: \.$code)"#,
        #"keepDeclaration("the default \'x\' of code"): Dropped(defaultOf: \.$code)"#,
        #"keepDeclaration("CONSTRAINT short CHECK (length(code) < 9)"): Dropped(check: "short")"#,
        #"keepDeclaration("UNIQUE (code, extra) ON CONFLICT IGNORE"): Dropped(unique: "code", "extra")"#,
        #"keepColumn("extra"): Dropped("extra")  // loses the values of Item.extra"#,
        #"keepColumn("parent"): Dropped("parent")  // loses the values of Item.parent"#,
        #"keepDeclaration("the index mine"): Dropped(index: "mine")"#,
      ])
  }

  @Test("a rebuild with another primary key, of several columns, keeps every row and rowid")
  func key() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY, code TEXT NOT NULL, size INTEGER NOT NULL);
      INSERT INTO Item VALUES (5, 'a', 1), (9, 'a', 2)
      """)
    try db.migrate([Composite.self])
    #expect(try db.find(Composite.self, Composite.ID(code: "a", size: 2)) != nil)
    #expect(try db.rows("SELECT id FROM Item ORDER BY size").map { $0[0] } == [5, 9])
    #expect(throws: DatabaseError.self) { try db.insert(Composite(code: "a", size: 1)) }
    // The way back, where the old key is the rowid.
    struct Back: Model {
      static let tableName = "Item"
      @PrimaryKey var id: Int
      @Column var code: String
    }
    try db.migrate([Back.self])
    #expect(try db.fetch(Back.order(by: \.$id)).map(\.id) == [5, 9])
  }

  @Test("a newly declared integer key takes the rowids of the rows")
  func newKey() throws {
    let db = try Specification.database()
    try db.execute(
      "CREATE TABLE Item (code TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL)")
    try db.execute("INSERT INTO Item (rowid, code, size) VALUES (4, 'a', 1), (8, 'b', 2)")
    try db.migrate([Item.self])
    #expect(
      try db.fetch(Item.order(by: \.$id)) == [
        Item(id: 4, code: "a", size: 1), Item(id: 8, code: "b", size: 2),
      ])
    #expect(try db.insert(Item(code: "c", size: 3)).id == 9)
  }

  // MARK: Types

  struct Visit: Model, Equatable {
    @PrimaryKey var id: UUID
    @Column var day: Date
    @Column var level: Int
    @Column var ratio: Double
    @Column var text: String
  }

  struct StoredVisit: Model {
    static let tableName = "Visit"
    @PrimaryKey var id: UUID
    @Column var day: Date
    @Column var level: String
    @Column var ratio: Int
    @Column var text: Data
    static var schema: Schema<StoredVisit> {
      Stored(\.$id, as: .bytes)
      Stored(\.$day, as: .iso8601)
    }
  }

  @Test("lossless conversions of types and forms run without a declaration, in both directions")
  func conversions() throws {
    let db = try Specification.database(models: [Visit.self])
    let visit = Visit(
      id: UUID(), day: Date(timeIntervalSince1970: 1.25), level: 5, ratio: 3, text: "é\u{0}")
    try db.insert(visit)
    let plan = try db.migrate([StoredVisit.self])
    #expect(plan.steps.map(\.action) == [.rebuildTable])
    let stored = try #require(try db.find(StoredVisit.self, visit.id))
    #expect(stored.day == visit.day && stored.level == "5" && stored.ratio == 3)
    #expect(stored.text == Data("é\u{0}".utf8))
    #expect(try db.row("SELECT day FROM Visit")?[0] == "1970-01-01T00:00:01.250000Z")
    // Going back is what an older program would do, so it must be requested.
    try db.migrate([Visit.self], MigrationOptions(newerSchema: .replaced))
    #expect(try db.fetch(Visit.all) == [visit])
  }

  // MARK: Copies, progress and written frames

  @Test("a copy of the file is made first if requested and if there is something to migrate")
  func copy() throws {
    let db = try database()
    let path = try #require(db.path) + ".before"
    var options = MigrationOptions(copyPath: path)
    try db.migrate([Item.self], options)
    let copy = try Database(path: path)
    #expect(try copy.row("SELECT size FROM Item WHERE id = 7")?[0] == "20")
    options.copyPath = path + "2"
    try db.migrate([Item.self], options)
    #expect(!FileManager.default.fileExists(atPath: path + "2"))
  }

  @Test("a migration reports its progress, and ends if the progress closure throws")
  func progress() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY, code TEXT NOT NULL, size TEXT NOT NULL);
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
      INSERT INTO Item SELECT i, 'c', '1' FROM n
      """)
    struct Stop: Error {}
    let seen = Mutex<[Int]>([])
    #expect(throws: Stop.self) {
      try db.migrate(
        [Item.self],
        MigrationOptions(progress: { progress in
          guard progress.rowCount > 0 else { return }
          #expect(progress.table == "Item" && progress.rowCount == 25_000)
          seen.withLock { $0.append(progress.copiedRows) }
          if progress.copiedRows == 20_000 { throw Stop() }
        }))
    }
    #expect(seen.withLock { $0 } == [0, 10_000, 20_000])
    #expect(try db.row("SELECT typeof(size) FROM Item")?[0] == "text")
    #expect(try db.rows("SELECT name FROM sqlite_schema").count == 1)
  }

  struct Searched: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int64?
    @Column var code: String
    @Column var size: Int
    static var schema: Schema<Searched> {
      Index(\.$code)
      FullText(\.$code)
    }
  }

  @Test("checks of values, indexes and full-text indexes report how many rows they have read")
  func progressWithinStatements() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY, code TEXT NOT NULL, size INTEGER NOT NULL);
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
      INSERT INTO Item SELECT i, 'c', i FROM n
      """)
    let seen = Mutex<[String: [Int]]>([:])
    var options = MigrationOptions(
      checksValues: true,
      progress: { progress in
        guard progress.rowCount > 0 else { return }
        #expect(progress.table == "Item" && progress.rowCount == 25_000)
        seen.withLock { $0[progress.sql, default: []].append(progress.copiedRows) }
      })
    struct Stop: Error {}
    let whole = options.progress
    for part in ["-- check the values of size", "CREATE INDEX", "INSERT INTO \"Item_search\""] {
      options.progress = { progress in
        if progress.sql.hasPrefix(part), progress.copiedRows > 0 { throw Stop() }
      }
      #expect(throws: Stop.self, "\(part)") { try db.migrate([Searched.self], options) }
      let objects = try db.rows("SELECT name FROM sqlite_schema").count
      #expect(objects == 1)
    }
    options.progress = whole
    try db.migrate([Searched.self], options)
    let reports = seen.withLock { $0 }
    for part in ["-- check the values of size", "CREATE INDEX", "INSERT INTO \"Item_search\""] {
      let rows = reports.first { $0.key.hasPrefix(part) }?.value ?? []
      // Values are checked when the file is compared, and again in the transaction.
      #expect(rows.count >= 2 && rows.first == 0, "\(part): \(rows)")
      #expect(zip(rows, rows.dropFirst()).allSatisfy { $1 == 0 || $0 < $1 }, "\(part): \(rows)")
      #expect(rows.allSatisfy { $0 < 25_000 })
    }
    let isWhole = try db.checkSearchIndex(of: Searched.self)
    #expect(isWhole)
  }

  struct Optional: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int64?
    @Column var code: String
    @Column var size: Int?
  }

  struct Defaulted: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int64?
    @Column var code: String
    @Column var size: Int
    @Column var mood: Temper
    static var schema: Schema<Defaulted> {
      Default(\.$size, 7)
      Default(\.$mood, .calm)
    }
  }

  @Test(
    "adding a column writes at most 8 frames to the log, however many rows the table has",
    arguments: [Optional.self, Item.self, Defaulted.self] as [any Model.Type])
  func frames(_ model: any Model.Type) throws {
    let rows = TestSize.count(small: 50_000, full: 1_000_000)
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY, code TEXT NOT NULL);
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO Item SELECT i, 'c' FROM n
      """)
    func checkpoint() throws -> Int {
      try db.writeWithoutTransaction { connection in
        let row = try connection.row("PRAGMA wal_checkpoint(PASSIVE)")
        return try row?.get(Int.self, at: 1) ?? -1
      }
    }
    try db.writeWithoutTransaction { _ = try $0.rows("PRAGMA wal_checkpoint(TRUNCATE)") }
    let plan = try db.migrate([model], MigrationOptions(missingDefaults: .zeroOrEmpty))
    #expect(plan.steps.first?.action == .addColumn("size"))
    #expect(plan.steps.allSatisfy { $0.rowCount == rows })
    let frames = try checkpoint()
    #expect(frames > 0 && frames <= 8, "\(frames) frames")
    let value: DatabaseValue = model is Optional.Type ? .null : model is Item.Type ? 0 : 7
    #expect(
      try db.row("SELECT count(*) FROM Item WHERE size IS \(value)")?[0] == .integer(Int64(rows)))
  }
}
