import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Reading, changing and writing a row; many keys")
struct ReadModifyWriteTests {
  let articles: Articles
  var db: Database { articles.db }

  init() throws { articles = try Articles() }

  @Test("update by key writes what the closure changes, and returns a model without changes")
  func change() throws {
    let changed = try db.update(Article.self, 1) { $0.stock += 1 }
    #expect(changed == Articles.all[0].with { $0.stock = 6 })
    #expect(!changed.$stock.isChanged)
    #expect(try articles.rows[0] == changed)
    #expect(try db.update(Article.self, 1) { _ in } == changed)
  }

  @Test(
    "update by key throws for a missing key and for an error of the closure, and writes nothing")
  func errors() throws {
    #expect(throws: RecordNotFound.self) {
      try db.update(Article.self, 99) { _ in Issue.record("there is no row") }
    }
    let numbered = try Database.inMemory(models: [Numbered.self])
    let missing = #expect(throws: RecordNotFound.self) {
      try numbered.update(Numbered.self, 4) { $0.name = "x" }
    }
    #expect(missing == RecordNotFound(table: "Numbered", key: "4"))
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try db.update(Article.self, 1) {
        $0.stock = 0
        throw Stop()
      }
    }
    let error = #expect(throws: KeyChanged.self) {
      try db.update(Article.self, 1) { $0.id = 2 }
    }
    #expect(error?.columns == ["id"])
    #expect(try articles.rows == Articles.all)
  }

  @Test("update by key compares the key with the loaded one, as it is stored")
  func precision() throws {
    struct Event: Model {
      @PrimaryKey var at: Date
      @Column var text: String
      var id: Date { at }
    }
    let db = try Specification.database(models: [Event.self])
    // Stored in whole microseconds.
    let at = Date(timeIntervalSince1970: 1_700_000_000.123_456_7)
    try db.insert(Event(at: at, text: "a"))
    let found = try db.find(Event.self, at)?.at
    #expect(found != at)
    try db.update(Event.self, at) { $0.text = "b" }
    let found2 = try db.find(Event.self, at)?.text
    #expect(found2 == "b")
    try db.update(Event.self, at) { $0 = Event(at: at, text: "c") }
    let found3 = try db.find(Event.self, at)?.text
    #expect(found3 == "c")
    #expect(throws: KeyChanged.self) {
      try db.update(Event.self, at) { $0.at.addTimeInterval(1) }
    }
  }

  @Test("1,000 increments by 8 tasks lose no increment")
  func atomic() async throws {
    let db = db
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<125 { try await db.update(Article.self, 2) { $0.stock += 1 } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await db.find(Article.self, 2)?.stock == 1_000)
  }

  @Test("two databases that update one row of the same file lose no change")
  func twoConnections() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "articles.sqlite").path
    let first = try Database(path: path, models: [Article.self])
    let second = try Database(path: path, models: [Article.self])
    try await first.insert(Articles.all[1])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for db in [first, second] {
        group.addTask {
          for _ in 0..<50 { try await db.update(Article.self, 2) { $0.stock += 1 } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await first.find(Article.self, 2)?.stock == 100)
  }

  @Test("inside an open transaction, update by key is part of it")
  func inTransaction() throws {
    try db.write { connection in
      try connection.update(Article.self, 1) { $0.stock = 0 }
      try connection.update(Article.self, 1) { $0.stock -= 1 }
      try connection.requestRollback()
    }
    #expect(try articles.rows == Articles.all)
    try db.writeWithoutTransaction { connection in
      try connection.update(Article.self, 1) { $0.stock = 0 }
      #expect(try !connection.isInTransaction)
    }
    #expect(try articles.rows[0].stock == 0)
  }

  @Test(
    "find returns the models of 40,000 keys, more than SQLite's parameter limit, in their order")
  func manyKeys() async throws {
    let db = try Specification.database(models: [Customer.self])
    try await db.insert((0..<40_000).map { Customer(id: $0, name: "\($0)", mail: "\($0)") })
    let ids = (0..<40_000).map { ($0 * 7_919) % 40_000 }
    #expect(try await db.find(Customer.self, ids).map { $0?.id } == ids)
    let some = try await db.find(Customer.self, [3, 99_999, 1, 3])
    #expect(some.map { $0?.id } == [3, nil, 1, 3])
    #expect(try await db.find(Customer.self, []).isEmpty)
    // A predicate binds all keys as one array.
    #expect(try await db.count(Customer.where { $0.$id.isIn(ids) }) == 40_000)
    #expect(
      try await db.run(Customer.update { $0.$name = "x" }.where { $0.$id.isIn(ids) })
        == 40_000)
    #expect(try await db.run(Customer.delete().where { $0.$id.isIn(ids.dropLast()) }) == 39_999)
  }

  @Test("find takes several composite keys, and returns nil for a missing one")
  func otherKeys() throws {
    let db = try Specification.database(models: [Customer.self, Order.self, Line.self])
    try db.insert(Customer(id: 1, name: "Jane"))
    try db.insert(Order(id: 1, customerID: 1))
    try db.insert((0..<3).map { Line(orderID: 1, number: $0, text: "\($0)") })
    let ids = [2, 5, 0].map { Line.ID(orderID: 1, number: $0) }
    #expect(try db.find(Line.self, ids).map { $0?.text } == ["2", nil, "0"])
  }

  @Test("an update sets columns to expressions that add, multiply and negate")
  func expressions() throws {
    let update = Article.update {
      $0.$stock += 100
      $0.$price *= 10
      $0.$isActive = SQLExpression<Bool?>(!($0.$isActive == true)).ifNull(false)
    }.where { $0.$id.isIn([1, 3]) }
    #expect(try db.run(update) == 2)
    #expect(try articles.rows.map(\.stock) == [105, 0, 107])
    #expect(try articles.rows.map(\.price) == [20, 3, 40])
    #expect(try articles.rows.map(\.isActive) == [false, true, true])
  }
}

/// A model whose keys the database makes.
private struct Numbered: Model {
  @PrimaryKey var id: Int64?
  @Column var name: String
}
