import Foundation
import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("INSERT")
struct InsertSpecification {
  let articles: Articles
  var db: Database { articles.db }

  init() throws { articles = try Articles() }

  @Test("an insert sets the given columns and leaves the others to their defaults")
  func defaults() throws {
    let insert = Article.insert {
      $0.$code = "d"
      $0.$price = SQLExpression(2) * 3
    }
    try articles.expect(
      insert, #"INSERT INTO "Article" ("code", "price") VALUES (?, ? * ?)"#, ["d", 2.0, 3.0])
    #expect(try db.run(insert) == 1)
    #expect(try articles.rows.last == .make(4, "d", price: 6))
  }

  @Test("an insert without columns uses DEFAULT VALUES")
  func nothing() throws {
    let insert = Ticket.insert { _ in }
    try articles.expect(insert, #"INSERT INTO "Ticket" DEFAULT VALUES"#)
    #expect(try db.run(insert) == 1)
    #expect(try db.run(Ticket.insert([Ticket(), Ticket(id: 7), Ticket()])) == 3)
    #expect(try db.fetch(Ticket.order(by: \.$id)).map(\.id) == [1, 2, 7, 8])
    #expect(throws: DatabaseError.self) { try db.run(Article.insert { _ in }) }
  }

  @Test("reading a column of the new row throws before any SQL runs, but a subquery is allowed")
  func columns() throws {
    #expect(throws: QueryError.self) {
      try db.run(
        Article.insert {
          $0.$code = "d"
          $0.$stock += 1
        })
    }
    let insert = Article.insert {
      $0.$code = "d"
      $0.$stock = Article.select { $0.$stock.sum() }.subquery().ifNull(0)
    }
    try articles.expect(
      insert,
      #"""
      INSERT INTO "Article" ("code", "stock") \#
      VALUES (?, ifnull((SELECT sum("stock") FROM "Article"), ?))
      """#)
    #expect(try db.run(insert) == 1)
    #expect(try articles.rows.last?.stock == 12)
  }

  @Test("inserting models returns their number, and a violated constraint inserts none of them")
  func models() throws {
    let new = [Article.make(nil, "d"), .make(9, "e"), .make(nil, "f", added: 0.25)]
    try articles.expect(
      Article.insert(new),
      #"""
      INSERT INTO "Article" ("code", "shelf", "isActive", "price", "stock", "added") \#
      VALUES (?, ?, ?, ?, ?, ?)
      """#, ["d", .null, true, 1.5, 10, "1970-01-01T00:00:00.000000Z"])
    #expect(try db.run(Article.insert(new)) == 3)
    #expect(try articles.rows.map(\.id) == [1, 2, 3, 4, 9, 10])
    #expect(try articles.rows.last == new[2].with { $0.id = 10 })
    let error = #expect(throws: DatabaseError.self) {
      try db.run(Article.insert([.make(nil, "g"), .make(nil, "a")]))
    }
    #expect(error?.constraint?.columns == ["code"])
    #expect(error?.message.contains("(row 1)") == true)
    #expect(try articles.rows.count == 6)
    #expect(try db.run(Article.insert([])) == 0)
  }

  @Test("INSERT … SELECT fills typed columns and leaves the others to their defaults")
  func select() throws {
    let insert = Article.insert(
      \.$code, \.$price,
      from: Article.where { $0.$stock > 0 }.select { ($0.$code.concat("2"), $0.$price + 1) })
    try articles.expect(
      insert,
      #"""
      INSERT INTO "Article" ("code", "price") \#
      SELECT "code" || ?, "price" + ? FROM "Article" WHERE "stock" > ?
      """#, ["2", 1.0, 0])
    #expect(try db.run(insert) == 2)
    #expect(
      try articles.rows.suffix(2) == [.make(4, "a2", price: 3), .make(5, "c2", price: 5)])
    // The second run finds existing codes.
    #expect(throws: DatabaseError.self) { try db.run(insert) }
    #expect(try db.run(insert.onConflictDoNothing()) == 2)
    #expect(try articles.rows.suffix(2).map(\.code) == ["a22", "c22"])
  }

  @Test("INSERT … SELECT takes one column, a join, whole rows or a union")
  func selects() throws {
    let one = Rate.insert(\.$currency, from: Article.select(\.$code))
    try articles.expect(one, #"INSERT INTO "Rate" ("currency") SELECT "code" FROM "Article""#)
    // The column `value` is NOT NULL without a default.
    #expect(throws: DatabaseError.self) { try db.run(one) }
    let join = Rate.insert(
      \.$currency, \.$value,
      from: Query { (a: Columns<Article>, b: Columns<Article>) in
        From(a)
        Join(b, on: a.$id < b.$id)
        Select(a.$code.concat(b.$code), b.$price)
      })
    #expect(try db.run(join) == 3)
    #expect(try db.fetch(Rate.order(by: \.$currency)).map(\.currency) == ["ab", "ac", "bc"])
    let copies = Rate.insert(
      from: Article.select { ($0.$code.as("currency"), $0.$price.as("value")) }.asRates)
    try articles.expect(
      copies,
      #"INSERT INTO "Rate" ("currency", "value") SELECT "code" AS "currency", "price" AS "value" "#
        + #"FROM "Article""#)
    #expect(try db.run(copies) == 3)
    let union = Rate.insert(
      \.$currency, \.$value,
      from: Article.select { ($0.$code, $0.$price) }
        .union(Article.select { ($0.$code.concat("x"), $0.$price) }))
    #expect(throws: DatabaseError.self) { try db.run(union) }
    #expect(try db.run(union.onConflictDoNothing()) == 3)
    #expect(try db.count(Rate.all) == 9)
  }

  @Test("columns of another stored form are refused before any SQL runs")
  func forms() throws {
    let insert = Article.insert(
      \.$code, \.$added, from: Article.select { ($0.$code, SQLExpression<Date>(sql: "0")) })
    #expect(throws: QueryError.self) { try insert.sql }
    let same = Article.insert(
      \.$code, \.$added, from: Article.select { ($0.$code.concat("x"), $0.$added) })
    #expect(try db.run(same) == 3)
    #expect(try articles.rows.suffix(3).map(\.added) == Articles.all.map(\.added))
  }

  @Test("an insert is prepared once, whatever its values")
  func cached() throws {
    try db.write { connection in
      func misses(_ body: () throws -> Void) throws -> Int {
        let before = try connection.statementCacheStatistics.misses
        try body()
        return try connection.statementCacheStatistics.misses - before
      }
      // Two of them are the savepoint of the models, and its release.
      for (number, expected) in [(0, 5), (1, 0)] {
        let found = try misses {
          try connection.run(Article.insert { $0.$code = "x\(number)" })
          try connection.run(Article.insert([.make(nil, "y\(number)"), .make(nil, "z\(number)")]))
          try connection.run(
            Article.insert(
              \.$code, from: Article.where { $0.$id == 1 }.select { $0.$code.concat("\(number)") }))
        }
        #expect(found == expected)
      }
    }
  }
}

extension TableQuery where M == Article {
  /// A query whose rows are rates.
  fileprivate var asRates: Query<Rate> {
    Query { (article: Columns<Article>) in
      From(article)
      Select(article.$code.as("currency"), article.$price.as("value"), into: Rate.self)
    }
  }
}
