import Apus
import ApusCluster
import ApusRemote
import ClusterNodes
import Foundation
import Testing

/// Answers of dqlite that are not those of SQLite unless the client takes care of them.
@Suite("Answers of a node")
struct AnswerTests {
  private let db: Database

  init() throws { db = try Database(engine: SharedNodes.get().cluster()) }

  @Test("SQLite's error arrives when RETURNING fails, and when a query fails after some rows")
  func errors() throws {
    try db.execute(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, code UNIQUE); INSERT INTO item VALUES (1, 'a')")
    let error = #expect(throws: DatabaseError.self) {
      try db.write { try $0.rows("INSERT INTO item VALUES (2, 'b'), (3, 'a') RETURNING id, code") }
    }
    #expect(error?.message == "UNIQUE constraint failed: item.code")
    #expect(error?.constraint?.kind == .unique && error?.constraint?.columns == ["code"])
    try db.execute("INSERT INTO item VALUES (2, 'text'), (-9223372036854775808, 'least')")
    let late = #expect(throws: DatabaseError.self) {
      try db.rows("SELECT code, abs(id) FROM item ORDER BY id DESC")
    }
    #expect(late?.message == "integer overflow")
    #expect(try db.rows("SELECT id FROM item").count == 3)
  }

  @Test("a column may be an expression whose text is longer than an answer of dqlite")
  func longNames() throws {
    try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY); INSERT INTO item VALUES (1), (2)")
    let text = "length('" + String(repeating: "é", count: 5_000) + "') + id"
    let rows = try db.rows("SELECT id, \(unsafe: text) FROM item ORDER BY id DESC; -- the sum")
    #expect(rows.map(\.values) == [[2, 5_002], [1, 5_001]])
    let error = #expect(throws: DatabaseError.self) {
      try db.write { try $0.rows("DELETE FROM item RETURNING \(unsafe: text)") }
    }
    #expect(error?.code == .tooBig)
    #expect(try db.rows("SELECT id FROM item").count == 2)
  }

  @Test("values of columns whose declared type dqlite converts are read as they are stored")
  func convertedTypes() throws {
    try db.execute(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, day DATE, seen DATETIME, at timestamp, flag BOOLEAN);
      INSERT INTO item VALUES (1, '2020-01-02', 12.5, x'01', 1), (2, 7, NULL, 'soon', NULL)
      """)
    #expect(
      try db.rows("SELECT * FROM item ORDER BY id").map(\.values) == [
        [1, "2020-01-02", 12.5, .blob(Data([1])), 1], [2, 7, nil, "soon", nil],
      ])
    let error = #expect(throws: DatabaseError.self) {
      try db.write { try $0.rows("DELETE FROM item RETURNING day") }
    }
    #expect(error?.message.hasPrefix("the column day is declared as DATE") == true)
    for query in [
      "/* one */ SELECT day FROM item LIMIT 1", "-- one\nSELECT day FROM item LIMIT 1; -- row",
      "; /* one */ ; SELECT day FROM item LIMIT 1 /* row",
    ] {
      #expect(try db.rows(SQL(unsafe: query)).map(\.values) == [["2020-01-02"]], "\(query)")
    }
    #expect(try db.rows("SELECT id FROM item").count == 2)
  }

  @Test("a result with more columns than dqlite returns is refused")
  func manyColumns() throws {
    func query(_ count: Int) -> SQL {
      SQL(unsafe: "SELECT " + (1...count).map { "\($0) AS c" + "\($0)" }.joined(separator: ", "))
    }
    #expect(try db.row(query(400))?.values.last == 400)
    let error = #expect(throws: DatabaseError.self) { try db.row(query(450)) }
    #expect(error?.code == .tooBig)
  }
}
