import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Policies for changes of the schema")
struct SchemaPolicyTests {
  struct Note: Model {
    @PrimaryKey var id: Int
    @Column var text: String
  }

  struct WiderNote: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var text: String
    @Column var stars: Int
    static var schema: Schema<WiderNote> { Default(\.$stars, 0) }
  }

  let file: Database

  init() throws {
    file = try Specification.database(models: [Note.self])
    try file.insert(Note(id: 1, text: "a"))
  }

  func open(_ policy: SchemaPolicy, _ models: [any Model.Type]) throws -> Database {
    var configuration = Configuration()
    configuration.schemaPolicy = policy
    return try Specification.reopen(file, models: models, configuration: configuration)
  }

  @Test("the policy locked throws with the plan if the schema differs, and changes nothing")
  func lockedMismatch() throws {
    for models: [any Model.Type] in [[WiderNote.self], [Note.self, Album.self]] {
      let error = #expect(throws: MigrationError.self) { try open(.locked, models) }
      #expect(error?.plan.steps.count == 1)
      #expect(error?.reason == "the schema is locked by `Configuration.schemaPolicy`")
    }
    #expect(try file.columnNames(of: "Note") == ["id", "text"])
  }

  @Test(
    "the policy locked denies CREATE, ALTER, DROP and ATTACH everywhere, but not changes of rows")
  func locked() throws {
    let db = try open(.locked, [Note.self])
    for sql: SQL in [
      "CREATE TABLE t (x)", "CREATE INDEX i ON Note (text)", "CREATE VIEW v AS SELECT 1",
      "CREATE TRIGGER g AFTER INSERT ON Note BEGIN SELECT 1; END", "ALTER TABLE Note ADD COLUMN x",
      "ALTER TABLE Note RENAME TO Other", "DROP TABLE Note", "ATTACH ':memory:' AS other",
      "CREATE VIRTUAL TABLE f USING fts5(x)",
    ] {
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql) }
      #expect(error?.code == .notAuthorized, "\(sql)")
      #expect(error?.message.contains("schemaPolicy") == true, "\(sql)")
      #expect(throws: DatabaseError.self, "\(sql)") {
        try db.writeWithoutTransaction { try $0.execute(sql) }
      }
      #expect(throws: DatabaseError.self, "\(sql)") { try db.read { try $0.execute(sql) } }
    }
    #expect(throws: MigrationError.self) { try db.migrate([WiderNote.self]) }
    try db.insert(Note(id: 2, text: "b"))
    try db.write { connection in
      try connection.execute("CREATE TEMP TABLE scratch (x); INSERT INTO scratch VALUES (1)")
    }
    #expect(try db.count(Note.all) == 2)
    try db.vacuum()
    try db.writeWithoutTransaction {
      try $0.execute("PRAGMA user_version = 3; /* now */ VACUUM")
    }
  }

  @Test("the policy validated does not create the table of writes with a key")
  func keyedWrites() throws {
    let db = try open(.validated, [Note.self])
    let error = #expect(throws: DatabaseError.self) { try db.write(id: "a") { _ in } }
    #expect(error?.code == .notAuthorized)
    #expect(error?.message.contains("CREATE TABLE IF NOT EXISTS \"apus_write\"") == true)
    let line = try #require(error?.message.split(separator: "run once: ").last)
    try db.execute(SQL(unsafe: String(line)))
    let found = try db.write(id: "a") { _ in }.isRepeated
    #expect(found == false)
    let found2 = try db.write(id: "a") { _ in }.isRepeated
    #expect(found2 == true)
  }

  @Test(
    "VACUUM and VACUUM INTO work under each policy",
    arguments: [.automatic, .validated, .locked, .lockedTables(["note"])] as [SchemaPolicy])
  func vacuum(_ policy: SchemaPolicy) throws {
    let db = try open(policy, [Note.self])
    try db.writeWithoutTransaction { try $0.execute("VACUUM") }
    let copy = try #require(file.path) + ".copy"
    try db.writeWithoutTransaction { try $0.execute("VACUUM INTO \(copy)") }
    #expect(try Database(path: copy, models: [Note.self]).count(Note.all) == 1)
    // The permission that VACUUM needs does not extend to other statements.
    guard policy.locks("Note") else { return }
    #expect(throws: DatabaseError.self) { try db.execute("DROP TABLE Note") }
  }

  @Test("with some tables locked, the others are migrated and can be changed")
  func lockedTables() throws {
    try file.execute(
      "CREATE INDEX mine ON Note (text); CREATE TRIGGER g AFTER INSERT ON Note BEGIN SELECT 1; END")
    let db = try open(.lockedTables(["note"]), [Note.self, Album.self])
    try db.execute("CREATE TABLE t (x)")
    for sql: SQL in [
      "DROP TABLE Note", "CREATE INDEX i ON Note (text)", "ALTER TABLE note ADD x",
      "ALTER TABLE Note RENAME TO other", "ALTER TABLE Note DROP COLUMN text", "DROP INDEX mine",
      "DROP TRIGGER g", "CREATE TRIGGER h AFTER INSERT ON Note BEGIN SELECT 1; END",
    ] {
      let error = #expect(throws: DatabaseError.self, "\(sql)") { try db.execute(sql) }
      #expect(error?.code == .notAuthorized, "\(sql)")
    }
    try db.execute("CREATE INDEX i ON t (x); ALTER TABLE t ADD y; DROP TABLE t")
    try db.insert(Note(id: 2, text: "b"))
    #expect(throws: MigrationError.self) { try db.migrate([WiderNote.self]) }
    #expect(try db.count(Album.all) == 0)
  }

  @Test(
    "the policy validated throws with the plan when opening, and allows the user's own statements")
  func validated() throws {
    let error = #expect(throws: MigrationError.self) { try open(.validated, [WiderNote.self]) }
    #expect(error?.plan.steps.map(\.action) == [.addColumn("stars")])
    let db = try open(.validated, [Note.self])
    try db.execute("ALTER TABLE Note ADD COLUMN stars INTEGER NOT NULL DEFAULT 0")
    #expect(try open(.validated, [WiderNote.self]).count(WiderNote.all) == 1)
    try db.migrate([Album.self])
    #expect(try db.count(Album.all) == 0)
  }
}
