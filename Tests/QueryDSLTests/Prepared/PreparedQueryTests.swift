import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Prepared queries")
struct PreparedQueryTests {
  let articles: Articles
  var db: Database { articles.db }

  init() throws { articles = try Articles() }

  @Test("a prepared query takes typed parameters and works with rows, first, count and exists")
  func parameters() throws {
    let query = try db.prepare { (code: SQLParameter<String>, stock: SQLParameter<Int>) in
      Article.where { $0.$code <= code && $0.$stock >= stock }.order(by: \.$id)
    }
    let call = query("b", 0)
    #expect(
      try call.sql.text == #"""
        SELECT "id", "code", "shelf", "isActive", "price", "stock", "added" FROM "Article" \#
        WHERE "code" <= ? AND "stock" >= ? ORDER BY "id"
        """#)
    #expect(try call.sql.values == ["b", 0])
    #expect(try db.fetch(call) == Array(Articles.all.prefix(2)))
    #expect(try db.fetch(query("z", 6)).map(\.id) == [3])
    #expect(try db.first(query("z", 0))?.id == 1)
    #expect(try db.first(query("", 0)) == nil)
    #expect(try db.count(query("z", 1)) == 2)
    #expect(try db.exists(query("z", 100)) == false)
  }

  @Test("count and exists have statements of their own, which are found again in the cache")
  func countAndExists() async throws {
    let query = try await db.prepare { (stock: SQLParameter<Int>, limit: SQLParameter<Int>) in
      Article.where { $0.$stock >= stock }.order(by: \.$id).limit(limit)
    }
    try await db.read { connection in
      #expect(try connection.count(query(5, 10)) == 2)
      #expect(try connection.exists(query(5, 10)))
      let before = try connection.statementCacheStatistics
      #expect(try connection.count(query(0, 2)) == 2)
      #expect(try connection.count(query(0, 10)) == 3)
      #expect(try connection.exists(query(8, 10)) == false)
      #expect(try connection.exists(query(0, 0)) == false)
      let after = try connection.statementCacheStatistics
      #expect(after.hits == before.hits + 4 && after.misses == before.misses)
      #expect(throws: QueryError.self) { try connection.count(query(0, -1)) }
    }
    #expect(try await db.count(query(6, 9)) == 1)
    #expect(try await db.exists(query(6, 9)))
  }

  @Test("many prepared queries work on a connection that caches few statements")
  func many() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    var configuration = Configuration()
    configuration.maximumCachedStatements = 12
    let db = try Specification.database(models: [Article.self], configuration: configuration)
    try db.insert(Articles.all)
    // Each query has its own SQL and therefore its own statement, but all return the same rows for
    // the same arguments.
    let queries = try (0..<60).map { number in
      try db.prepare { (stock: SQLParameter<Int>, code: SQLParameter<String>) in
        Article.where {
          SQLPredicate(sql: SQL(unsafe: "\(number) = \(number)"))
          $0.$stock >= stock
          $0.$code <= code
        }.order(by: \.$id)
      }
    }
    try db.read { connection in
      for _ in 0..<TestSize.count(small: 300, full: 2_000) {
        let number = Int.random(in: 0..<60, using: &random)
        let stock = Int.random(in: -1...10, using: &random)
        let code = ["", "a", "b", "c", "z"].randomElement(using: &random) ?? ""
        let query = queries[number](stock, code)
        let expected = Articles.all.filter { $0.stock >= stock && $0.code <= code }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          let count = try connection.count(query)
          #expect(count == expected.count)
        case 1:
          let found = try connection.find(Article.self, 1)
          #expect(found == Articles.all.first)
        case 2:
          let built = try connection.fetch(query.query)
          #expect(built == expected)
        default:
          let found = try connection.fetch(query)
          #expect(found == expected)
        }
      }
    }
  }

  @Test("a prepared query has any number of parameters, and may use one twice")
  func counts() throws {
    let one = try db.prepare { (id: SQLParameter<Int64?>) in Article.where { $0.$id == id } }
    #expect(try db.fetch(one(2)).map(\.code) == ["b"])
    let none = try db.prepare { Article.select { $0.count() } }
    #expect(try db.first(none()) == 3)
    let twice = try db.prepare { (number: SQLParameter<Int>) in
      Article.where { $0.$stock > number || $0.$stock == number - 5 }.select { $0.$stock + number }
    }
    #expect(try db.fetch(twice(5)) == [5, 12])
    #expect(try twice(5).sql.values == [5, 5, 5, 5])
    // The arguments come in another order than their places, beside a list and a limit.
    let mixed = try db.prepare {
      (limit: SQLParameter<Int>, codes: SQLParameterList<String>, least: SQLParameter<Int>) in
      Article.where { $0.$stock >= least && $0.$code.isIn(codes) && $0.$stock * 2 >= least }
        .order(by: \.$id).limit(limit).select(\.$code)
    }
    #expect(try db.fetch(mixed(2, ["c", "b", "a"], 0)) == ["a", "b"])
    #expect(try db.count(mixed(2, ["b"], 0)) == 1)
    #expect(try db.first(mixed(1, [], 0)) == nil)
  }

  @Test("a parameter of another prepared query throws")
  func foreignParameters() throws {
    let other = Lock<SQLParameter<Int>?>(nil)
    _ = try db.prepare { (_: SQLParameter<Int>, last: SQLParameter<Int>) in
      other.withLock { $0 = last }
      return Article.where { $0.$stock == last }
    }
    let query = try db.prepare { (stock: SQLParameter<Int>) in
      Article.where { article in
        article.$stock == stock
        if let last = other.withLock({ $0 }) { article.$stock < last }
      }
    }
    #expect(throws: QueryError.self) { try db.fetch(query(1)) }
    // The statement that was lent for it is idle again.
    #expect(throws: QueryError.self) { try db.count(query(1)) }
    try db.close()
  }

  @Test("an optional parameter takes nil, and a date takes the form of its column")
  func forms() throws {
    let shelf = try db.prepare { (shelf: SQLParameter<String?>) in
      Article.where { $0.$shelf == shelf }.select(\.$code)
    }
    try db.insert(Article.make(4, "d"))
    #expect(try db.fetch(shelf(nil)) == ["d"])
    // The query of a union is built again, with nil bound.
    #expect(try shelf(nil).query.sql.values == [nil])
    #expect(try db.fetch(shelf(nil).union(shelf("B1"))).sorted() == ["b", "d"])
    #expect(try db.fetch(shelf("A1")).sorted() == ["a", "c"])
    let added = try db.prepare { (from: SQLParameter<Date>, to: SQLParameter<Date>) in
      Article.where { $0.$added.between(from, and: to) && from <= $0.$added }.select(\.$code)
    }
    let day = Date(timeIntervalSince1970: 86_400)
    #expect(try db.fetch(added(day, day)) == ["b"])
    #expect(try added(day, day).sql.values.first == "1970-01-02T00:00:00.000000Z")
  }

  @Test("lists, lists with optionals, and limits can be parameters")
  func lists() throws {
    try db.insert(Article.make(4, "d"))
    let query = try db.prepare {
      (shelves: SQLParameterList<String?>, ids: SQLParameterList<Int64?>) in
      Article.where { $0.$shelf.isIn(shelves) && $0.$id.isIn(ids) }.select(\.$code)
    }
    #expect(try db.fetch(query([nil, "B1"], [1, 2, 3, 4])).sorted() == ["b", "d"])
    #expect(try db.fetch(query(["A1"], [3])) == ["c"])
    #expect(try db.fetch(query([], [3])) == [])
    #expect(try db.fetch(query(["B1"], Array(0..<40_000))) == ["b"])
    #expect(try db.count(query([nil], [4, nil])) == 1)
    let page = try db.prepare { (size: SQLParameter<Int>, start: SQLParameter<Int>) in
      Article.order(by: \.$id).limit(size).offset(start).select(\.$id)
    }
    #expect(try db.fetch(page(2, 1)) == [2, 3])
    #expect(try db.fetch(page(0, 0)) == [])
    #expect(throws: QueryError.self) { try db.fetch(page(-1, 0)) }
    #expect(throws: QueryError.self) { try db.count(page(-1, 0)) }
    let built = try db.prepare { (size: SQLParameter<Int>) in
      Query { (article: Columns<Article>) in
        From(article)
        OrderBy(article.$id, .descending)
        Limit(size)
        Select(article.$id)
      }
    }
    #expect(try db.fetch(built(1)) == [4])
  }

  struct Price: Model {
    @PrimaryKey var id: Int
    @Column var amount: Decimal
  }

  @Test("a list of decimals as a parameter is compared by number, as in a plain query")
  func decimalLists() throws {
    let db = try Specification.database(models: [Price.self])
    try db.execute("INSERT INTO Price VALUES (1, '1.50'), (2, '1.5'), (3, '2')")
    let some = try db.prepare { (amounts: SQLParameterList<Decimal>) in
      Price.where { $0.$amount.isIn(amounts) }.order(by: \.$id).select(\.$id)
    }
    let amounts = try [#require(Decimal(string: "1.500"))]
    #expect(try db.fetch(some(amounts)) == [1, 2])
    let plain = Price.where { $0.$amount.isIn(amounts) }.order(by: \.$id).select(\.$id)
    #expect(try some(amounts).sql.text == plain.sql.text)
  }

  @Test("a call renders and prepares nothing, and shares its statement with the plain query")
  func cached() throws {
    try db.read { connection in
      func misses(_ body: () throws -> Void) throws -> Int {
        let before = try connection.statementCacheStatistics.misses
        try body()
        return try connection.statementCacheStatistics.misses - before
      }
      let query = try connection.prepare { (code: SQLParameter<String>) in
        Article.where { $0.$code == code }
      }
      let found = try misses {
        for code in ["a", "b", "x"] { _ = try connection.fetch(query(code)) }
        _ = try connection.first(query("a"))
        _ = try connection.fetch(Article.where { $0.$code == "c" })
        _ = try connection.fetch(query("a").query)
      }
      #expect(found == 0)
    }
  }

  @Test(
    "a prepared query is valid on every connection of the pool and after a change of the schema")
  func everywhere() async throws {
    struct Wide: Model {
      static var tableName: String { "Article" }
      @PrimaryKey var id: Int64?
      @Column var code: String
      @Column var colour: String?
    }
    let query = try await db.prepare { (code: SQLParameter<String>) in
      Article.where { $0.$code == code }
    }
    let db = db
    try await withThrowingTaskGroup(of: Int64?.self) { group in
      for _ in 0..<40 { group.addTask { try await db.first(query("b"))?.id } }
      for try await id in group { #expect(id == 2) }
    }
    #expect(try await db.write { try $0.fetch(query("a")) }.count == 1)
    try await db.execute(
      "ALTER TABLE Article ADD COLUMN colour TEXT; CREATE INDEX other ON Article (stock)")
    #expect(try await db.fetch(query("c")) == [Articles.all[2]])
    try await db.execute("DROP TABLE Article")
    await #expect(throws: DatabaseError.self) { try await db.fetch(query("c")) }
  }

  @Test("a prepared query works in a union, as a subquery and as a printed table")
  func asQuery() throws {
    let query = try db.prepare { (code: SQLParameter<String>) in
      Article.where { $0.$code == code }.select(\.$id)
    }
    #expect(try db.fetch(query("a").union(query("c"))).sorted { ($0 ?? 0) < ($1 ?? 0) } == [1, 3])
    #expect(try db.fetch(Article.where { $0.$id.isIn(query("b")) }).map(\.code) == ["b"])
    #expect(try db.table(query("b")).rows == [["2"]])
  }

  @Test("a prepared write runs, and its returned rows can be fetched")
  func writes() throws {
    let sell = try db.prepare { (code: SQLParameter<String>, number: SQLParameter<Int>) in
      Article.update { $0.$stock -= number }.where { $0.$code == code && $0.$stock >= number }
    }
    #expect(try db.run(sell("a", 2)) == 1)
    #expect(try db.run(sell("a", 4)) == 0)
    #expect(try articles.rows[0].stock == 3)
    let add = try db.prepare { (code: SQLParameter<String>, added: SQLParameter<Date>) in
      Article.insert {
        $0.$code = code
        $0.$added = added
      }.onConflictUpdate(\.$code) { $0.$added = $0.new.$added }.returning()
    }
    let day = Date(timeIntervalSince1970: 86_400)
    #expect(try db.first(add("d", day)) == .make(4, "d", added: 86_400))
    #expect(try db.fetch(add("a", day)).map(\.id) == [1])
    let remove = try db.prepare { (ids: SQLParameterList<Int64?>) in
      Article.delete().where { $0.$id.isIn(ids) }
    }
    #expect(try db.run(remove([1, 2, 9])) == 2)
    #expect(try articles.rows.map(\.code) == ["c", "d"])
    #expect(throws: QueryError.self) {
      try db.prepare { Article.insert(Articles.all) }
    }
  }

  /// The prepared queries and commands that a program keeps, to call them later.
  private struct Kept {
    let byCode: PreparedQuery<Article, SQLParameter<String>>
    let sell: PreparedCommand<SQLParameter<String>>
    let remove: PreparedReturning<Article, SQLParameterList<String>>
  }

  @Test("prepared queries and commands are kept in properties, and their calls have SQL")
  func properties() throws {
    let kept = Kept(
      byCode: try db.prepare { code in Article.where { $0.$code == code } },
      sell: try db.prepare { code in
        Article.update { $0.$stock -= 1 }.where { $0.$code == code }
      },
      remove: try db.prepare { codes in
        Article.delete().where { $0.$code.isIn(codes) }.returning()
      })
    #expect(try db.fetch(kept.byCode("b")).map(\.code) == ["b"])
    #expect(try kept.sell("a").sql.values == [1, "a"])
    #expect(try db.run(kept.sell("a")) == 1)
    #expect(try kept.remove(["a"]).sql.text.hasPrefix(#"DELETE FROM "Article" WHERE "code" IN"#))
    #expect(try db.fetch(kept.remove(["a", "c"])).map(\.code).sorted() == ["a", "c"])
  }

  @Test("invalid SQL, a missing table and a value that cannot be stored throw")
  func errors() throws {
    #expect(throws: QueryError.self) {
      try db.prepare { (code: SQLParameter<String>) in Article.where { $0.$code == code }.limit(-1)
      }
    }
    #expect(throws: DatabaseError.self) {
      try db.prepare { (name: SQLParameter<String>) in Customer.where { $0.$name == name } }
    }
    let price = try db.prepare { (price: SQLParameter<Double>) in
      Article.where { $0.$price < price }
    }
    #expect(throws: ColumnValueError.self) { try db.fetch(price(.nan)) }
    #expect(try db.fetch(price(2.5)).count == 1)
  }
}
