import Foundation
import Testing

@testable import SQLCore

@Suite("Bound arrays of any size")
struct ArrayTableTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.connection()
    try connection.execute(
      """
      CREATE TABLE animal (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
      CREATE INDEX animal_name ON animal (name);
      INSERT INTO animal (name)
        VALUES ('dog'), ('dragon'), ('hedgehog'), ('cat'), ('swift'), ('a' || char(0) || 'b')
      """)
  }

  private func named(_ values: [DatabaseValue]) -> SQL {
    SQL(
      text: "SELECT name FROM animal WHERE name IN (SELECT value FROM apus_array(?)) ORDER BY name",
      bindings: [.array(BoundArray(values))])
  }

  @Test("IN with a bound array finds the matching rows")
  func few() throws {
    try connection.execute("DELETE FROM animal WHERE name = 'dragon'")
    let rows = try connection.rows(named(["dog", "dragon", "hedgehog"]))
    #expect(rows.map { $0[0] } == ["dog", "hedgehog"])
  }

  @Test("arrays of 0, 1 and 100,000 values share one statement")
  func sizes() throws {
    let before = try connection.statementCacheStatistics
    #expect(try connection.rows(named([])).isEmpty)
    #expect(try connection.rows(named(["swift"])).map { $0[0] } == ["swift"])
    let many = (0..<100_000).map { DatabaseValue.text("x\($0)") } + ["cat", "dog"]
    #expect(try connection.rows(named(many)).map { $0[0] } == ["cat", "dog"])
    let after = try connection.statementCacheStatistics
    #expect(after.misses == before.misses + 1)
    #expect(after.hits == before.hits + 2)
  }

  @Test("the array is released after the statement")
  func released() throws {
    weak var held: BoundArray?
    do {
      let array = BoundArray(["dog"])
      held = array
      _ = try connection.rows(
        SQL(text: "SELECT value FROM apus_array(?)", bindings: [.array(array)]))
    }
    #expect(held == nil)
    do {
      let array = BoundArray(["dog"])
      held = array
      // The statement has no such parameter.
      #expect(throws: DatabaseError.self) {
        try connection.rows(SQL(text: "SELECT 1", bindings: [.array(array)]))
      }
    }
    #expect(held == nil)
  }

  @Test("values of every storage class are read back unchanged, in order")
  func storageClasses() throws {
    let values: [DatabaseValue] = [
      .integer(.min), 1.5, "a\u{0}b", "", .blob(Data([0, 1])), .blob(Data()), nil, .integer(.max),
      1,
      1, .real(.infinity),
    ]
    let rows = try connection.rows(
      SQL(
        text: "SELECT rowid, value, typeof(value) FROM apus_array(?)",
        bindings: [.array(BoundArray(values))]))
    #expect(rows.map { $0[1] } == values)
    #expect(rows.map { $0[0] } == values.indices.map { .integer(Int64($0)) })
    #expect(try connection.rows(named(["a\u{0}b"])).map { $0[0] } == ["a\u{0}b"])
    #expect(try connection.rows(named([1, .blob(Data("dog".utf8)), nil])).isEmpty)
  }

  @Test("IN with a bound array uses an index on the column")
  func index() throws {
    var sql: SQL = "EXPLAIN QUERY PLAN "
    sql.append(named(["dog"]))
    let plan = try connection.rows(sql).map { try $0.get(String.self, named: "detail") }
    #expect(plan.contains { $0.hasPrefix("SEARCH animal USING COVERING INDEX animal_name") })
    #expect(!plan.contains { $0.hasPrefix("SCAN animal") })
  }

  @Test("an array can be bound twice, joined, and read by nested statements")
  func several() throws {
    let array = BoundArray([1, 2, 3])
    let sum = try connection.row(
      SQL(
        text: """
          SELECT sum(a.value * b.value) FROM apus_array(?) a JOIN apus_array(?) b
          """, bindings: [.array(array), .array(array)]))
    #expect(sum?[0] == 36)
    var count = 0
    let sql = SQL(text: "SELECT value FROM apus_array(?)", bindings: [.array(array)])
    try connection.forEach(sql) { _ in try connection.forEach(sql) { _ in count += 1 } }
    #expect(count == 9)
    let reversed = SQL(
      text: "SELECT value FROM apus_array(?) WHERE value > 1 ORDER BY value DESC LIMIT 1",
      bindings: [.array(array)])
    #expect(try connection.row(reversed)?[0] == 3)
  }

  @Test("any other argument gives no rows, and SQL cannot create such a table")
  func notAnArray() throws {
    #expect(try connection.rows("SELECT value FROM apus_array(\(7))").isEmpty)
    #expect(try connection.rows("SELECT value FROM apus_array('apus-array')").isEmpty)
    #expect(try connection.rows("SELECT value FROM apus_array(NULL)").isEmpty)
    #expect(try connection.rows("SELECT value FROM apus_array").isEmpty)
    #expect(throws: DatabaseError.self) {
      try connection.execute("CREATE VIRTUAL TABLE mine USING apus_array")
    }
    #expect(throws: DatabaseError.self) { try connection.execute("DELETE FROM apus_array") }
  }

  @Test(
    "an interpolated array is one parameter, whatever its size, in IN and in a join"
  )
  func interpolated() throws {
    try connection.execute("DELETE FROM animal WHERE name = 'dragon'")
    func named(_ names: [String]) throws -> [DatabaseValue] {
      try connection.rows("SELECT name FROM animal WHERE name IN \(array: names) ORDER BY name")
        .map { $0.values[0] }
    }
    let before = try connection.statementCacheStatistics
    #expect(try named(["dog", "dragon", "hedgehog"]) == ["dog", "hedgehog"])
    #expect(try named(["dog"]) == ["dog"])
    #expect(try named((0..<100_000).map { "x\($0)" } + ["cat"]) == ["cat"])
    #expect(try connection.statementCacheStatistics.misses == before.misses + 1)
    let ids = [2, 1]
    #expect(
      try connection.rows(
        "SELECT name FROM \(array: ids) AS wanted JOIN animal ON id = wanted.value"
      ).count == 1)
    let error = #expect(throws: ColumnValueError.self) {
      try connection.rows("SELECT \(array: [Double.nan])")
    }
    #expect(error != nil)
  }

  @Test("a prepared statement takes arrays and zero-filled BLOBs")
  func prepared() throws {
    let select = try connection.prepare(
      "SELECT name FROM animal WHERE id IN (SELECT value FROM apus_array(?))")
    try select.bind(array: [4], at: 1)
    #expect(try select.step())
    #expect(try select.get(String.self, at: 0) == "cat")
    try select.bind(array: Array(100..<300), at: 1)
    #expect(try !select.step())
    #expect(throws: DatabaseError.self) { try select.bind(array: [1], at: 2) }
    #expect(
      try connection.row("SELECT length(\(zeroBlob: 1_000_000)), \(zeroBlob: 2)")?.values
        == [1_000_000, .blob(Data([0, 0]))])
    let blob = try connection.prepare("SELECT hex(?)")
    try blob.bind(zeroBlob: 3, at: 1)
    #expect(try blob.step())
    #expect(try blob.get(String.self, at: 0) == "000000")
    #expect(throws: ColumnValueError.self) { try blob.bind(zeroBlob: -1, at: 1) }
  }
}
