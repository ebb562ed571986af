import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Pebble: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String
  @Column var mass: Double?
  @Column var bytes: [UInt8] = []

  static var schema: Schema<Pebble> { Unique(\.$name) }

  static func make(_ ids: Range<Int>) -> [Pebble] {
    ids.map { Pebble(id: $0, name: "pebble \($0)", mass: $0 % 3 == 0 ? nil : Double($0)) }
  }
}

private struct Coin: Model, Equatable {
  @PrimaryKey var id: Int64?
  @Column var name: String
}

/// Records the statements that a connection ran.
private final class Statements: Sendable {
  private let list = Lock<[String]>([])
  var texts: [String] { list.withLock { $0 } }
  func append(_ text: String) { list.withLock { $0.append(text) } }
}

@Suite("Inserting many models with multi-row statements")
struct InsertManyTests {
  private let db: Database

  init() throws { db = try Specification.database(models: [Pebble.self, Coin.self]) }

  @Test(
    "rows are inserted 32 to a statement, and the remainder one by one",
    arguments: [0, 1, 9, 31, 32, 33, 200])
  func chunks(count: Int) throws {
    let pebbles = Pebble.make(0..<count)
    let statements = Statements()
    try db.write { connection in
      let listener = try connection.onTrace(.statement) { statements.append($0.sql ?? "") }
      let written = try connection.insert(pebbles)
      try connection.remove(listener)
      #expect(written == pebbles)
    }
    let texts = statements.texts.filter { $0.hasPrefix("INSERT") }
    #expect(texts.count == count / 32 + count % 32)
    #expect(statements.texts.count == texts.count + (count > 1 ? 2 : 0))
    #expect(try db.fetch(Pebble.order(by: \.$id)) == pebbles)
    if count >= 32 {
      #expect(
        texts.first
          == #"INSERT INTO "Pebble" ("id", "name", "mass", "bytes") VALUES "#
          + Array(repeating: "(?, ?, ?, ?)", count: 32).joined(separator: ", "))
    }
  }

  @Test(
    "the error names the row that violates a constraint, and the transaction keeps no row")
  func constraint() throws {
    var pebbles = Pebble.make(0..<100)
    pebbles[50].name = "pebble 3"
    let error = #expect(throws: DatabaseError.self) { try db.insert(pebbles) }
    #expect(error?.message == "UNIQUE constraint failed: Pebble.name (row 50)")
    #expect(error?.constraint?.columns == ["name"])
    #expect(try db.count(Pebble.all) == 0)
    try db.write { connection in
      #expect(throws: DatabaseError.self) { try connection.insert(pebbles) }
    }
    #expect(try db.count(Pebble.all) == 0)
  }

  @Test("the error names the column and the row of a value that cannot be stored")
  func unstorable() throws {
    var pebbles = Pebble.make(0..<64)
    pebbles[40].mass = .nan
    try db.write { connection in
      let error = #expect(throws: ColumnValueError.self) { try connection.insert(pebbles) }
      #expect(error?.column == "mass" && error?.row == 40)
    }
    #expect(try db.count(Pebble.all) == 0)
  }

  @Test("an error raised by a trigger's ABORT names the row; FAIL and ROLLBACK are not retried")
  func triggers() throws {
    func trigger(_ word: String) throws {
      try db.execute(
        """
        DROP TRIGGER IF EXISTS stop;
        CREATE TRIGGER stop BEFORE INSERT ON Pebble WHEN new.id = 40
        BEGIN SELECT RAISE(\(unsafe: word)\(unsafe: word == "IGNORE" ? "" : ", 'stop'")); END
        """)
    }
    let pebbles = Pebble.make(0..<64)
    try trigger("ABORT")
    var error = #expect(throws: DatabaseError.self) { try db.insert(pebbles) }
    #expect(error?.message == "stop (row 40)")
    for word in ["FAIL", "ROLLBACK"] {
      try trigger(word)
      error = #expect(throws: DatabaseError.self) { try db.insert(pebbles) }
      #expect(error?.message == "stop")
      #expect(try db.count(Pebble.all) == 0)
    }
    try trigger("IGNORE")
    #expect(throws: WriteIgnored(table: "Pebble", row: 40)) { try db.insert(pebbles) }
    #expect(try db.run(Pebble.insert(pebbles)) == 63)
  }

  @Test(
    "every model gets the key that the database assigned, and the returned copies have no changes")
  func assignedKeys() throws {
    let coins = try db.insert((0..<70).map { Coin(name: "coin \($0)") })
    #expect(coins.map(\.id) == (1...70).map { Int64($0) })
    let pebbles = try db.insert(Pebble.make(0..<70))
    let statements = Statements()
    try db.write { connection in
      let listener = try connection.onTrace(.statement) { statements.append($0.sql ?? "") }
      try connection.update(pebbles[69])
      try connection.remove(listener)
    }
    #expect(statements.texts.allSatisfy { $0.hasPrefix("SELECT") })
  }

  @Test("statements stay within the connection's limit of parameters")
  func parameters() throws {
    try db.write { connection in
      try connection.setLimit(.parameters, to: 50)
      try connection.insert(Pebble.make(0..<64))
      #expect(try connection.count(Pebble.all) == 64)
      try connection.setLimit(.parameters, to: 32_766)
    }
  }
}
