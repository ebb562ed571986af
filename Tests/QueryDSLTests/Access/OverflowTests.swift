import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Counter: Model, Equatable {
  @PrimaryKey var id: Int64
  @Column var n: Int64
  @Column var small: Int8?
  @Column var ratio: Double = 0
}

/// The same columns in a table that Apus made, which is STRICT.
private struct StrictCounter: Model {
  @PrimaryKey var id: Int64
  @Column var n: Int64
}

@Suite("Integers beyond 64 bits")
struct OverflowTests {
  private let db: Database

  init() throws {
    db = try Specification.database(models: [StrictCounter.self])
    try db.execute(
      """
      CREATE TABLE Counter (id INTEGER PRIMARY KEY, n INTEGER NOT NULL, small INTEGER, ratio REAL);
      INSERT INTO Counter VALUES (1, 9223372036854775807, NULL, 0), (2, 5, 100, 0);
      """)
    try db.insert(StrictCounter(id: 1, n: .max))
  }

  private func expectUnchanged(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let rows = try db.fetch(Counter.order(by: \.$id))
    let expected = [Counter(id: 1, n: .max), Counter(id: 2, n: 5, small: 100)]
    #expect(rows == expected, sourceLocation: sourceLocation)
  }

  @Test("an update beyond 64 bits throws and stores nothing, though the table is not STRICT")
  func updates() throws {
    let error = #expect(throws: DatabaseError.self) {
      try db.run(
        Counter.update {
          $0.$n += 1; $0.$ratio += 1
        })
    }
    #expect(error?.constraint?.kind == .dataType)
    #expect(error?.constraint?.table == "Counter")
    #expect(error?.constraint?.columns == ["n"])
    #expect(
      error?.message
        == "integer overflow: a result is beyond 64 bits, so nothing was stored: Counter.n")
    for update in [
      Counter.update { $0.$n *= 2 }, Counter.update { $0.$n = $0.$n + $0.$id },
      Counter.update { $0.$n = 0 - $0.$n - 2 },
      Counter.update { $0.$n = (-$0.$n - 2).ifNull(0) },
    ] {
      #expect(throws: DatabaseError.self) { try db.run(update) }
      #expect(throws: DatabaseError.self) { try db.fetch(update.returning(\.$n)) }
      try expectUnchanged()
    }
    #expect(try db.run(Counter.update { $0.$n -= 1 }) == 2)
    #expect(try db.fetch(Counter.select(\.$n).order(by: \.$id)) == [.max - 1, 4])
    #expect(
      try db.run(
        Counter.update {
          $0.$n = $0.$n + 1; $0.$ratio += 0.5
        }) == 2)
    #expect(try db.fetch(Counter.select(\.$ratio)) == [0.5, 0.5])
  }

  @Test("an upsert, an insert of expressions or of a query, and a prepared update throw as well")
  func others() throws {
    #expect(throws: DatabaseError.self) {
      try db.upsert(Counter(id: 1, n: 1), onConflict: \.$id) { $0.$n += $0.new.$n }
    }
    let error = #expect(throws: DatabaseError.self) {
      try db.run(Counter.insert(Counter(id: 1, n: 1)).onConflictUpdate(\.$id) { $0.$n += 1 })
    }
    #expect(error?.constraint?.kind == .dataType)
    #expect(throws: DatabaseError.self) {
      try db.run(
        Counter.insert {
          $0.$id = 3
          $0.$n = Counter.where { $0.$id == 1 }.select { $0.$n + 1 }.subquery().ifNull(0)
        })
    }
    #expect(throws: DatabaseError.self) {
      try db.run(
        Counter.insert(\.$id, \.$n, from: Counter.select { ($0.$id + 10, $0.$n + 1) })
          .onConflictDoNothing())
    }
    try expectUnchanged()
    let more = try db.prepare { (id: SQLParameter<Int64>) in
      Counter.update { $0.$n += 1 }.where { $0.$id == id }
    }
    #expect(throws: DatabaseError.self) { try db.run(more(1)) }
    try expectUnchanged()
    #expect(try db.run(more(2)) == 1)
    try db.execute("UPDATE Counter SET n = 5 WHERE id = 2")
    let copy = Counter.insert(\.$id, \.$n, from: Counter.select { ($0.$id + 10, $0.$n - 1) })
    #expect(try db.run(copy) == 2)
    #expect(
      try db.fetch(Counter.where { $0.$id > 10 }.select(\.$n).order(by: \.$id)) == [.max - 1, 4])
  }

  @Test("a whole REAL within 64 bits is stored as an integer, whether or not the table is STRICT")
  func wholeReals() throws {
    let whole = SQLExpression<Int64>(sql: "round(2.4)")
    let found = try db.run(StrictCounter.update { $0.$n = whole })
    #expect(found == 1)
    let found2 = try db.fetch(StrictCounter.select(\.$n))
    #expect(found2 == [2])
    let found3 = try db.run(Counter.update { $0.$n = whole }.where { $0.$id == 2 })
    #expect(found3 == 1)
    let copy = Counter.insert(\.$id, \.$n, from: Counter.select { ($0.$id + 10, whole) })
    let found4 = try db.run(copy)
    #expect(found4 == 2)
    let found5 = try db.fetch(Counter.select(\.$n).order(by: \.$id))
    #expect(found5 == [.max, 2, 2, 2])
    #expect(
      try db.fetch(String.self, "SELECT DISTINCT typeof(n) FROM Counter") == ["integer"])
    try db.execute("UPDATE Counter SET n = 5 WHERE id = 2; DELETE FROM Counter WHERE id > 2")
    let reals: [SQL] = [
      "2.5", "1e300", "9223372036854775807 + 1", "-9223372036854775807 - 2", "9e999",
    ]
    for real in reals {
      #expect(throws: DatabaseError.self, "\(real)") {
        try db.run(Counter.update { $0.$n = SQLExpression(sql: real) })
      }
    }
    try expectUnchanged()
  }

  @Test("a STRICT table refuses the value itself, by the statement as it is written")
  func strict() throws {
    let update = StrictCounter.update { $0.$n += 1 }
    #expect(try update.sql.text == #"UPDATE "StrictCounter" SET "n" = "n" + ?"#)
    let texts = Lock<[String]>([])
    try db.write { connection in
      let listener = try connection.onTrace(.statement) { event in
        texts.withLock { $0.append(event.sql ?? "") }
      }
      let error = #expect(throws: DatabaseError.self) { try connection.run(update) }
      #expect(error?.constraint?.kind == .dataType)
      #expect(error?.constraint?.columns == ["n"])
      try connection.remove(listener)
    }
    #expect(texts.withLock { $0.last } == #"UPDATE "StrictCounter" SET "n" = "n" + ?"#)
  }

  @Test("a selected sum beyond 64 bits cannot be read as an integer")
  func selected() throws {
    let error = #expect(throws: ColumnValueError.self) {
      try db.fetch(Counter.select { $0.$n + 1 })
    }
    #expect(error?.row == 0)
    #expect(try db.fetch(Counter.where { $0.$n + 1 > 0 }.select(\.$id)).count == 2)
  }
}
