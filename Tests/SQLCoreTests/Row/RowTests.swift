import Foundation
import SQLCore
import Testing

@Suite("Rows")
struct RowTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.execute(
      """
      CREATE TABLE animal (name TEXT, legs INTEGER, weight REAL, picture BLOB, owner TEXT) STRICT;
      INSERT INTO animal VALUES (\("dog"), \(4), \(7.5), \(Data([1, 2])), NULL)
      """)
  }

  @Test("a value is read by index and by name, from SQLite's row and from its copy")
  func reading() throws {
    let row = try #require(try db.row("SELECT * FROM animal"))
    #expect(try row.get(String.self, at: 0) == "dog")
    #expect(try row.get(Int.self, named: "legs") == 4)
    #expect(try row["WEIGHT", as: Double.self] == 7.5)
    #expect(try row[3, as: Data.self] == Data([1, 2]))
    #expect(try row[4, as: String?.self] == nil)
    let legs: Int8 = try row.get(named: "Legs")
    #expect(legs == 4)
    try db.read { connection in
      try connection.forEach("SELECT * FROM animal") { row in
        // A row that cannot be copied cannot be captured by an expectation either.
        let name = try row.get(String.self, at: 0)
        let legs = try row.get(Int.self, named: "LEGS")
        let owner = try row.get(String?.self, named: "owner")
        let picture = try row.databaseValue(at: 3)
        let names = row.columnNames
        let count = row.count
        #expect(name == "dog")
        #expect(legs == 4)
        #expect(owner == nil)
        #expect(picture == .blob(Data([1, 2])))
        #expect(names == ["name", "legs", "weight", "picture", "owner"])
        #expect(count == 5)
      }
    }
  }

  @Test("a value is read untyped by index and by name, and a missing column is nil")
  func values() throws {
    let row = try #require(try db.row("SELECT * FROM animal"))
    #expect(row[0] == "dog")
    #expect(row["legs"] == 4)
    #expect(row["owner"] == .null)
    #expect(row[5] == nil)
    #expect(row[-1] == nil)
    #expect(row["tail"] == nil)
    #expect(row.count == 5)
    #expect(row.values == ["dog", 4, 7.5, .blob(Data([1, 2])), nil])
    #expect(
      row.description == "name: 'dog', legs: 4, weight: 7.5, picture: x'0102', owner: NULL")
  }

  @Test("a type of the user's own can be stored and read")
  func ownConversion() throws {
    struct Color: ColumnValue, Equatable {
      var rgb: UInt32
      static var storageClass: StorageClass { .integer }
      init(rgb: UInt32) { self.rgb = rgb }
      init(_ cell: borrowing Cell) throws { rgb = try UInt32(cell) }
      func databaseValue(as form: StoredForm) throws -> DatabaseValue { .integer(Int64(rgb)) }
    }
    let red = Color(rgb: 0xFF0000)
    #expect(try db.row("SELECT \(red) AS color")?["color", as: Color.self] == red)
    try expectRoundTrip([red, Color(rgb: .max)])
    #expect(throws: ColumnValueError.self) { try db.row("SELECT -1")?.get(Color.self, at: 0) }
  }

  @Test("a NULL throws and names the column unless the type is optional")
  func null() throws {
    let row = try #require(try db.row("SELECT * FROM animal"))
    let error = #expect(throws: ColumnValueError.self) { try row.get(String.self, named: "owner") }
    #expect(
      error?.description == "owner: expected TEXT, found NULL; an optional type would accept it")
    #expect(try row.get(String?.self, named: "owner") == nil)
    #expect(try row.get(String?.self, named: "name") == "dog")
  }

  @Test("an index or a name that does not exist throws", arguments: [-1, 5, Int.max, .min])
  func range(index: Int) throws {
    let row = try #require(try db.row("SELECT * FROM animal"))
    let error = #expect(throws: DatabaseError.self) { try row.get(Int.self, at: index) }
    #expect(error?.code == .range)
    #expect(error?.message == "there is no column \(index): the row has 5 columns, counted from 0")
    let name = #expect(throws: DatabaseError.self) { try row["tail", as: Int.self] }
    #expect(
      name?.message
        == #"there is no column "tail"; the columns are name, legs, weight, picture, owner"#)
    try db.read { connection in
      try connection.forEach("SELECT * FROM animal") { row in
        do {
          _ = try row.get(Int.self, at: index)
          Issue.record("no error")
        } catch let error as DatabaseError {
          #expect(error.code == .range)
        }
      }
    }
  }

  @Test("columns that share a name are read by index, not by name")
  func duplicates() throws {
    let row = try #require(try db.row("SELECT 1 AS a, 2 AS a, 3 AS A, 4 AS b"))
    #expect(row.columnNames == ["a", "a", "A", "b"])
    #expect(row.values == [1, 2, 3, 4])
    #expect(row["a"] == nil)
    #expect(row["A"] == nil)
    #expect(row["b"] == 4)
    let error = #expect(throws: DatabaseError.self) { try row["A", as: Int.self] }
    #expect(error?.code == .range)
    #expect(
      error?.message == """
        several columns of the result are called "A"; select only one of them, or give the others \
        different names, as in `Author.A AS author_A`
        """)
    #expect(throws: DatabaseError.self) { try row.get(Int.self, named: "a") }
    try db.read { connection in
      try connection.forEach("SELECT 1 AS a, 2 AS a, 3 AS b") { row in
        #expect(try row.get(Int.self, named: "B") == 3)
        do {
          _ = try row.get(Int.self, named: "a")
          Issue.record("no error")
        } catch let error as DatabaseError {
          #expect(error.code == .range)
        }
      }
      let statement = try connection.prepare("SELECT 1 AS a, 2 AS a, 3 AS b")
      #expect(try statement.step())
      #expect(throws: DatabaseError.self) { try statement.get(Int.self, named: "a") }
      #expect(try statement.get(Int.self, named: "b") == 3)
    }
    #expect(try row[1, as: Int.self] == 2)
    let join = try db.row("SELECT * FROM animal x JOIN animal y USING (legs)")
    #expect(join?.count == 9)
    #expect(join?.columnNames.count(where: { $0 == "name" }) == 2)
  }

  @Test("names are compared as in SQLite: without case for ASCII letters, with case for others")
  func names() throws {
    let row = try #require(try db.row("SELECT 1 AS Äb, 2 AS äB"))
    #expect(row["ÄB"] == 1)
    #expect(row["äb"] == 2)
  }

  @Test("a row can be kept and sent to another task")
  func kept() async throws {
    let rows = try await db.rows("SELECT name FROM animal")
    let name = try await Task.detached { try rows[0].get(String.self, at: 0) }.value
    #expect(name == "dog")
  }

  @Test("tuples are typed by position, and a wrong number of types throws")
  func tuples() throws {
    let rows = try db.fetch((String, Int, String?).self, "SELECT name, legs, owner FROM animal")
    #expect(rows.count == 1)
    #expect(rows[0] == ("dog", 4, nil))
    #expect(try db.fetch((Int).self, "SELECT legs FROM animal") == [4])
    for sql: SQL in ["SELECT 1", "SELECT 1, 2, 3", "SELECT 1 WHERE 0"] {
      let error = #expect(throws: DatabaseError.self) { try db.fetch((Int, Int).self, sql) }
      #expect(error?.code == .range)
    }
    let error = #expect(throws: ColumnValueError.self) {
      try db.fetch((String, String).self, "SELECT name, legs FROM animal")
    }
    #expect(error?.description == "legs, row 0: expected TEXT, found INTEGER")
  }

  @Test("a tuple of the wrong size is refused before a statement writes")
  func tupleOfWriting() throws {
    let error = #expect(throws: DatabaseError.self) {
      try db.writeWithoutTransaction {
        try $0.fetch((Int, Int).self, "INSERT INTO animal (legs) VALUES (2) RETURNING legs")
      }
    }
    #expect(error?.code == .range)
    #expect(try db.row("SELECT count(*) FROM animal")?[0] == 1)
  }

  @Test("a closure runs once for each row, and its error or SQLite's ends the statement")
  func forEach() throws {
    struct Failure: Error {}
    try db.read { connection in
      var seen: [Int] = []
      try connection.forEach("SELECT value FROM json_each('[1,2,3]')") {
        seen.append(try $0.get(at: 0))
      }
      #expect(seen == [1, 2, 3])
      #expect(throws: Failure.self) {
        try connection.forEach("SELECT value FROM json_each('[1,2,3]')") { _ in throw Failure() }
      }
      seen = []
      let error = #expect(throws: DatabaseError.self) {
        try connection.forEach(
          "SELECT abs(value) FROM json_each('[1,2,-9223372036854775808,4]')"
        ) { seen.append(try $0.get(at: 0)) }
      }
      #expect(error?.message == "integer overflow")
      #expect(seen == [1, 2])
      // A fetch that stops at an error throws and returns no partial result.
      #expect(throws: DatabaseError.self) {
        try connection.rows("SELECT abs(value) FROM json_each('[1,2,-9223372036854775808,4]')")
      }
    }
  }
}
