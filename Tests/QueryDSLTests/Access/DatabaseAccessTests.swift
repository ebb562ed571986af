import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// Every operation on a `Database`, from asynchronous code, and on the connection of `read` and
/// `write`.
@Suite("Every operation, synchronous and asynchronous")
struct DatabaseAccessTests {
  let db: Database

  init() throws { db = try Specification.database(models: [Customer.self]) }

  @Test("the database has every operation for asynchronous code")
  func asynchronous() async throws {
    var jane = try await db.insert(Customer(id: 1, name: "Jane"))
    try await db.insert([Customer(id: 2, name: "George"), Customer(id: 3, name: "Ann")])
    jane.name = "Janet"
    jane = try await db.update(jane)
    #expect(!jane.$name.isChanged)
    var others = try await db.fetch(Customer.where { $0.$id > 1 }.order(by: \.$id))
    for index in others.indices { others[index].mail = "m\(index)" }
    try await db.update(others)
    try await db.save(Customer(id: 4, name: "Bob"))
    try await db.save([Customer(id: 4, name: "Bobby"), Customer(id: 5, name: "Eve")])
    #expect(try await db.find(Customer.self, 1)?.name == "Janet")
    #expect(try await db.first(Customer.order(by: \.$id, .descending))?.name == "Eve")
    #expect(try await db.count(Customer.where { $0.$mail != nil }) == 2)
    #expect(try await db.exists(Customer.where { $0.$name == "Bobby" }))
    #expect(try await db.run(Customer.update { $0.$mail = nil }) == 5)
    #expect(try await db.delete(jane))
    #expect(try await db.delete(Customer.self, 2))
    #expect(try await !db.delete(Customer.self, 2))
    #expect(try await db.run(Customer.delete().where { $0.$id == 5 }) == 1)
    #expect(
      try await db.fetch(Customer.self, "SELECT * FROM Customer ORDER BY id").map(\.name)
        == ["Ann", "Bobby"])
    #expect(try await db.fetch((Int, String).self, "SELECT id, name FROM Customer").count == 2)
    #expect(throws: RecordNotFound.self) { try db.update(jane) }
    await #expect(throws: RecordNotFound.self) { try await db.update(jane) }
  }

  @Test("the operations work from the main actor")
  @MainActor
  func mainActor() async throws {
    try await db.insert(Customer(id: 1, name: "Jane"))
    #expect(try await db.find(Customer.self, 1)?.name == "Jane")
    #expect(try await db.fetch(Customer.all).count == 1)
  }

  @Test("connections of read and write have the operations; a transaction reads its own writes")
  func connections() async throws {
    let names = try await db.write { tx in
      try tx.insert(Customer(id: 1, name: "Jane"))
      try tx.save(Customer(id: 2, name: "George"))
      var jane = try tx.find(Customer.self, 1)
      jane?.name = "Janet"
      if let jane { try tx.update(jane) }
      try tx.delete(Customer.self, 2)
      try tx.run(Customer.update { $0.$mail = "m" })
      return try tx.fetch(Customer.select(\.$name))
    }
    #expect(names == ["Janet"])
    let (count, first, exists) = try await db.read { connection in
      (
        try connection.count(Customer.all), try connection.first(Customer.all),
        try connection.exists(Customer.where { $0.$id == 2 })
      )
    }
    #expect(count == 1 && first?.mail == "m" && !exists)
  }

  @Test("writing in read throws, and so does using a connection after its closure")
  func misuse() throws {
    let error = #expect(throws: DatabaseError.self) {
      try db.read { try $0.insert(Customer(id: 1, name: "Jane")) }
    }
    #expect(error?.code.primary == .readOnly)
    var kept: Connection?
    try db.read { kept = $0 }
    #expect(throws: DatabaseError.self) { try kept?.find(Customer.self, 1) }
    #expect(throws: DatabaseError.self) { try kept?.fetch(Customer.all) }
    #expect(throws: DatabaseError.self) { try kept?.insert(Customer(id: 1, name: "x")) }
    #expect(throws: DatabaseError.self) { try kept?.delete(Customer.self, 1) }
    #expect(throws: DatabaseError.self) { try kept?.run(Customer.delete()) }
  }

  @Test("a query may run while the rows of another are read")
  func nested() throws {
    try db.insert((1...3).map { Customer(id: $0, name: "c\($0)") })
    var seen: [Int] = []
    try db.read { connection in
      try connection.forEach("SELECT id FROM Customer ORDER BY id") { row in
        let id = try row.get(Int.self, at: 0)
        seen += try connection.fetch(Customer.where { $0.$id >= id }).map(\.id)
      }
    }
    #expect(seen == [1, 2, 3, 2, 3, 3])
  }
}
