import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// Prices whose text would sort differently. Literals here are multiples of a quarter, because
/// others are rounded on their way through Double.
struct Item: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var price: Decimal
  @Column var discount: Decimal?
  @Column var group: String

  static var schema: Schema<Item> {
    Index { $0.$price.collated(.decimal) }
  }
}

@Suite("Decimal numbers")
struct DecimalSpecification {
  private let db: Database

  private static func decimal(_ text: String) throws -> Decimal {
    try #require(Decimal(string: text))
  }

  init() throws {
    db = try Specification.database(models: [Item.self])
    let items: [(String, String?, String)] = [
      ("10", "0.1", "a"), ("9.5", nil, "a"), ("-2", "-10", "b"), ("0.25", "0.2", "b"),
      ("100000000000000000000000000000000.00001", "9", "c"),
      ("100000000000000000000000000000000.00002", "10", "c"),
    ]
    try db.insert(
      try items.enumerated().map { index, item in
        Item(
          id: index + 1, price: try Self.decimal(item.0),
          discount: try item.1.map(Self.decimal), group: item.2)
      })
  }

  private func expect(
    where condition: String, _ ids: [Int], sourceLocation: SourceLocation = #_sourceLocation,
    @PredicateBuilder _ predicates: (Columns<Item>) -> PredicateLines
  ) throws {
    let query = Item.where(predicates)
    let text = try query.sql.text
    #expect(text.hasSuffix(" WHERE " + condition), "\(text)", sourceLocation: sourceLocation)
    #expect(try db.fetch(query).map(\.id).sorted() == ids, sourceLocation: sourceLocation)
    #expect(try db.count(query) == ids.count, sourceLocation: sourceLocation)
  }

  private func expect<Row: Equatable>(
    _ query: some Fetchable<Row>, _ part: String, _ rows: [Row],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = try query.sql.text
    #expect(text.contains(part), "\(text)", sourceLocation: sourceLocation)
    #expect(try db.fetch(query) == rows, sourceLocation: sourceLocation)
    // The second fetch uses the cached statement.
    #expect(try db.fetch(query) == rows, sourceLocation: sourceLocation)
  }

  @Test("< > <= >= compare decimals as numbers to the last digit")
  func comparing() throws {
    let great = try Self.decimal("100000000000000000000000000000000.00001")
    try expect(where: #""price" COLLATE "decimal" < ?"#, [2, 3, 4]) { $0.$price < 10 }
    try expect(where: #""price" COLLATE "decimal" <= ?"#, [1, 2, 3, 4]) { $0.$price <= 10 }
    try expect(where: #""price" COLLATE "decimal" > ?"#, [6]) { $0.$price > great }
    try expect(where: #""price" COLLATE "decimal" >= ?"#, [5, 6]) { $0.$price >= great }
    try expect(where: #""discount" COLLATE "decimal" < ?"#, [1, 3, 4, 5]) { $0.$discount < 10 }
    try expect(where: #""discount" COLLATE "decimal" > "price""#, []) {
      $0.$discount > $0.$price.optional
    }
    try expect(where: #""price" COLLATE "decimal" > "discount""#, [1, 3, 4, 5, 6]) {
      $0.$price.optional > $0.$discount
    }
    try expect(where: #""price" COLLATE "decimal" BETWEEN ? AND ?"#, [2, 4]) {
      $0.$price.between(0, and: 9.5)
    }
    try expect(where: #""price" COLLATE "decimal" BETWEEN ? AND ?"#, [1, 2]) {
      $0.$price.isIn(9...10)
    }
    try expect(
      where: #""price" COLLATE "decimal" >= ? AND "price" COLLATE "decimal" < ?"#, [2]
    ) { $0.$price.isIn(9..<10) }
  }

  @Test("== and isIn compare numbers, however their text is written, and follow the NULL rule")
  func equality() throws {
    let tenth = try Self.decimal("0.1")
    try expect(where: #""price" COLLATE "decimal" = ?"#, [2]) { $0.$price == 9.5 }
    try expect(where: #""price" COLLATE "decimal" <> ?"#, [1, 3, 4, 5, 6]) { $0.$price != 9.5 }
    try expect(where: #""discount" IS NULL"#, [2]) { $0.$discount == nil }
    try expect(where: #""discount" COLLATE "decimal" IS NOT ?"#, [2, 3, 4, 5, 6]) {
      $0.$discount != tenth
    }
    try expect(
      where: #""price" COLLATE "decimal" IN (SELECT value FROM apus_array(?))"#, [1, 3]
    ) { $0.$price.isIn([-2, 10, 11]) }
    try expect(where: #""price" COLLATE "decimal" IS decimal_mul("discount", ?)"#, []) {
      $0.$price.optional == $0.$discount * 7
    }
    // Another spelling of the number, from another program, equals it and reads back as the number.
    try db.execute(#"UPDATE Item SET price = '9.50' WHERE id = 2"#)
    #expect(try db.count(Item.where { $0.$price == 9.5 }) == 1)
    #expect(try db.count(Item.where { $0.$price.isIn([9.5]) }) == 1)
    #expect(try db.fetch(Item.where { $0.$price == 9.5 }).map(\.price) == [9.5])
  }

  @Test("ORDER BY sorts by number: columns, named results, unions and rows of a struct")
  func ordering() throws {
    struct Price: ResultRow, Equatable { @Column var price: Decimal }
    let ids = [3, 4, 2, 1, 5, 6]
    let prices = try db.fetch(Item.order(by: \.$id).select(\.$price))
    let sorted = prices.sorted()
    try expect(
      Item.order(by: \.$price).select(\.$id), #" ORDER BY "price" COLLATE "decimal""#, ids)
    try expect(
      Item.order(by: \.$price, .descending).limit(2).select(\.$id),
      #" ORDER BY "price" COLLATE "decimal" DESC LIMIT ?"#, [6, 5])
    try expect(
      Item.order(by: \.$discount, nulls: .last).select(\.$id),
      #" ORDER BY "discount" COLLATE "decimal" NULLS LAST"#, [3, 1, 4, 5, 6, 2])
    try expect(
      Item.all.order(by: { $0.$price * -1 }).select(\.$id),
      #" ORDER BY decimal_mul("price", ?) COLLATE "decimal""#, ids.reversed())
    try expect(
      Item.select(\.$price).order(byColumn: "price"),
      #" ORDER BY "price" COLLATE "decimal""#, sorted)
    try expect(
      Item.select { ($0.$price + 0).as("total") }.order(byColumn: "total"),
      #"decimal_add("price", ?) COLLATE "decimal" AS "total" FROM "Item" ORDER BY "total""#,
      sorted)
    try expect(
      Item.select(into: Price.self).order(byColumn: "price"),
      #"SELECT "price" COLLATE "decimal" AS "price" FROM "Item" ORDER BY "price""#,
      sorted.map { Price(price: $0) })
    let union = Item.where { $0.$id < 4 }.union(Item.where { $0.$id >= 4 })
    #expect(try db.fetch(union.order(by: \.$price)).map(\.id) == ids)
    let whole = Query { (item: Columns<Item>) in
      From(item)
      OrderBy(item.$price, .descending)
      Select(item.$id)
    }
    try expect(whole, #" ORDER BY "price" COLLATE "decimal" DESC"#, ids.reversed())
    let named = Query { (item: Columns<Item>) in
      let price = (item.$price * 2).as("double")
      From(item)
      OrderBy(price)
      Select(item.$id, price)
    }
    #expect(try db.fetch(named).map(\.0) == ids)
  }

  @Test("an index with the collation is used for ranges, equality and order")
  func index() throws {
    for query in [
      Item.where { $0.$price < 10 }, Item.where { $0.$price == 10 },
      Item.where { $0.$price.isIn([1, 2]) },
    ] {
      let plan = try db.explain(query).details
      #expect(plan.contains { $0.contains("SEARCH Item USING INDEX") }, "\(plan)")
    }
    let plan = try db.explain(Item.order(by: \.$price)).details
    #expect(plan.count == 1 && plan[0].contains("USING INDEX"), "\(plan)")
  }

  @Test("min, max, DISTINCT, groups and windows compare decimals as numbers")
  func extremes() throws {
    let great = try Self.decimal("100000000000000000000000000000000.00002")
    try expect(
      Item.select { $0.$price.min() }, #"min("price" COLLATE "decimal")"#, [Decimal(-2)])
    try expect(Item.select { $0.$price.max() }, #"max("price" COLLATE "decimal")"#, [great])
    try expect(
      Item.select { $0.$discount.max() }, #"max("discount" COLLATE "decimal")"#, [Decimal(10)])
    try expect(
      Item.where { $0.$id <= 2 }.order(by: \.$id).select { $0.$price.max(with: 9.75) },
      #"max("price" COLLATE "decimal", ?)"#, [10, 9.75])
    try expect(
      Item.where { $0.$id <= 4 }.order(by: \.$id).select {
        $0.$price.max().over(.order(by: $0.$id).rows(.preceding(1), .currentRow))
      }, #"max("price" COLLATE "decimal") OVER"#, [10, 10, 9.5, 0.25])
    try expect(
      Item.where { $0.$id <= 4 }.order(by: \.$id).select { $0.rank().over(.order(by: $0.$price)) },
      #"OVER (ORDER BY "price" COLLATE "decimal")"#, [4, 3, 1, 2])
    try expect(
      Item.where { $0.$id <= 2 }.order(by: \.$id).select { $0.$price.nullIf(10) },
      #"nullif("price" COLLATE "decimal", ?)"#, [nil, 9.5])
    try expect(
      Item.where { $0.$id <= 2 }.order(by: \.$id).select {
        $0.$price.case(10, then: "ten").else("other")
      }, #"CASE "price" COLLATE "decimal" WHEN ? THEN ?"#, ["ten", "other"])
    try db.execute("INSERT INTO Item VALUES (7, '10.0', '10.0', 'z')")
    try expect(
      Item.all.group(by: \.$price).select { $0.count() }, #"GROUP BY "price" COLLATE "decimal""#,
      [1, 1, 1, 2, 1, 1])
    try expect(
      Item.select { $0.count(distinct: $0.$price) }, #"count(DISTINCT "price" COLLATE "decimal")"#,
      [6])
    try expect(
      Item.where { $0.$id.isIn([1, 7]) }.select { $0.$price.sum(distinct: true) },
      #"decimal_sum(DISTINCT "price" COLLATE "decimal")"#, [10])
  }

  @Test("+ - * and sum are exact, and NULL gives NULL")
  func arithmetic() throws {
    let tenth = try Self.decimal("0.1")
    let last = try Self.decimal("0.00001")
    let first = Item.where { $0.$id == 1 }
    try expect(
      first.select { $0.$discount + tenth * 2 }, #"decimal_add("discount", ?)"#, [tenth * 3])
    try expect(first.select { $0.$price - $0.$price * 2 }, "decimal_sub(", [-10])
    try expect(first.select { -$0.$price }, #"decimal_sub(0, "price")"#, [-10])
    try expect(
      Item.where { $0.$id == 2 }.select { $0.$discount * 2 }, #"decimal_mul("discount", ?)"#, [nil])
    try expect(
      Item.where { $0.$id == 5 }.select { $0.$price + last }, "decimal_add(",
      [try Self.decimal("100000000000000000000000000000000.00002")])
    try expect(
      Item.select { $0.$price.sum() }, #"decimal_sum("price")"#,
      [try Self.decimal("200000000000000000000000000000017.75003")])
    try expect(
      Item.select { $0.$discount.sum() }, #"decimal_sum("discount")"#, [try Self.decimal("9.3")])
    try expect(
      Item.where { $0.$id < 0 }.select { $0.$price.sum() }, "decimal_sum", [nil])
    try expect(
      Item.all.group(by: \.$group).having { $0.$price.sum() > 15 }.order(by: \.$group)
        .select(\.$group), #"HAVING decimal_sum("price") COLLATE "decimal" > ?"#, ["a", "c"])
    try expect(
      Item.where { $0.$id <= 3 }.order(by: \.$id).select {
        $0.$price.sum().over(.order(by: $0.$id).rows(.preceding(1), .currentRow))
      }, #"decimal_sum("price") OVER"#, [10, 19.5, 7.5])
    // The price 0.25 and seven tenths, minus half a tenth, are 0.9.
    try db.run(Item.update { $0.$price += tenth }.where { $0.$id == 4 })
    for _ in 0..<6 { try db.run(Item.update { $0.$price += tenth }.where { $0.$id == 4 }) }
    try db.run(Item.update { $0.$price -= tenth * 0.5 }.where { $0.$id == 4 })
    try db.run(Item.update { $0.$price *= 10 }.where { $0.$id == 4 })
    #expect(try db.find(Item.self, 4)?.price == 9)
  }

  @Test("a result with more digits than a Decimal holds throws when it is read")
  func tooManyDigits() throws {
    let square = Item.where { $0.$id == 5 }.select { $0.$price * $0.$price }
    #expect(throws: ColumnValueError.self) { try db.fetch(square) }
    #expect(try db.count(Item.where { $0.$price * $0.$price > $0.$price }) == 5)
  }

  @Test("a cast to Decimal gives the number in its stored text")
  func casting() throws {
    let first = Item.where { $0.$id == 1 }
    try expect(
      first.select { _ in SQLExpression<Double>(1).cast(to: Decimal.self) }, "decimal(?)", [1])
    try expect(first.select { $0.$id.cast(to: Decimal.self) * 2.5 }, #"decimal("id")"#, [2.5])
    try expect(
      first.select { _ in SQLExpression<String?>("1.50").cast(to: Decimal.self) }, "decimal(?)",
      [1.5])
    #expect(throws: DatabaseError.self) {
      try db.fetch(first.select { $0.$group.cast(to: Decimal.self) })
    }
  }

  @Test("a custom type over Decimal is compared, ordered and added like a Decimal")
  func ownType() throws {
    let accounts = try Specification.database(models: [Account.self])
    try accounts.insert([
      Account(id: 1, balance: 10), Account(id: 2, balance: 9), Account(id: 3, balance: -2),
    ])
    let query = Account.where { $0.$balance < 10 }.order(by: \.$balance)
    #expect(
      try query.sql.text.hasSuffix(
        #"WHERE "balance" COLLATE "decimal" < ? ORDER BY "balance" COLLATE "decimal""#))
    #expect(try accounts.fetch(query).map(\.id) == [3, 2])
    #expect(try accounts.fetch(Account.select { $0.$balance.max() }) == [10])
    try accounts.run(Account.update { $0.$balance += 1 })
    #expect(
      try accounts.fetch(Account.select { $0.$balance * 2 }.order(by: \.$id)) == [22, 20, -2])
  }

  struct Euro: RawRepresentable, AdditiveColumnValue, Equatable, ExpressibleByIntegerLiteral {
    var rawValue: Decimal
    init(rawValue: Decimal) { self.rawValue = rawValue }
    init(integerLiteral value: Int) { rawValue = Decimal(value) }
  }

  struct Account: Model {
    @PrimaryKey var id: Int
    @Column var balance: Euro
  }

  @Test("a schema can compute and check decimals")
  func schema() throws {
    let orders = try Specification.database(models: [Order.self])
    try orders.insert(Order(id: 1, price: try Self.decimal("0.1"), count: 3))
    #expect(try orders.find(Order.self, 1)?.total == (try Self.decimal("0.3")))
    let error = #expect(throws: DatabaseError.self) {
      try orders.insert(Order(id: 2, price: -10, count: 1))
    }
    #expect(error?.code.primary == .constraint)
  }

  struct Order: Model {
    @PrimaryKey var id: Int
    @Column var price: Decimal
    @Column var count: Decimal
    @Column var total: Decimal = 0

    static var schema: Schema<Order> {
      Generated(\.$total) { $0.$price * $0.$count }
      Check { $0.$price >= 0 }
    }
  }

  @Test("comparing, ordering and adding random decimals agrees with Foundation")
  func random() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    func number() -> Decimal {
      let digits = Decimal(Int64.random(in: -99_999_999...99_999_999, using: &random))
      let sign: FloatingPointSign = digits.isSignMinus ? .minus : .plus
      return Decimal(
        sign: sign, exponent: Int.random(in: -12...6, using: &random), significand: digits.magnitude
      )
    }
    try db.run(Item.delete())
    let items = (1...300).map { Item(id: $0, price: number(), discount: number(), group: "") }
    try db.insert(items)
    let limit = number()
    let expected = items.sorted { ($0.price, $0.id) < ($1.price, $1.id) }.map(\.id)
    #expect(
      try db.fetch(Item.order(by: \.$price).order(by: \.$id).select(\.$id)) == expected,
      "seed \(seed)")
    #expect(
      try db.count(Item.where { $0.$price < limit }) == items.count { $0.price < limit },
      "seed \(seed)")
    #expect(
      try db.count(Item.where { $0.$price.optional >= $0.$discount })
        == items.count { $0.price >= $0.discount ?? 0 }, "seed \(seed)")
    #expect(
      try db.fetch(Item.select { $0.$price.sum() }) == [items.reduce(0) { $0 + $1.price }],
      "seed \(seed)")
    #expect(
      try db.fetch(Item.order(by: \.$id).select { $0.$price.optional - $0.$discount })
        == items.map { $0.price - ($0.discount ?? 0) }, "seed \(seed)")
  }
}
