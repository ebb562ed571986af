import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Updates that write only the changed columns")
struct ConnectionUpdateTests {
  let db: Database
  let customer: Customer

  init() throws {
    db = try Specification.database(models: [Customer.self])
    customer = try db.insert(Customer(id: 1, name: "Jane", mail: "j@apus.dev"))
    // An UPDATE OF trigger fires if its column is in the SET clause, whether or not the value
    // changes.
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

  @Test("an update writes its one changed column and keeps a change that another statement made")
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

  @Test("an update writes two changed columns, but not a column that was set to its old value")
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

  @Test("an update without changes writes nothing, but checks that the row exists")
  func nothing() throws {
    try db.write { connection in
      let before = try connection.totalChangeCount
      let updated = try connection.update(customer)
      #expect(updated == customer)
      #expect(try connection.totalChangeCount == before)
    }
    #expect(try log() == [])
  }

  @Test("updating a deleted row throws RecordNotFound, whether or not the model has changes")
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

  @Test(
    "after a rollback the caller's value still has its changes, and a second update writes them")
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

  @Test("a model whose insertion was rolled back still counts as new")
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

  @Test("update of several models writes all or none, and names the first missing row")
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

  @Test("updating a new value that has the key of a row writes every column")
  func new() throws {
    try db.update(Customer(id: 1, name: "New"))
    #expect(try db.find(Customer.self, 1) == Customer(id: 1, name: "New", mail: nil))
    #expect(try log() == ["mail", "name"])
  }

  @Test("update and save refuse a loaded model with another key, and write no row")
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

  @Test("an update that violates a constraint leaves the row unchanged")
  func constraint() throws {
    try db.insert(Customer(id: 2, name: "George", mail: "g@apus.dev"))
    var customer = customer
    customer.mail = "g@apus.dev"
    let error = #expect(throws: DatabaseError.self) { try db.update(customer) }
    #expect(error?.constraint?.columns == ["mail"])
    #expect(try db.find(Customer.self, 1)?.mail == "j@apus.dev")
  }
}
