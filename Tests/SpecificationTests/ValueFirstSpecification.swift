import Foundation
import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Functions of values, orders of enumerations, and aggregates of any column")
struct ValueFirstSpecification {
  enum Level: Int, OrderedColumnValue { case low = 1, middle, high }

  struct Item: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var level: Level
    @Column var spare: Level?
    @Column var name: String
    @Column var price: Decimal
  }

  let db: Database

  init() throws {
    db = try Specification.database(models: [Item.self])
    try db.insert([
      Item(id: 1, level: .high, spare: nil, name: "Jr", price: 1.10),
      Item(id: 2, level: .low, spare: .middle, name: "r", price: 2.25),
      Item(id: 3, level: .middle, spare: .high, name: "x", price: 1.10),
    ])
  }

  private func expect(
    _ condition: String, _ ids: [Int], sourceLocation: SourceLocation = #_sourceLocation,
    @PredicateBuilder _ predicates: (Columns<Item>) -> PredicateLines
  ) throws {
    let query = Item.where(predicates).select(\.$id)
    #expect(
      try query.sql.text == #"SELECT "id" FROM "Item" WHERE "# + condition,
      sourceLocation: sourceLocation)
    #expect(try db.fetch(query).sorted() == ids, sourceLocation: sourceLocation)
  }

  private func expect<Value: ColumnValue & Equatable>(
    selecting sql: String, _ values: [Value], sourceLocation: SourceLocation = #_sourceLocation,
    _ expression: (Columns<Item>) -> SQLExpression<Value>
  ) throws {
    let query = Item.order(by: \.$id).select(expression)
    let text = try query.sql.text
    #expect(text.hasPrefix("SELECT \(sql) FROM"), "\(text)", sourceLocation: sourceLocation)
    #expect(try db.fetch(query) == values, sourceLocation: sourceLocation)
  }

  @Test("an enumeration over a number is ordered if it is declared so")
  func ordered() throws {
    try expect(#""level" > ?"#, [1, 3]) { $0.$level > .low }
    try expect(#""level" BETWEEN ? AND ?"#, [2, 3]) { $0.$level.between(.low, and: .middle) }
    try expect(#""spare" <= ?"#, [2]) { $0.$spare <= .middle }
    try expect(selecting: #"max("level")"#, [.high]) { $0.$level.max() }
    try expect(selecting: #"min("spare")"#, [.middle]) { $0.$spare.min() }
    try expect(selecting: #"max("level", ?)"#, [.high, .middle, .middle]) {
      $0.$level.max(with: .middle)
    }
  }

  @Test("a value may be the first argument of a function")
  func values() throws {
    try expect(selecting: #"instr(?, "name")"#, [1, 2, 0]) { "Jr".instr($0.$name) }
    try expect(selecting: #"? || "name""#, ["-Jr", "-r", "-x"]) { "-".concat($0.$name) }
    try expect(#"? LIKE "name""#, [1]) { "jr".like(pattern: $0.$name) }
    try expect(#"? GLOB "name""#, [3]) { "x".glob(pattern: $0.$name) }
    try expect(#"? BETWEEN "id" AND "id" + ?"#, [1, 2]) { 2.between($0.$id, and: $0.$id + 1) }
    try expect(selecting: #"pow(?, "id")"#, [2, 4, 8]) { 2.pow($0.$id) }
    try expect(selecting: #"? % "id""#, [0, 1, 1]) { 7.remainder($0.$id) }
    try expect(#"? IN (SELECT "Item_2"."name" FROM "Item" AS "Item_2")"#, [1, 2, 3]) { _ in
      "x".isIn(Item.select(\.$name))
    }
    try expect(selecting: #"char("id" + ?)"#, ["B", "C", "D"]) { ($0.$id + 65).char() }
  }

  @Test("every function takes a value as its first argument, if it is written as an expression")
  func valueExpressions() throws {
    let text = SQLExpression("Jr-r")
    try expect(selecting: #"replace(?, "name", ?)"#, ["x-r", "Jx-x", "Jr-r"]) {
      text.replace($0.$name, with: SQLExpression("x"))
    }
    try expect(selecting: #"substr(?, "id")"#, ["Jr-r", "r-r", "-r"]) { text.substr($0.$id) }
    try expect(selecting: #"substr(?, ?, "id")"#, ["J", "Jr", "Jr-"]) {
      text.substr(SQLExpression(1), $0.$id)
    }
    try expect(selecting: #"nullif(?, "name")"#, [nil, "Jr", "Jr"]) {
      SQLExpression("Jr").nullIf($0.$name)
    }
    try expect(#"instr(?, "name") > 0"#, [1, 2]) { text.contains($0.$name) }
    try expect(#"instr(?, "name") = 1"#, [1]) { text.hasPrefix($0.$name) }
    try expect(#"? = "name""#, [1]) { SQLExpression("Jr").equals($0.$name) }
    let two = SQLExpression(2)
    try expect(selecting: #"max(?, "id")"#, [2, 2, 3]) { two.max(with: $0.$id) }
    try expect(selecting: #"min(?, "id")"#, [1, 2, 2]) { two.min(with: $0.$id) }
    try expect(selecting: #"? & "id""#, [0, 2, 2]) { two.bitAnd($0.$id) }
    try expect(selecting: #"? | "id""#, [3, 2, 3]) { two.bitOr($0.$id) }
    try expect(selecting: #"? << "id""#, [4, 8, 16]) { two.shiftedLeft(by: $0.$id) }
    try expect(selecting: #"? >> "id""#, [8, 4, 2]) {
      SQLExpression(16).shiftedRight(by: $0.$id)
    }
    try expect(selecting: #"round(?, "id")"#, [1.3, 1.28, 1.281]) {
      SQLExpression(1.2811).round($0.$id)
    }
    let day = SQLExpression(Date(timeIntervalSince1970: 0)).modified(by: .days(1))
    #expect(try db.first(Query { Select(day) }) == Date(timeIntervalSince1970: 86_400))
  }

  @Test("an aggregate of Swift gives statistics of decimals exactly, one of reals is rounded")
  func statistics() throws {
    guard !Specification.usesEngine else { return }
    try db.aggregate(
      "median", .deterministic, initial: [Decimal](),
      step: { (values: inout [Decimal], price: Decimal) in values.append(price) },
      result: { (values: [Decimal]) -> Decimal? in
        let (sorted, half) = (values.sorted(), values.count / 2)
        guard !sorted.isEmpty else { return nil }
        return sorted.count.isMultiple(of: 2)
          ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
      })
    let median = SQLAggregate<Decimal?, Decimal>("median")
    let query = Item.select { median($0.$price) }
    #expect(try query.sql.text == #"SELECT "median"("price") FROM "Item""#)
    #expect(try db.fetch(query) == [Decimal(string: "1.1")])
    let even = Item.where { $0.$id < 3 }.select { median($0.$price) }
    #expect(try db.fetch(even) == [Decimal(string: "1.675")])
    let mean = try #require(try db.first(Item.select { $0.$price.cast(to: Double.self).avg() }))
    #expect(mean.map { ($0 * 1e6).rounded() } == 1_483_333)
  }

  @Test("values of any column are joined as texts")
  func concatenation() throws {
    let query = Item.select {
      (
        $0.$id.groupConcat("+"), $0.$level.groupConcat(), $0.$price.groupConcatDistinct(),
        $0.$spare.groupConcat("-")
      )
    }
    #expect(
      try query.sql.text == """
        SELECT group_concat("id", ?), group_concat("level", ?), \
        group_concat(DISTINCT "price" COLLATE "decimal"), group_concat("spare", ?) FROM "Item"
        """)
    let row = try #require(try db.first(query))
    #expect(row.0 == "1+2+3" && row.1 == "3,1,2" && row.2 == "1.1,2.25" && row.3 == "2-3")
  }

  @Test("a declared function takes values among its arguments")
  func arguments() throws {
    let printf = SQLFunction<String, String, Int, String>("printf")
    try expect(selecting: #""printf"(?, "id", ?)"#, ["1 of x", "2 of x", "3 of x"]) {
      printf("%d of %s", $0.$id, "x")
    }
    let nothing = SQLFunction<Int, String?, Int>("ifnull")
    try expect(selecting: #""ifnull"(?, "id")"#, [1, 2, 3]) { nothing(nil as String?, $0.$id) }
    let group = SQLAggregate<String?, String, String>("group_concat")
    try expect(selecting: #""group_concat"("name", ?)"#, ["Jr/r/x"]) { group($0.$name, "/") }
  }

  @Test("a function without a result is called for what it does, and is NULL")
  func procedures() throws {
    guard !Specification.usesEngine else { return }
    let notes = Lock<[String]>([])
    try db.function("note") { (text: String) in notes.withLock { $0.append(text) } }
    let note = SQLFunction<Never?, String>("note")
    try expect(selecting: #""note"("name")"#, [nil, nil, nil]) { note($0.$name) }
    #expect(notes.withLock { $0 } == ["Jr", "r", "x"])
    #expect(try db.count(Item.where { _ in note("all").equals(note("all")) }) == 0)
  }

  @Test("the total of decimals is exact, and 0 over no rows")
  func totals() throws {
    let query = Item.select { ($0.$price.total(), $0.$price.total(distinct: true)) }
    #expect(
      try query.sql.text == """
        SELECT ifnull(decimal_sum("price"), ?), ifnull(decimal_sum(DISTINCT "price" COLLATE \
        "decimal"), ?) FROM "Item"
        """)
    let row = try #require(try db.first(query))
    #expect(row.0 == Decimal(string: "4.45") && row.1 == Decimal(string: "3.35"))
    #expect(try db.fetch(Item.none.select { $0.$price.total() }) == [0])
    #expect(try db.fetch(Item.select { $0.$price.cast(to: Double.self).avg() }).count == 1)
  }

  @Test("a row value with an optional is found among the rows of a query, where nil equals nil")
  func rowValues() throws {
    let query = Item.select { ($0.$level.optional, $0.$spare) }
    try expect(
      """
      EXISTS (SELECT 1 FROM (SELECT "Item_2"."level" AS "apus_0", "Item_2"."spare" AS "apus_1" \
      FROM "Item" AS "Item_2") WHERE "level" IS "apus_0" AND "spare" IS "apus_1")
      """, [1, 2, 3]
    ) { RowValue($0.$level.optional, $0.$spare).isIn(query) }
    try expect(
      """
      EXISTS (SELECT 1 FROM (SELECT "Item_2"."id" AS "apus_0", "Item_2"."spare" AS "apus_1" \
      FROM "Item" AS "Item_2" WHERE "Item_2"."spare" IS NULL) \
      WHERE "id" IS "apus_0" AND "spare" IS "apus_1")
      """, [1]
    ) { item in
      RowValue(item.$id, item.$spare).isIn(
        Item.where { $0.$spare == nil }.select { ($0.$id, $0.$spare) })
    }
  }
}
