import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("ON CONFLICT that sets some columns, and without a target")
struct UpsertSettingSpecification {
  let articles: Articles
  var db: Database { articles.db }

  init() throws { articles = try Articles() }

  static let insert = UpsertSpecification.insert

  @Test("only the named columns are set, and only where one of them differs")
  func setting() throws {
    func insert(_ price: Double) -> Insert<Article> {
      Article.insert(.make(nil, "a", shelf: "X", price: price, stock: 9))
        .onConflictUpdate(\.$code, setting: \.$price, \.$stock)
    }
    try articles.expect(
      insert(7),
      Self.insert.replacing(#""id", "#, with: "").replacing("(?, ", with: "(") + #"""
         ON CONFLICT ("code") DO UPDATE SET "price" = excluded."price", \#
        "stock" = excluded."stock" WHERE "Article"."price" IS NOT excluded."price" \#
        OR "Article"."stock" IS NOT excluded."stock"
        """#)
    #expect(try db.run(insert(7)) == 1)
    #expect(try articles.rows[0] == Articles.all[0].with { ($0.price, $0.stock) = (7, 9) })
    #expect(try db.run(insert(7)) == 0)
  }

  @Test("`upsert` of a model sets the named columns and reports the outcome")
  func model() throws {
    let new = Article.make(nil, "b", shelf: "X", price: 8)
    let upserted = try db.upsert(new, onConflict: \.$code, setting: \.$price)
    #expect(upserted.outcome == .updated)
    #expect(try upserted.id == 2)
    #expect(try articles.rows[1] == Articles.all[1].with { $0.price = 8 })
    #expect(try db.upsert(new, onConflict: \.$code, setting: \.$price).outcome == .unchanged)
    #expect(
      try db.write { try $0.upsert(new, onConflict: \.$code, setting: \.$price, \.$shelf) }.outcome
        == .updated)
    #expect(try articles.rows[1].shelf == "X")
    let other = new.with { ($0.code, $0.shelf) = ("d", nil) }
    #expect(try db.upsert(other, onConflict: \.$code, setting: \.$price).outcome == .inserted)
  }

  @Test("the condition of a partial index precedes the columns")
  func partialIndex() throws {
    let insert = Article.insert(.make(nil, "d", shelf: "A1", price: 9))
      .onConflictUpdate(\.$shelf, matching: { $0.$isActive == true }, setting: \.$price)
    let text = try insert.sql.text
    #expect(
      text.hasSuffix(
        #"""
         ON CONFLICT ("shelf") WHERE "isActive" = 1 DO UPDATE SET "price" = excluded."price" \#
        WHERE "Article"."price" IS NOT excluded."price"
        """#), "\(text)")
    #expect(try db.upsert(insert).map { try $0.id } == [1])
    #expect(try articles.rows[0].price == 9)
  }

  @Test("the terms of a unique index over expressions precede the columns")
  func terms() throws {
    struct User: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var email: String
      static var schema: Schema<User> { Unique { $0.$name.collated(.noCase) } }
    }
    let db = try Specification.database(models: [User.self])
    try db.insert(User(id: 1, name: "Ann", email: "a"))
    let insert = User.insert(User(id: 2, name: "ANN", email: "b"))
      .onConflictUpdate(on: { $0.$name.collated(.noCase) }, setting: \.$email)
    #expect(
      try insert.sql.text == #"""
        INSERT INTO "User" ("id", "name", "email") VALUES (?, ?, ?) \#
        ON CONFLICT ("name" COLLATE NOCASE) DO UPDATE SET "email" = excluded."email" \#
        WHERE "User"."email" IS NOT excluded."email" COLLATE "BINARY"
        """#)
    #expect(try db.run(insert) == 1)
    #expect(try db.fetch(User.all) == [User(id: 1, name: "Ann", email: "b")])
  }

  @Test("without a target, every constraint leads to the update")
  func anyConstraint() throws {
    let byCode = Article.insert(\.$code, \.$stock, values: [("a", 6)]).onConflictUpdate()
    try articles.expect(
      byCode,
      #"""
      INSERT INTO "Article" ("code", "stock") VALUES (?, ?) ON CONFLICT DO UPDATE \#
      SET "code" = excluded."code", "stock" = excluded."stock" \#
      WHERE "Article"."code" IS NOT excluded."code" COLLATE "BINARY" \#
      OR "Article"."stock" IS NOT excluded."stock"
      """#)
    #expect(try db.upsert(byCode).map(\.outcome) == [.updated])
    #expect(try db.upsert(byCode).map(\.outcome) == [.unchanged])
    let byKey = Article.insert(.make(1, "z", stock: 3)).onConflictUpdate(setting: \.$stock)
    #expect(
      try byKey.sql.text == Self.insert + #"""
         ON CONFLICT DO UPDATE SET "stock" = excluded."stock" \#
        WHERE "Article"."stock" IS NOT excluded."stock"
        """#)
    let upserted = try db.upsert(byKey)
    #expect(try upserted.map { try $0.id } == [1])
    #expect(upserted.map(\.outcome) == [.updated])
    let byShelf = Article.insert(.make(nil, "y", shelf: "B1")).onConflictUpdate {
      $0.$stock += $0.new.$stock
    } where: {
      $0.$stock < 100
      $0.new.$stock > 0
    }
    #expect(
      try byShelf.sql.text.hasSuffix(
        #"""
         ON CONFLICT DO UPDATE SET "stock" = "Article"."stock" + excluded."stock" \#
        WHERE "Article"."stock" < ? AND excluded."stock" > ?
        """#))
    #expect(try db.run(byShelf) == 1)
    #expect(try articles.rows.map(\.stock) == [3, 10, 7])
    let nothing = Article.insert(.make(nil, "a")).onConflictDoNothing()
    #expect(try nothing.sql.text.hasSuffix(" ON CONFLICT DO NOTHING"))
    #expect(try db.run(nothing) == 0)
  }

  @Test("a clause for every constraint must be the last one")
  func order() throws {
    let insert = Article.insert(.make(nil, "a", stock: 1))
      .onConflictDoNothing(\.$id).onConflictUpdate(setting: \.$stock)
    #expect(try db.run(insert) == 1)
    #expect(
      throws: QueryError(
        "an ON CONFLICT clause without columns handles every constraint, so it must be the last "
          + "clause of the insert into Article")
    ) {
      try db.run(Article.insert(.make(nil, "a")).onConflictUpdate().onConflictDoNothing(\.$id))
    }
  }

  @Test("a column that is set twice throws, and so does a key that was changed")
  func refused() throws {
    #expect(throws: QueryError("the upsert of Article sets a column twice")) {
      try db.run(
        Article.insert(.make(nil, "a")).onConflictUpdate(\.$code, setting: \.$stock, \.$stock))
    }
    var loaded = try articles.rows[0]
    loaded.id = 9
    #expect(throws: KeyChanged.self) {
      try db.run(Article.insert(loaded).onConflictUpdate(setting: \.$stock))
    }
  }
}
