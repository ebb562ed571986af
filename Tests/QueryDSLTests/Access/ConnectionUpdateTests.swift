import QueryDSL
import SQLCore
import Testing

@Suite("update writes the changed columns alone")
struct ConnectionUpdateTests {
  let db: Database
  let customer: Customer

  init() throws {
    db = try Database.temporary(models: [Customer.self])
    customer = try db.insert(Customer(id: 1, name: "Jane", mail: "j@apus.dev"))
    // A trigger on a column fires where the column stands in the SET, changed or not.
    try db.execute(
      """
      CREATE TABLE log (columnName TEXT);
      CREATE TRIGGER ofName AFTER UPDATE OF name ON Customer
        BEGIN INSERT INTO log VALUES ('name'); END;
      CREATE TRIGGER ofMail AFTER UPDATE OF mail ON Customer
        BEGIN INSERT INTO log VALUES ('mail'); END;
      CREATE TRIGGER ofID AFTER UPDATE OF id ON Customer
        BEGIN INSERT INTO log VALUES ('id'); END
      """)
  }

  func log() throws -> [String] {
    defer { try? db.execute("DELETE FROM log") }
    return try db.rows("SELECT columnName FROM log ORDER BY 1").map { try $0.get(at: 0) }
  }

  @Test("UPDATE names one changed column; another connection's change of the other survives")
  func oneColumn() throws {
    var customer = customer
    customer.name = "Janet"
    try db.execute("UPDATE Customer SET mail = 'other@apus.dev'")
    _ = try log()
    try db.update(customer)
    #expect(try log() == ["name"])
    let found = try #require(try db.find(Customer.self, 1))
    #expect(found.name == "Janet" && found.mail == "other@apus.dev")
  }

  @Test("two changed columns; none that was set to what it was")
  func twoColumns() throws {
    var customer = customer
    customer.mail = nil
    customer.name = "Jane"
    try db.update(customer)
    #expect(try log() == ["mail"])
    customer.name = "X"
    try db.update(customer)
    #expect(try log() == ["mail", "name"])
  }

  @Test("no changed column: nothing is written, and the row is looked for")
  func nothing() throws {
    try db.write { connection in
      let before = try connection.totalChangeCount
      let updated = try connection.update(customer)
      #expect(updated == customer)
      #expect(try connection.totalChangeCount == before)
    }
    #expect(try log() == [])
  }

  @Test("a row deleted meanwhile throws RecordNotFound, also where nothing was changed")
  func deleted() throws {
    try db.execute("DELETE FROM Customer")
    let unchanged = #expect(throws: RecordNotFound.self) { try db.update(customer) }
    #expect(unchanged?.table == "Customer" && unchanged?.key == "1")
    var changed = customer
    changed.name = "X"
    #expect(throws: RecordNotFound.self) { try db.update(changed) }
    #expect(
      unchanged.map { "\($0)" } == "Customer: there is no row with the key 1")
  }

  @Test("after a rollback the caller's value still holds its changes; a second update writes them")
  func rollback() throws {
    struct Stop: Error {}
    var customer = customer
    customer.name = "Janet"
    #expect(throws: Stop.self) {
      try db.write { connection in
        let updated = try connection.update(customer)
        #expect(!updated.$name.isChanged)
        throw Stop()
      }
    }
    #expect(customer.$name.isChanged)
    #expect(try db.find(Customer.self, 1)?.name == "Jane")
    try db.update(customer)
    #expect(try db.find(Customer.self, 1)?.name == "Janet")
  }

  @Test("a rolled-back insertion leaves the caller's value new")
  func rolledBackInsertion() throws {
    let other = Customer(id: 2, name: "George")
    try db.write { connection in
      try connection.insert(other)
      try connection.requestRollback()
    }
    #expect(other.$name.isChanged)
    try db.save(other)
    #expect(try db.find(Customer.self, 2) == other)
  }

  @Test("several: all or none in a transaction of their own; the first that is gone is named")
  func several() throws {
    var models = try db.insert((2...4).map { Customer(id: $0, name: "c\($0)") })
    for index in models.indices { models[index].name += "!" }
    #expect(try db.update(models).allSatisfy { !$0.$name.isChanged })
    #expect(try db.find(Customer.self, 4)?.name == "c4!")
    try db.delete(Customer.self, 3)
    for index in models.indices { models[index].name = "x" }
    let error = #expect(throws: RecordNotFound.self) { try db.update(models) }
    #expect(error?.key == "3")
    #expect(try db.find(Customer.self, 2)?.name == "c2!")
  }

  @Test("a new value with the key of a row updates every column of it")
  func new() throws {
    try db.update(Customer(id: 1, name: "New"))
    #expect(try db.find(Customer.self, 1) == Customer(id: 1, name: "New", mail: nil))
    #expect(try log() == ["mail", "name"])
  }

  @Test("a loaded model with another key is refused, and neither row is written")
  func otherKey() throws {
    try db.insert(Customer(id: 2, name: "George", mail: nil))
    var moved = customer
    moved.id = 2
    moved.mail = "k@apus.dev"
    #expect(throws: KeyChanged.self) { try db.update(moved) }
    #expect(throws: KeyChanged.self) { try db.save(moved) }
    moved.id = 3
    #expect(throws: KeyChanged.self) { try db.save(moved) }
    #expect(try db.find(Customer.self, 1) == customer)
    #expect(try db.find(Customer.self, 2) == Customer(id: 2, name: "George", mail: nil))
    #expect(try db.find(Customer.self, 3) == nil)
  }

  @Test("an update that breaks a constraint leaves the row")
  func constraint() throws {
    try db.insert(Customer(id: 2, name: "George", mail: "g@apus.dev"))
    var customer = customer
    customer.mail = "g@apus.dev"
    let error = #expect(throws: DatabaseError.self) { try db.update(customer) }
    #expect(error?.constraint?.columns == ["mail"])
    #expect(try db.find(Customer.self, 1)?.mail == "j@apus.dev")
  }
}
