import SQLCore
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Raw SQL results as a table")
struct ConnectionTableTests {
  let db: Database

  init() throws {
    db = try Database.temporary()
    try db.execute(
      """
      CREATE TABLE item (
        id INTEGER PRIMARY KEY, name VARCHAR(20), weight REAL, picture BLOB, anything
      )
      """)
  }

  @Test("a column has the Swift type of its declaration, and bytes are shown as a count")
  func declared() throws {
    try db.execute(
      """
      INSERT INTO item VALUES
        (1, 'Jane', 1.5, \(Data(count: 16)), 'free'),
        (2, NULL, 2, NULL, 7)
      """)
    #expect(
      try db.table("SELECT * FROM item").description == """
        ┏━━━┳━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┓
        ┃   ┃ id      ┃ name     ┃ weight   ┃ picture  ┃ anything ┃
        ┃   ┃ <Int64> ┃ <String> ┃ <Double> ┃ <Data>   ┃ <String> ┃
        ┡━━━╇━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━┩
        │ 0 │ 1       │ Jane     │ 1.5      │ 16 bytes │ free     │
        │ 1 │ 2       │ nil      │ 2.0      │ nil      │ 7        │
        └───┴─────────┴──────────┴──────────┴──────────┴──────────┘
        2 rows, 5 columns
        """)
  }

  @Test("an expression has the type of its first value that is not NULL")
  func expressions() throws {
    let table = try db.table(
      "SELECT a, NULL AS none, \(3) + 1 AS four FROM (SELECT NULL AS a UNION ALL SELECT 0.5)")
    #expect(table.columns.map(\.name) == ["a", "none", "four"])
    #expect(table.columns.map(\.type) == ["Double", "Any", "Int64"])
    #expect(table.rows == [[nil, nil, "4"], ["0.5", nil, "4"]])
  }

  @Test("without rows, the names and declared types of the columns remain")
  func noRows() throws {
    let table = try db.table("SELECT id, name, id + 1 FROM item")
    #expect(table.columns.map(\.name) == ["id", "name", "id + 1"])
    #expect(table.columns.map(\.type) == ["Int64", "String", "Any"])
    #expect(table.rows.isEmpty)
  }

  @Test("a statement recompiled after a schema change has the new columns")
  func schemaChange() throws {
    try db.execute("INSERT INTO item (id) VALUES (1)")
    try db.write { connection in
      #expect(try connection.table("SELECT * FROM item").columns.count == 5)
      try connection.execute("ALTER TABLE item ADD COLUMN size INTEGER")
      let table = try connection.table("SELECT * FROM item")
      #expect(table.columns.last == ResultTable.Column(name: "size", type: "Int64"))
      #expect(table.rows == [["1", nil, nil, nil, nil, nil]])
    }
  }

  @Test("a table is read from asynchronous code, and an SQL error is thrown")
  func asynchronous() async throws {
    #expect(try await db.table("SELECT 'x' AS x").rows == [["x"]])
    await #expect(throws: DatabaseError.self) { try await db.table("SELECT nothing") }
  }

  @Test("a text that is not UTF-8 is in rows and tables, and throws where it is read as a String")
  func invalidText() throws {
    let sql: SQL = "SELECT 'fine' AS t UNION ALL SELECT CAST(x'FF' AS TEXT)"
    let broken = DatabaseValue.invalidText(Data([0xFF]))
    let rows = try db.rows(sql)
    #expect(rows.map { $0["t"] } == ["fine", broken])
    #expect(rows[1].description == "t: CAST(x'FF' AS TEXT)")
    #expect(try db.table(sql).rows == [["fine"], ["CAST(x'FF' AS TEXT)"]])
    let read = #expect(throws: ColumnValueError.self) { try rows[1]["t", as: String.self] }
    #expect(read?.column == "t")
    #expect(read?.detail?.contains("CAST(column AS BLOB)") == true)
    let error = #expect(throws: ColumnValueError.self) { try db.fetch((String).self, sql) }
    #expect(error?.column == "t")
    #expect(error?.row == 1)
    #expect(error?.detail == read?.detail)
    // The value is written back as it was.
    #expect(try db.row("SELECT typeof(\(broken)) || hex(\(broken))")?[0] == "textFF")
    #expect(
      try db.fetch(Data.self, "SELECT CAST(t AS BLOB) FROM (\(sql))")
        == [Data("fine".utf8), Data([0xFF])])
  }
}
