import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Insert, save and delete")
struct ConnectionWriteTests {
  let db: Database

  init() throws {
    db = try Specification.database(models: [Customer.self, Order.self, Line.self])
  }

  @Test("save inserts a model with a new key and updates the row of an existing key")
  func save() throws {
    try db.save(Customer(id: 1, name: "Jane", mail: "j"))
    try db.save(Customer(id: 1, name: "Janet", mail: nil))
    #expect(try db.fetch(Customer.all) == [Customer(id: 1, name: "Janet")])
    try db.save([Customer(id: 1, name: "J"), Customer(id: 2, name: "K")])
    #expect(try db.fetch(Customer.select(\.$name).order(by: \.$id)) == ["J", "K"])
  }

  @Test(
    "save of a loaded model writes its changed columns, or the whole row if the row was deleted")
  func saveLoaded() throws {
    var customer = try db.save(Customer(id: 1, name: "Jane", mail: "j"))
    customer.name = "Janet"
    try db.execute("UPDATE Customer SET mail = 'other'")
    customer = try db.save(customer)
    #expect(try db.find(Customer.self, 1)?.mail == "other")
    try db.execute("DELETE FROM Customer")
    try db.save(customer)
    #expect(try db.fetch(Customer.all) == [Customer(id: 1, name: "Janet", mail: "j")])
  }

  @Test("save throws on a conflict over another unique column, and leaves both rows unchanged")
  func uniqueConflict() throws {
    let one = Customer(id: 1, name: "Jane", mail: "j")
    let two = Customer(id: 2, name: "George", mail: "g")
    try db.insert([one, two])
    var error = #expect(throws: DatabaseError.self) {
      try db.save(Customer(id: 3, name: "New", mail: "j"))
    }
    #expect(error?.constraint?.kind == .unique)
    #expect(error?.constraint?.table == "Customer" && error?.constraint?.columns == ["mail"])
    error = #expect(throws: DatabaseError.self) {
      try db.save(Customer(id: 2, name: "New", mail: "j"))
    }
    #expect(error?.constraint?.kind == .unique)
    #expect(try db.fetch(Customer.order(by: \.$id)) == [one, two])
  }

  @Test("find returns the model with the key, or nil")
  func find() throws {
    let customer = Customer(id: 1, name: "Jane")
    try db.insert(customer)
    #expect(try db.find(Customer.self, 1) == customer)
    #expect(try db.find(Customer.self, 2) == nil)
  }

  @Test("a constraint error names the kind of the constraint, its table and its columns")
  func constraints() throws {
    try db.insert(Customer(id: 1, name: "Jane", mail: "j"))
    var error = #expect(throws: DatabaseError.self) {
      try db.insert(Customer(id: 1, name: "New"))
    }
    #expect(
      error?.constraint
        == ConstraintFailure(kind: .primaryKey, table: "Customer", columns: ["id"]))
    error = #expect(throws: DatabaseError.self) {
      try db.insert(Line(orderID: 1, number: 1, text: "x"))
    }
    #expect(
      error?.constraint
        == ConstraintFailure(kind: .foreignKey, table: "Line", columns: ["orderID"]))
    #expect(error?.message == "FOREIGN KEY constraint failed: Line.orderID")
    let order = try db.insert(Order(customerID: 1))
    let line = try db.insert(Line(orderID: order.id ?? 0, number: 1, text: "x"))
    error = #expect(throws: DatabaseError.self) { try db.insert(line) }
    #expect(
      error?.constraint
        == ConstraintFailure(kind: .primaryKey, table: "Line", columns: ["orderID", "number"]))
    try db.execute("CREATE UNIQUE INDEX lower ON Line (lower(text))")
    error = #expect(throws: DatabaseError.self) {
      try db.insert(Line(orderID: order.id ?? 0, number: 2, text: "X"))
    }
    #expect(error?.constraint?.kind == .unique && error?.constraint?.name == "lower")
  }

  @Test("a foreign key error in insert, save and update names the column whose parent is missing")
  func foreignKeys() throws {
    try db.insert(Customer(id: 1, name: "Jane"))
    func expect(_ columns: [String], _ body: () throws -> Void) {
      let error = #expect(throws: DatabaseError.self, performing: body)
      #expect(
        error?.constraint
          == ConstraintFailure(kind: .foreignKey, table: "Order", columns: columns))
    }
    expect(["customerID"]) { try db.insert(Order(customerID: 9)) }
    expect(["payerID"]) { try db.insert(Order(customerID: 1, payerID: 9)) }
    expect(["payerID"]) { try db.save(Order(id: 5, customerID: 1, payerID: 9)) }
    var order = try db.insert(Order(customerID: 1))
    order.payerID = 9
    expect(["payerID"]) { try db.update(order) }
    expect(["customerID"]) { try db.run(Order.update { $0.$customerID = 9 }) }
    // Both have no parent.
    expect([]) { try db.insert(Order(customerID: 8, payerID: 9)) }
    #expect(try db.count(Order.all) == 1)
  }

  @Test("no foreign key of a model is named alone where a trigger may have violated another one")
  func foreignKeysOfTriggers() throws {
    try db.insert([Customer(id: 1, name: "Jane"), Customer(id: 2, name: "George")])
    var order = try db.insert(Order(customerID: 1))
    order.customerID = 2
    try db.execute(
      """
      CREATE TABLE Visit (customer INTEGER REFERENCES Customer);
      CREATE TRIGGER visit AFTER UPDATE OF customerID ON "Order"
        BEGIN INSERT INTO Visit VALUES (99); END;
      CREATE TRIGGER forget BEFORE DELETE ON Customer
        BEGIN INSERT INTO Visit VALUES (99); DELETE FROM "Order"; END
      """)
    for write in [
      { try db.update(order) }, { try db.run(Order.update { $0.$customerID = 2 }) },
      { try db.run(Customer.delete()) },
    ] as [() throws -> Void] {
      let error = #expect(throws: DatabaseError.self, performing: write)
      #expect(error?.constraint?.kind == .foreignKey && error?.constraint?.columns == [])
      #expect(error?.message.contains("Visit.customer") == true, "\(error?.message ?? "")")
    }
  }

  @Test("a refused deletion names the column that still refers to the row, not those that cascade")
  func deletionOfParent() throws {
    try db.insert([Customer(id: 1, name: "Jane"), Customer(id: 2, name: "George")])
    let order = try db.insert(Order(customerID: 1, payerID: 2))
    try db.insert(Line(orderID: order.id ?? 0, number: 1, text: "x"))
    for body in [
      { try db.delete(Customer.self, 1) },
      { try db.delete(Customer(id: 1, name: "Jane")) },
      { try db.run(Customer.delete()) > 0 },
    ] {
      let error = #expect(throws: DatabaseError.self) { try body() }
      #expect(
        error?.constraint
          == ConstraintFailure(kind: .foreignKey, table: "Order", columns: ["customerID"]))
    }
    // ON DELETE SET NULL and ON DELETE CASCADE take effect.
    #expect(try db.delete(Customer.self, 2))
    #expect(try db.fetch(Order.all).map(\.payerID) == [nil])
    #expect(try db.delete(order))
    #expect(try db.count(Line.all) == 0)
  }

  @Test("insert of several models inserts all or none, and the error names the row")
  func many() throws {
    let error = #expect(throws: DatabaseError.self) {
      try db.insert([
        Customer(id: 1, name: "a", mail: "x"), Customer(id: 2, name: "b", mail: "y"),
        Customer(id: 3, name: "c", mail: "x"),
      ])
    }
    #expect(error?.message == "UNIQUE constraint failed: Customer.mail (row 2)")
    #expect(try db.count(Customer.all) == 0)
    // In the caller's own transaction, too, if the caller catches the error.
    try db.write { connection in
      #expect(throws: DatabaseError.self) {
        try connection.insert([Customer(id: 1, name: "a"), Customer(id: 1, name: "b")])
      }
      try connection.insert(Customer(id: 2, name: "c"))
    }
    #expect(try db.fetch(Customer.select(\.$name).order(by: \.$id)) == ["c"])
    #expect(try db.insert([Customer]()).isEmpty)
  }

  @Test("delete returns whether there was a row")
  func delete() throws {
    let customer = try db.insert(Customer(id: 1, name: "Jane"))
    #expect(try db.delete(customer))
    #expect(try !db.delete(customer))
    #expect(try !db.delete(Customer.self, 1))
  }

  @Test(
    "SQLite reports a missing column or table, and the error names the model of a missing table")
  func missing() throws {
    try db.execute("ALTER TABLE Line DROP COLUMN text")
    #expect(throws: DatabaseError.self) { try db.insert(Line(orderID: 1, number: 1, text: "")) }
    let error = #expect(throws: DatabaseError.self) {
      try db.insert(Album(id: 1, name: "x"))
    }
    #expect(
      error?.message == """
        no such table: Album; it is the table of the model Album, which is missing from the models of \
        this database: open it with `models: [Album.self, …]`
        """)
  }
}
