import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("RETURNING, UPDATE … FROM and LIMIT")
struct ReturningSpecification {
  let articles: Articles
  var db: Database { articles.db }

  init() throws { articles = try Articles() }

  @Test("an insert returns models, columns, tuples or expressions")
  func insert() throws {
    let model = Article.insert { $0.$code = "d" }.returning()
    #expect(
      try model.sql.text == #"""
        INSERT INTO "Article" ("code") VALUES (?) RETURNING "id", "code", "shelf", "isActive", \#
        "price", "stock", "added"
        """#)
    #expect(try db.fetch(model) == [.make(4, "d")])
    let ids = try db.fetch(
      Article.insert([.make(nil, "e"), .make(9, "f"), .make(nil, "g")]).returning(\.$id))
    #expect(ids == [5, 9, 10])
    let pair = try #require(
      try db.first(
        Article.insert { $0.$code = "h" }.returning(\.$code, \.$stock)))
    #expect(pair == ("h", 10))
    let more = try db.fetch(
      Article.insert(\.$code, from: Article.where { $0.$id < 3 }.select { $0.$code.concat("!") })
        .returning { ($0.$code.upper(), $0.$stock * 2) })
    #expect(more.map(\.0).sorted() == ["A!", "B!"] && more.map(\.1) == [20, 20])
    #expect(
      try db.first(Article.insert(.make(nil, "i")).returning { $0.$stock + 1 }) == 11)
    #expect(try db.fetch(Article.insert([]).returning()) == [])
  }

  @Test("an upsert returns the rows that it wrote, and no row that it left unchanged")
  func upsert() throws {
    let command = Article.insert([.make(nil, "a", stock: 1), .make(nil, "d"), Articles.all[1]])
      .onConflictUpdate(\.$code)
    let rows = try db.fetch(command.returning(\.$code, \.$stock))
    #expect(rows.map(\.0) == ["a", "d"] && rows.map(\.1) == [1, 10])
  }

  @Test("an update returns the rows after it, and a deletion returns the rows before it")
  func updateAndDelete() throws {
    let update = Article.update { $0.$stock += 1 }.where { $0.$id < 3 }.returning {
      ($0.$id, $0.$stock)
    }
    #expect(
      try update.sql.text
        == #"UPDATE "Article" SET "stock" = "stock" + ? WHERE "id" < ? RETURNING "id", "stock""#)
    let updated = try db.fetch(update).sorted { ($0.0 ?? 0) < ($1.0 ?? 0) }
    #expect(updated.map(\.1) == [6, 1])
    let delete = Article.delete().where { $0.$code == "c" }.returning()
    #expect(try db.fetch(delete) == [Articles.all[2]])
    #expect(try db.fetch(delete) == [])
    #expect(try db.first(delete) == nil)
    #expect(try articles.rows.map(\.id) == [1, 2])
  }

  @Test("first runs the command on all of its rows")
  func first() throws {
    let row = try db.first(Article.update { $0.$stock = 1 }.returning(\.$stock))
    #expect(row == 1)
    #expect(try articles.rows.map(\.stock) == [1, 1, 1])
  }

  @Test("a returned value that its type cannot read undoes the command")
  func badValue() throws {
    try db.execute(
      "DROP TABLE Ticket; CREATE TABLE Ticket (id); INSERT INTO Ticket VALUES (1), ('x'), (3)")
    #expect(throws: ColumnValueError.self) {
      try db.fetch(Ticket.delete().returning())
    }
    #expect(try db.row("SELECT count(*) FROM Ticket")?.get(Int.self, at: 0) == 3)
    // In the caller's own transaction the error is thrown, and the caller decides about the rows.
    try db.write { connection in
      #expect(throws: ColumnValueError.self) { try connection.fetch(Ticket.delete().returning()) }
      #expect(try connection.row("SELECT count(*) FROM Ticket")?.get(Int.self, at: 0) == 0)
      try connection.requestRollback()
    }
  }

  @Test("a foreign key error at the end of the statement is reported with its table and columns")
  func foreignKey() throws {
    let db = try Specification.database(models: [Customer.self, Order.self])
    try db.insert(Customer(id: 1, name: "Jane"))
    try db.insert(Order(customerID: 1))
    for command in [Customer.delete(), Customer.delete().where { $0.$id == 1 }] {
      let error = #expect(throws: DatabaseError.self) { try db.fetch(command.returning()) }
      #expect(error?.constraint?.kind == .foreignKey && error?.constraint?.table == "Order")
    }
    let error = #expect(throws: DatabaseError.self) {
      try db.fetch(Order.insert([Order(customerID: 1), Order(customerID: 7)]).returning())
    }
    #expect(error?.constraint?.columns == ["customerID"])
    #expect(try db.count(Order.all) == 1 && db.count(Customer.all) == 1)
    #expect(throws: DatabaseError.self) {
      try db.upsert(Order(id: 1, customerID: 7), onConflict: \.$id)
    }
    #expect(try db.fetch(Order.select(\.$customerID)) == [1])
  }

  @Test("UPDATE … FROM takes another table, the same table or a subquery")
  func from() throws {
    try db.insert([Rate(currency: "a", value: 10), Rate(currency: "c", value: 100)])
    let update = Article.update(from: Rate.self) { article, rate in
      article.$price = rate.$value * 2
    } where: { article, rate in
      article.$code == rate.$currency
      article.$stock > 0
    }
    try articles.expect(
      update,
      #"""
      UPDATE "Article" SET "price" = "Rate"."value" * ? FROM "Rate" \#
      WHERE "Article"."code" = "Rate"."currency" AND "Article"."stock" > ?
      """#)
    let codes = try db.fetch(update.returning(\.$code)).sorted()
    #expect(codes == ["a", "c"])
    #expect(try articles.rows.map(\.price) == [20, 3, 200])
    let next = Article.update(from: Article.self) { article, other in
      article.$stock = other.$stock
    } where: { article, other in
      article.$id == other.$id + 1
    }
    try articles.expect(
      next,
      #"""
      UPDATE "Article" SET "stock" = "Article_2"."stock" FROM "Article" AS "Article_2" \#
      WHERE "Article"."id" IS "Article_2"."id" + ?
      """#)
    #expect(try db.run(next) == 2)
    #expect(try articles.rows.map(\.stock) == [5, 5, 0])
    struct Total: ResultRow {
      @Column var isActive: Bool
      @Column var stock: Int
    }
    let totals = Query { (article: Columns<Article>) in
      From(article)
      GroupBy(article.$isActive)
      Select(article.$isActive, article.$stock.sum().ifNull(0).as("stock"), into: Total.self)
    }
    let sums = Article.update(from: totals) {
      $0.$stock = $1.$stock
    } where: {
      $0.$isActive == $1.$isActive
    }
    #expect(try sums.sql.text.contains(#" FROM (SELECT "Article_2"."isActive" AS "isActive", "#))
    #expect(try db.run(sums) == 3)
    #expect(try articles.rows.map(\.stock) == [10, 10, 0])
    #expect(try db.run(sums.limit(1)) == 1)
    #expect(throws: QueryError.self) { try db.run(sums.order(by: \.$id)) }
  }

  @Test("a limited UPDATE … FROM counts each row once, however many rows of the other table match")
  func limitedFrom() throws {
    let update = Article.update(from: Article.self) { article, dearer in
      article.$stock = article.$stock + 100
    } where: { article, dearer in
      article.$price < dearer.$price
      article.$stock > 0 || dearer.$stock > 0
    }
    let limited = update.order(by: \.$id).limit(2)
    let conditions = #"""
      "Article"."price" < "Article_2"."price" AND \#
      ("Article"."stock" > ? OR "Article_2"."stock" > ?)
      """#
    try articles.expect(
      limited,
      #"""
      UPDATE "Article" SET "stock" = "Article"."stock" + ? FROM "Article" AS "Article_2" \#
      WHERE \#(conditions) AND "Article"."id" IN (SELECT "id" FROM "Article" \#
      WHERE EXISTS (SELECT 1 FROM "Article" AS "Article_2" WHERE \#(conditions)) \#
      ORDER BY "id" LIMIT ?)
      """#)
    #expect(try db.run(limited) == 2)
    #expect(try articles.rows.map(\.stock) == [105, 100, 7])
    let last = update.order(by: \.$price, .descending).limit(1)
    #expect(try db.fetch(last.returning(\.$id)) == [2])
    #expect(try db.run(update.limit(5).offset(1)) == 1)
    #expect(try db.run(update.limit(0)) == 0)
  }

  @Test("a deletion and an update take an order and a limit")
  func limit() throws {
    let delete = Article.delete().where { $0.$isActive == true }
      .order(by: \.$price, .descending).order(by: \.$id).limit(1)
    try articles.expect(
      delete,
      #"""
      DELETE FROM "Article" WHERE "id" IN (SELECT "id" FROM "Article" WHERE "isActive" = 1 \#
      ORDER BY "price" DESC, "id" LIMIT ?)
      """#)
    #expect(try db.fetch(delete.returning(\.$id)) == [2])
    let update = Article.update { $0.$stock -= 1 }.order { $0.$price * -1 }.limit(1)
    #expect(try db.run(update) == 1)
    #expect(try articles.rows.map(\.stock) == [5, 6])
    #expect(try db.run(Article.delete().limit(0)) == 0)
    #expect(try db.run(Article.delete().limit(5)) == 2)
    #expect(throws: QueryError.self) { try Article.delete().order(by: \.$id).sql }
    #expect(throws: QueryError.self) { try Article.delete().limit(-1).sql }
    #expect(throws: QueryError.self) { try Article.delete().limit(1).limit(1).sql }
  }

  @Test("a limited deletion works with a composite key")
  func compositeKey() throws {
    let db = try Specification.database(models: [Customer.self, Order.self, Line.self])
    try db.insert(Customer(id: 1, name: "Jane"))
    try db.insert([Order(id: 1, customerID: 1), Order(id: 2, customerID: 1)])
    try db.insert((0..<6).map { Line(orderID: Int64($0 / 3) + 1, number: $0 % 3, text: "\($0)") })
    let delete = Line.delete().order(by: \.$number, .descending).order(by: \.$orderID).limit(3)
    #expect(
      try delete.sql.text == #"""
        DELETE FROM "Line" WHERE ("orderID", "number") IN (SELECT "orderID", "number" FROM "Line" \#
        ORDER BY "number" DESC, "orderID" LIMIT ?)
        """#)
    #expect(try db.run(delete) == 3)
    #expect(try db.fetch(Line.select(\.$text)).sorted() == ["0", "3", "4"])
  }

  @Test("RETURNING works from asynchronous code")
  func async() async throws {
    let ids = try await db.fetch(
      Article.update { $0.$stock += 1 }.where { $0.$stock > 0 }.returning(\.$id))
    #expect(ids.count == 2)
    let row = try await db.first(Article.delete().where { $0.$id == 2 }.returning())
    #expect(row == Articles.all[1])
  }
}
