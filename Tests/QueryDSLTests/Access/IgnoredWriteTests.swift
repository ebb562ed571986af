import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

private struct Label: Model, Equatable {
  @PrimaryKey var id: Int64?
  @Column var name: String
}

/// A model whose key the program knows.
private struct Seat: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String
}

private struct Sign: Model, Equatable {
  @PrimaryKey var name: String
  var id: String { name }
}

/// A table without a key, with a column that SQLite calculates.
private struct Reading: TableModel, Equatable {
  @Column var name: String
  @Column var length: Int = 0

  static var schema: Schema<Reading> { Generated(\.$length, as: { $0.$name.length() }) }
}

private struct Badge: Codable, Equatable {
  var id: Int64
  var name: String
}

@Suite("Writes that SQLite ignores")
struct IgnoredWriteTests {
  private let db: Database

  init() throws {
    db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Label (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, UNIQUE (name) ON CONFLICT IGNORE);
      CREATE TABLE Seat (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE ON CONFLICT IGNORE);
      CREATE TABLE Sign (name TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
      CREATE TABLE Reading (
        name TEXT NOT NULL UNIQUE ON CONFLICT IGNORE, length INTEGER AS (length(name)));
      CREATE TABLE badges (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE ON CONFLICT IGNORE);
      """)
  }

  private func names() throws -> [String] {
    try db.fetch(String.self, "SELECT id || name FROM Label ORDER BY id")
  }

  @Test("an ignored insert throws, so that no model gets the key of another row")
  func single() throws {
    try db.insert(Label(name: "a"))
    try db.insert(Label(name: "b"))
    let error = #expect(throws: WriteIgnored.self) { try db.insert(Label(name: "a")) }
    #expect(error == WriteIgnored(table: "Label", row: nil))
    #expect(
      error.map(String.init(describing:)) == """
        Label: SQLite ignored the row, so nothing was written: a constraint is declared with \
        ON CONFLICT IGNORE, or a trigger raised IGNORE; if that is expected, count the rows with \
        `run(Label.insert(…))`, or get the outcome of each with \
        `upsert(Label.insert(…).onConflictDoNothing())`
        """)
    #expect(throws: WriteIgnored.self) { try db.save(Label(name: "a")) }
    try db.write { tx in
      #expect(throws: WriteIgnored.self) { try tx.insert(Label(name: "b")) }
      let third = try tx.insert(Label(name: "c"))
      #expect(third.id == 3)
    }
    #expect(try names() == ["1a", "2b", "3c"])
  }

  @Test("asynchronous calls throw the same")
  func asynchronous() async throws {
    try await db.insert([Label(name: "a"), Label(name: "b")])
    await #expect(throws: WriteIgnored(table: "Label", row: nil)) {
      try await db.insert(Label(name: "a"))
    }
    await #expect(throws: WriteIgnored(table: "Label", row: 1)) {
      try await db.insert([Label(name: "c"), Label(name: "a")])
    }
    await #expect(throws: WriteIgnored.self) {
      try await db.update(Label.self, 2) { $0.name = "a" }
    }
    await #expect(throws: WriteIgnored.self) {
      try await db.write(Badge(id: 1, name: "x"), to: "badges")
      try await db.write(Badge(id: 2, name: "x"), to: "badges")
    }
    #expect(try await db.run(Label.insert(Label(name: "a"))) == 0)
    #expect(try await db.fetch(Label.select(\.$name).order(by: \.$id)) == ["a", "b"])
  }

  @Test("the error names the element of an array, and nothing of the array is stored")
  func array() throws {
    try db.write { tx in
      let error = #expect(throws: WriteIgnored.self) {
        try tx.insert([Label(name: "x"), Label(name: "y"), Label(name: "x")])
      }
      #expect(error?.row == 2)
    }
    // Of several rows in one statement, SQLite says only how many it wrote.
    var seats = (0..<70).map { Seat(id: $0, name: "\($0)") }
    seats[40].name = "7"
    let error = #expect(throws: WriteIgnored.self) { try db.insert(seats) }
    #expect(error?.row == 40)
    #expect(try db.count(Label.all) == 0)
    #expect(try db.count(Seat.all) == 0)
  }

  @Test("a caller that expects it gets the number of rows, or the outcome of each and its key")
  func outcomes() throws {
    try db.insert([Label(name: "a"), Label(name: "b")])
    #expect(try db.run(Label.insert(Label(name: "a"))) == 0)
    #expect(try db.run(Label.insert([Label(name: "c"), Label(name: "a")])) == 1)
    #expect(try db.fetch(Label.insert(Label(name: "a")).returning()) == [])
    let upserted = try db.upsert(
      Label.insert([Label(name: "a"), Label(name: "d")]).onConflictDoNothing())
    #expect(upserted.map(\.outcome) == [.unchanged, .inserted])
    #expect(try upserted.map { try $0.id } == [1, 4])
    #expect(try names() == ["1a", "2b", "3c", "4d"])
  }

  @Test("an outcome has no key if the row with the model's key does not exist")
  func outcomeWithoutRow() throws {
    try db.insert(Seat(id: 1, name: "a"))
    let ignored = try db.upsert(Seat.insert([Seat(id: 9, name: "a"), Seat(id: 2, name: "b")]))
    #expect(ignored.map(\.outcome) == [.unchanged, .inserted])
    #expect(throws: RecordNotFound.self) { try ignored[0].id }
    #expect(try ignored[1].id == 2)
    let byKey = try db.upsert(Seat(id: 9, name: "a"), onConflict: \.$id)
    #expect(byKey.outcome == .unchanged)
    #expect(throws: RecordNotFound.self) { try byKey.id }
    #expect(try db.upsert(Seat(id: 1, name: "a"), onConflict: \.$id).id == 1)
  }

  @Test("an update or a save that SQLite ignores throws, and another error if the row is gone")
  func updates() throws {
    try db.insert([Seat(id: 1, name: "a"), Seat(id: 2, name: "b")])
    var seat = try #require(try db.find(Seat.self, 2))
    seat.name = "a"
    let changed = seat
    #expect(throws: WriteIgnored(table: "Seat", row: nil)) { try db.update(changed) }
    #expect(throws: WriteIgnored(table: "Seat", row: 1)) {
      try db.update([Seat(id: 1, name: "a"), changed])
    }
    #expect(throws: WriteIgnored.self) { try db.save(changed) }
    #expect(throws: WriteIgnored(table: "Seat", row: 0)) {
      try db.save([Seat(id: 3, name: "a"), Seat(id: 4, name: "d")])
    }
    #expect(throws: WriteIgnored.self) { try db.update(Seat.self, 2) { $0.name = "a" } }
    #expect(try db.fetch(String.self, "SELECT id || name FROM Seat") == ["1a", "2b"])
    try db.delete(Seat.self, 2)
    #expect(throws: RecordNotFound.self) { try db.update(changed) }
    // A row that has only a key has nothing to update.
    try db.save([Sign(name: "stop"), Sign(name: "stop")])
    #expect(try db.count(Sign.all) == 1)
  }

  @Test("a trigger that raises IGNORE has the same effect, and a deletion says that it did nothing")
  func triggers() throws {
    try db.insert([Seat(id: 1, name: "a")])
    try db.insert([Sign(name: "stop")])
    try db.execute(
      """
      CREATE TRIGGER noInsert BEFORE INSERT ON Seat BEGIN
        INSERT INTO Label (name) VALUES ('elsewhere'); SELECT RAISE(IGNORE);
      END;
      CREATE TRIGGER noUpdate BEFORE UPDATE ON Seat BEGIN SELECT RAISE(IGNORE); END;
      CREATE TRIGGER noDelete BEFORE DELETE ON Seat BEGIN SELECT RAISE(IGNORE); END;
      CREATE TRIGGER noSign BEFORE INSERT ON Sign BEGIN SELECT RAISE(IGNORE); END;
      """)
    #expect(throws: WriteIgnored.self) { try db.insert(Seat(id: 2, name: "b")) }
    let seats = (2..<40).map { Seat(id: $0, name: "\($0)") }
    #expect(throws: WriteIgnored(table: "Seat", row: 0)) { try db.insert(seats) }
    #expect(throws: WriteIgnored.self) { try db.update(Seat(id: 1, name: "c")) }
    #expect(throws: WriteIgnored.self) { try db.save(Seat(id: 1, name: "c")) }
    #expect(throws: WriteIgnored.self) { try db.save(Sign(name: "go")) }
    try db.save(Sign(name: "stop"))
    #expect(try !db.delete(Seat.self, 1))
    #expect(try db.fetch(Seat.all) == [Seat(id: 1, name: "a")])
    #expect(try db.count(Label.all) == 0)
  }

  @Test("the generated columns of a table without a key are those of the row itself")
  func generated() throws {
    #expect(try db.insert(Reading(name: "abc")).length == 3)
    #expect(try db.insert(Reading(name: "abcde")).length == 5)
    #expect(throws: WriteIgnored.self) { try db.insert(Reading(name: "abc")) }
    #expect(throws: WriteIgnored(table: "Reading", row: 1)) {
      try db.insert([Reading(name: "x"), Reading(name: "abc")])
    }
    #expect(try db.count(Reading.all) == 2)
  }

  @Test("a plain struct that SQLite ignored throws, too")
  func plain() throws {
    try db.write(Badge(id: 1, name: "a"), to: "badges")
    try db.write(Badge(id: 1, name: "a"), to: "badges")
    #expect(throws: WriteIgnored(table: "badges", row: nil)) {
      try db.write(Badge(id: 2, name: "a"), to: "badges")
    }
    #expect(throws: WriteIgnored(table: "badges", row: 1)) {
      try db.write([Badge(id: 3, name: "c"), Badge(id: 2, name: "a")], to: "badges")
    }
    #expect(try db.fetch(from: "badges") == [Badge(id: 1, name: "a")])
  }
}
