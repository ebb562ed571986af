import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("ON CONFLICT")
struct UpsertSpecification {
  let articles: Articles
  var db: Database { articles.db }

  init() throws { articles = try Articles() }

  static let insert = #"""
    INSERT INTO "Article" ("id", "code", "shelf", "isActive", "price", "stock", "added") \#
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """#

  @Test("DO UPDATE combines the existing row with the row to insert")
  func update() throws {
    let insert = Article.insert(.make(9, "a", price: 8, stock: 3)).onConflictUpdate(\.$code) {
      $0.$price = $0.new.$price
      $0.$stock = $0.$stock + $0.new.$stock
      $0.$isActive = false
    }
    try articles.expect(
      insert,
      Self.insert + #"""
         ON CONFLICT ("code") DO UPDATE SET "price" = excluded."price", \#
        "stock" = "Article"."stock" + excluded."stock", "isActive" = ?
        """#)
    #expect(try db.run(insert) == 1)
    #expect(
      try articles.rows[0]
        == Articles.all[0].with { ($0.price, $0.stock, $0.isActive) = (8, 8, false) })
    #expect(try articles.rows.count == 3)
  }

  @Test("a row is left unchanged if the WHERE of DO UPDATE does not hold")
  func condition() throws {
    func insert(_ price: Double) -> Insert<Article> {
      Article.insert(.make(nil, "b", price: price)).onConflictUpdate(\.$code) {
        $0.$price = $0.new.$price
      } where: {
        $0.$price < $0.new.$price
        $0.$stock == 0
      }
    }
    let text = try insert(1).sql.text
    #expect(
      text.hasSuffix(
        #" WHERE "Article"."price" < excluded."price" AND "Article"."stock" = ?"#), "\(text)")
    #expect(try db.upsert(insert(1)).map(\.outcome) == [.unchanged])
    #expect(try db.upsert(insert(5)).map(\.outcome) == [.updated])
    #expect(try db.run(insert(4)) == 0)
    #expect(try articles.rows[1].price == 5)
  }

  @Test("by default an upsert updates all other columns, and reports whether one of them differed")
  func outcome() throws {
    let new = Article.make(nil, "d", price: 7)
    #expect(try db.upsert(new, onConflict: \.$code).outcome == .inserted)
    #expect(try db.upsert(new, onConflict: \.$code).outcome == .unchanged)
    #expect(try db.upsert(new.with { $0.stock = 1 }, onConflict: \.$code).outcome == .updated)
    // The row keeps its key.
    #expect(
      try db.upsert(new.with { ($0.id, $0.shelf) = (77, "D") }, onConflict: \.$code).outcome
        == .updated)
    #expect(try articles.rows.last == new.with { ($0.id, $0.shelf) = (4, "D") })
    let text = try Rate.insert(Rate(currency: "EUR", value: 1)).onConflictUpdate(\.$currency).sql
      .text
    #expect(
      text == #"""
        INSERT INTO "Rate" ("currency", "value") VALUES (?, ?) ON CONFLICT ("currency") \#
        DO UPDATE SET "value" = excluded."value" WHERE "Rate"."value" IS NOT excluded."value"
        """#)
  }

  @Test("a text that differs only by the column's collation is updated")
  func collation() throws {
    struct Word: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var text: String
      static var schema: Schema<Word> { Collated(\.$text, .noCase) }
    }
    let db = try Specification.database(models: [Word.self])
    #expect(try db.upsert(Word(id: 1, text: "a"), onConflict: \.$id).outcome == .inserted)
    #expect(try db.upsert(Word(id: 1, text: "A"), onConflict: \.$id).outcome == .updated)
    #expect(try db.upsert(Word(id: 1, text: "A"), onConflict: \.$id).outcome == .unchanged)
    #expect(try db.find(Word.self, 1)?.text == "A")
  }

  @Test("the outcome is right for every kind of key, including the least and the greatest")
  func keys() throws {
    for id in [Int64.min, .min + 1, -1, 0, .max] {
      let article = Article.make(id, "k\(id)")
      #expect(try db.upsert(article, onConflict: \.$id).outcome == .inserted, "\(id)")
      #expect(try db.upsert(article, onConflict: \.$id).outcome == .unchanged, "\(id)")
      #expect(
        try db.upsert(article.with { $0.stock = 2 }, onConflict: \.$id).outcome == .updated, "\(id)"
      )
      #expect(
        try db.upsert(article.with { $0.stock = 2 }, onConflict: \.$id) { row in row.$stock += 1
        }.outcome
          == .updated, "\(id)")
    }
    #expect(try db.run(Article.delete().where { $0.$id == .max }) == 1)
    // The table of rates has no rowid. The new table of tickets has none, either, though its model
    // does not declare that.
    for outcome in [UpsertOutcome.inserted, .unchanged] {
      #expect(
        try db.upsert(Rate(currency: "EUR", value: 1), onConflict: \.$currency).outcome == outcome)
    }
    #expect(
      try db.upsert(Rate(currency: "EUR", value: 2), onConflict: \.$currency).outcome == .updated)
    try db.execute("DROP TABLE Ticket; CREATE TABLE Ticket (id INTEGER PRIMARY KEY) WITHOUT ROWID")
    let ticket = Ticket.insert(Ticket(id: 1)).onConflictDoNothing(\.$id)
    #expect(try db.upsert(ticket).map(\.outcome) == [.inserted])
    #expect(try db.upsert(ticket).map(\.outcome) == [.unchanged])
  }

  @Test("an upsert skips generated columns, and leaves a model of keys only unchanged")
  func generated() throws {
    struct Sum: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var a: Int
      @Column var twice: Int = 0
      static var schema: Schema<Sum> { Generated(\.$twice) { $0.$a * 2 } }
    }
    let db = try Specification.database(models: [Sum.self, Ticket.self])
    #expect(try db.upsert(Sum(id: 1, a: 1), onConflict: \.$id).outcome == .inserted)
    #expect(try db.upsert(Sum(id: 1, a: 3), onConflict: \.$id).outcome == .updated)
    #expect(try db.upsert(Sum(id: 1, a: 3, twice: 9), onConflict: \.$id).outcome == .unchanged)
    #expect(try db.fetch(Sum.select(\.$twice)) == [6])
    let rows = try db.fetch(
      Sum.insert(Sum(id: 1, a: 4)).onConflictUpdate(\.$id) { $0.$a += $0.new.$a }.returning())
    #expect(rows == [Sum(id: 1, a: 7, twice: 14)])
    #expect(throws: QueryError.self) { try Sum.insert(from: Sum.all).sql }
    #expect(try db.run(Sum.insert(\.$id, \.$a, from: Sum.select { ($0.$id + 1, $0.$a) })) == 1)
    #expect(try db.upsert(Ticket(id: 1), onConflict: \.$id).outcome == .inserted)
    #expect(try db.upsert(Ticket(id: 1), onConflict: \.$id).outcome == .unchanged)
  }

  @Test("an upsert works after a change of the schema between two runs")
  func schemaChange() throws {
    let insert = Article.insert(.make(nil, "a", stock: 3)).onConflictUpdate(\.$code)
    #expect(try db.upsert(insert).map(\.outcome) == [.updated])
    try db.execute("ALTER TABLE Article ADD COLUMN colour TEXT DEFAULT 'red'")
    #expect(try db.upsert(insert).map(\.outcome) == [.unchanged])
    #expect(
      try db.upsert(Article.make(nil, "a", stock: 4), onConflict: \.$code).outcome == .updated)
    #expect(try db.fetch(insert.returning(\.$id)) == [1])
    try db.execute("DROP INDEX Article_unique_code")
    #expect(throws: DatabaseError.self) { try db.upsert(insert) }
    #expect(try db.row("SELECT colour FROM Article WHERE id = 1")?.get(String.self, at: 0) == "red")
  }

  @Test("an upsert that updates does not change the last inserted rowid")
  func lastInsertedRowID() throws {
    try db.write { connection in
      try connection.upsert(Article.make(nil, "d"), onConflict: \.$code)
      try connection.upsert(Article.make(nil, "d", stock: 1), onConflict: \.$code)
      let last = try connection.row("SELECT last_insert_rowid()")?.get(Int.self, at: 0)
      #expect(last == 4)
    }
  }

  @Test("an upsert of several models reports their outcomes in order, and writes all or none")
  func many() throws {
    let rows = [
      Article.make(nil, "d"), Articles.all[0], Articles.all[1].with { $0.stock = 9 },
      .make(nil, "d", stock: 1), .make(20, "e"),
    ]
    let outcomes = try db.upsert(Article.insert(rows).onConflictUpdate(\.$code))
    #expect(outcomes.map(\.outcome) == [.inserted, .unchanged, .updated, .updated, .inserted])
    #expect(try articles.rows.map(\.stock) == [5, 9, 7, 1, 10])
    // The shelf is taken, and no clause covers that constraint.
    let error = #expect(throws: DatabaseError.self) {
      try db.upsert(
        Article.insert([.make(nil, "f"), .make(nil, "g", shelf: "A1")]).onConflictUpdate(\.$code))
    }
    #expect(error?.constraint?.kind == .unique)
    #expect(try articles.rows.count == 5)
  }

  @Test("DO NOTHING takes one constraint or any, and several clauses are allowed")
  func doNothing() throws {
    let one = Article.insert(.make(nil, "a")).onConflictDoNothing(\.$code)
    try articles.expect(
      one,
      #"""
      INSERT INTO "Article" ("code", "shelf", "isActive", "price", "stock", "added") \#
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT ("code") DO NOTHING
      """#)
    #expect(try db.run(one) == 0)
    let shelf = Article.make(nil, "x", shelf: "A1")
    #expect(throws: DatabaseError.self) {
      try db.run(Article.insert(shelf).onConflictDoNothing(\.$code))
    }
    let any = Article.insert([shelf, .make(nil, "y")]).onConflictDoNothing()
    #expect(try any.sql.text.hasSuffix(") ON CONFLICT DO NOTHING"))
    #expect(try db.upsert(any).map(\.outcome) == [.unchanged, .inserted])
    let both = Article.insert(.make(1, "b", stock: 4))
      .onConflictDoNothing(\.$id)
      .onConflictUpdate(\.$code) { $0.$stock = $0.new.$stock }
    #expect(try both.sql.text.contains(#") ON CONFLICT ("id") DO NOTHING ON CONFLICT ("code") DO"#))
    #expect(try db.upsert(both).map(\.outcome) == [.unchanged])
    #expect(
      try db.upsert(
        Article.insert(.make(8, "b", stock: 4)).onConflictDoNothing(\.$id)
          .onConflictUpdate(\.$code) { $0.$stock = $0.new.$stock }
      ).map(\.outcome) == [.updated])
    #expect(try articles.rows[1].stock == 4)
  }

  @Test("an upsert over a partial unique index needs its condition")
  func partial() throws {
    let insert = Article.insert(.make(nil, "x", shelf: "A1", stock: 1)).onConflictUpdate(
      \.$shelf, matching: { $0.$isActive == true }
    ) { $0.$stock = $0.new.$stock }
    #expect(
      try insert.sql.text.contains(#" ON CONFLICT ("shelf") WHERE "isActive" = 1 DO UPDATE SET"#))
    #expect(try db.upsert(insert).map(\.outcome) == [.updated])
    #expect(try articles.rows.map(\.stock) == [1, 0, 7])
    let inactive = Article.insert(.make(nil, "x", shelf: "A1", isActive: false)).onConflictUpdate(
      \.$shelf, matching: { $0.$isActive == true }
    ) { $0.$stock = $0.new.$stock }
    #expect(try db.upsert(inactive).map(\.outcome) == [.inserted])
    #expect(throws: DatabaseError.self) {
      try db.run(Article.insert(.make(nil, "y")).onConflictDoNothing(\.$shelf))
    }
    #expect(throws: DatabaseError.self) {
      try db.run(Article.insert(.make(nil, "y")).onConflictDoNothing(\.$stock))
    }
  }

  @Test("INSERT … SELECT … ON CONFLICT works whatever the SELECT ends with")
  func select() throws {
    let all = Article.insert(
      \.$code, \.$stock, from: Article.select { ($0.$code, $0.$stock + 1) }
    ).onConflictUpdate(\.$code) { $0.$stock = $0.new.$stock }
    try articles.expect(
      all,
      #"""
      INSERT INTO "Article" ("code", "stock") SELECT "code", "stock" + ? FROM "Article" WHERE 1 \#
      ON CONFLICT ("code") DO UPDATE SET "stock" = excluded."stock"
      """#)
    #expect(try db.run(all) == 3)
    #expect(try articles.rows.map(\.stock) == [6, 1, 8])
    let join = Query { (a: Columns<Article>, b: Columns<Article>) in
      From(a)
      Join(b, on: a.$id == b.$id)
      Select(a.$code, b.$stock * 2)
    }
    let ordered = Article.order(by: \.$id).limit(1).select { ($0.$code, $0.$stock * 2) }
    let union = Article.where { $0.$id == 2 }.select { ($0.$code, $0.$stock * 2) }.union(ordered)
    let first: [any Fetchable<(String, Int)>] = [join, ordered, union]
    for (query, stocks) in zip(first, [[12, 2, 16], [24, 2, 16], [48, 4, 16]]) {
      func run(_ query: some Fetchable<(String, Int)>) throws {
        try db.run(
          Article.insert(\.$code, \.$stock, from: query).onConflictUpdate(\.$code) {
            $0.$stock = $0.new.$stock
          })
      }
      try run(query)
      #expect(try articles.rows.map(\.stock) == stocks)
    }
    #expect(throws: QueryError.self) { try db.upsert(all) }
  }

  @Test("an upsert without assignments or columns throws, and DO UPDATE takes a subquery")
  func mistakes() throws {
    #expect(throws: QueryError.self) {
      try db.run(
        Article.insert(.make(1, "a")).onConflictUpdate(\.$id) { (_: inout Assignments<Article>) in }
      )
    }
    #expect(throws: QueryError.self) { try Ticket.insert { _ in }.onConflictDoNothing().sql }
    let counted = Article.insert(.make(1, "z")).onConflictUpdate(\.$id) { row in
      let (id, new) = (row.$id, row.new)
      row.$stock =
        Article.where { $0.$price >= new.$price && $0.$id != id }
        .select { $0.count() }.subquery().ifNull(0)
    }
    #expect(try db.upsert(counted).map(\.outcome) == [.updated])
    #expect(try articles.rows[0].stock == 2)
  }

  @Test("an upsert takes unique indexes over expressions, with collations and with conditions")
  func terms() throws {
    struct User: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var email: String
      @Column var isActive = true

      static var schema: Schema<User> {
        Unique { $0.$name.collated(.noCase) }
        Unique(
          on: {
            $0.$email.lower()
            $0.$name.descending
          }, where: { $0.$isActive == true })
      }
    }
    let db = try Specification.database(models: [User.self])
    try db.insert(User(id: 1, name: "Ann", email: "A@x"))
    let named = User.insert(User(id: 2, name: "ANN", email: "b@x"))
      .onConflictUpdate(on: { $0.$name.collated(.noCase) }) { $0.$email = $0.new.$email }
    let text = try named.sql.text
    #expect(
      text.hasSuffix(
        #" ON CONFLICT ("name" COLLATE NOCASE) DO UPDATE SET "email" = excluded."email""#),
      "\(text)")
    #expect(try db.upsert(named).map(\.outcome) == [.updated])
    let mailed = User.insert(User(id: 3, name: "Ann", email: "B@X"))
      .onConflictDoNothing(
        on: {
          $0.$email.lower()
          $0.$name
        }, matching: { $0.$isActive == true })
    #expect(
      try mailed.sql.text.hasSuffix(
        #" ON CONFLICT ((lower("email")), "name") WHERE "isActive" = 1 DO NOTHING"#))
    #expect(try db.upsert(mailed).map(\.outcome) == [.unchanged])
    #expect(try db.fetch(User.all) == [User(id: 1, name: "Ann", email: "b@x")])
    // A conflict with another unique index throws.
    #expect(throws: DatabaseError.self) {
      try db.upsert(
        User.insert(User(id: 3, name: "Ann", email: "c@x")).onConflictDoNothing(
          on: {
            $0.$email.lower()
            $0.$name
          }, matching: { $0.$isActive == true }))
    }
    // There is no such index.
    #expect(throws: DatabaseError.self) {
      try db.run(named.onConflictDoNothing(on: { $0.$email.upper() }))
    }
  }

  @Test("upserts work from asynchronous code")
  func async() async throws {
    #expect(try await db.upsert(Article.make(nil, "d"), onConflict: \.$code).outcome == .inserted)
    let outcome = try await db.upsert(Article.make(nil, "d", stock: 2), onConflict: \.$code) {
      $0.$stock += $0.new.$stock
    }
    #expect(outcome.outcome == .updated)
    let outcomes = try await db.upsert(Article.insert(Articles.all).onConflictDoNothing())
    #expect(outcomes.map(\.outcome) == [.unchanged, .unchanged, .unchanged])
    #expect(try await db.first(Article.where { $0.$code == "d" })?.stock == 12)
  }
}
