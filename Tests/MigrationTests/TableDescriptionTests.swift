import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Descriptions of existing tables")
struct TableDescriptionTests {
  func description(of table: String, _ sql: SQL) throws -> TableDescription? {
    let db = try Specification.database()
    try db.execute(sql)
    return try db.read { try $0.tableDescription(of: table) }
  }

  @Test("a description has what the pragmas do not tell")
  func everything() throws {
    let table = try #require(
      try description(
        of: "POST",
        """
        CREATE TABLE post (
          id INTEGER PRIMARY KEY, a TEXT NOT NULL COLLATE NOCASE UNIQUE, b INT DEFAULT (1 + 1),
          c INT AS (b * 2) STORED, d REAL /* unixSeconds */, e INT REFERENCES post ON DELETE CASCADE,
          UNIQUE (b COLLATE RTRIM), CONSTRAINT small CHECK (b < 10), CHECK (c > 0),
          FOREIGN KEY (b, c) REFERENCES other (x, y) ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED)
        """))
    #expect(table.name == "post")
    #expect(table.sql.hasPrefix("CREATE TABLE post"))
    #expect(table.keyColumns == ["id"] && table.hasRowIDKey)
    #expect(!table.isStrict && !table.isWithoutRowID)
    #expect(table.columns.map(\.name) == ["id", "a", "b", "c", "d", "e"])
    #expect(table.columns.map(\.type) == ["INTEGER", "TEXT", "INT", "INT", "REAL", "INT"])
    #expect(table.columns[1].isNotNull && table.columns[1].collation == "NOCASE")
    #expect(table.columns[2].defaultText == "(1 + 1)")
    #expect(table.columns[3].expression == "b * 2" && table.columns[3].isStored)
    #expect(table.columns[4].form == .unixSeconds)
    #expect(table.uniqueColumns == [["a"]])
    #expect(table.checks.map(\.condition) == ["b < 10", "c > 0"])
    #expect(table.checks.map(\.name) == ["small", nil])
    #expect(table.foreignKeys.map(\.columns) == [["e"], ["b", "c"]])
    #expect(table.foreignKeys.map(\.target) == ["post", "other"])
    #expect(table.foreignKeys.map(\.targetColumns) == [[], ["x", "y"]])
    #expect(table.foreignKeys.map(\.onDelete) == [.cascade, .noAction])
    #expect(table.foreignKeys.map(\.onUpdate) == [.noAction, .setNull])
    #expect(table.foreignKeys.map(\.isDeferred) == [false, true])
  }

  @Test("options and keys of several columns are described")
  func options() throws {
    let table = try #require(
      try description(
        of: "t", "CREATE TABLE t (a INT, b ANY, PRIMARY KEY (b, a)) STRICT, WITHOUT ROWID"))
    #expect(table.keyColumns == ["b", "a"] && !table.hasRowIDKey)
    #expect(table.isStrict && table.isWithoutRowID)
  }

  @Test("what is no ordinary table has no description")
  func others() throws {
    let sql: SQL = """
      CREATE VIEW v AS SELECT 1;
      CREATE VIRTUAL TABLE s USING fts5 (a)
      """
    for name in ["v", "s", "nothing", "sqlite_schema"] {
      #expect(try description(of: name, sql) == nil)
    }
  }
}
