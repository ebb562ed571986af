import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

private enum Weather: String, ColumnValue, Codable { case calm, wild }

/// A model with a value of each kind, Codable as a whole.
private struct Thing: Model, Codable, Equatable {
  @PrimaryKey var id: Int
  @Column var owner: Int?
  @Column var text: String
  @Column var flag: Bool
  @Column var maybe: Bool?
  @Column var real: Double
  @Column var small: Float
  @Column var price: Decimal
  @Column var data: Data
  @Column var bytes: [UInt8]
  @Column var uuid: UUID
  @Column var raw: UUID
  @Column var url: URL?
  @Column var date: Date
  @Column var epoch: Date
  @Column var julian: Date
  @Column var iso: Date
  @Column var mood: Weather
  @Column var tags: JSON<[String]>
  @Column var big: Int64
  @Column var key: Unique64

  static var schema: Schema<Thing> {
    Index(\.$owner)
    Stored(\.$raw, as: .bytes)
    Stored(\.$epoch, as: .unixEpoch)
    Stored(\.$julian, as: .julianDay)
    Stored(\.$iso, as: .iso8601)
  }

  init(id: Int, _ generator: inout SeededGenerator) {
    let texts = ["", "plain", "\"quoted\"\\", "{\"a\":1}", "[1]", "null", "a\0b", "é😀\n", "true"]
    let moment = Date(
      timeIntervalSince1970: Double(Int.random(in: 0..<4_000_000_000_000, using: &generator)) / 1e3)
    self.id = id
    owner = id % 3 == 0 ? nil : id % 3
    text = Specification.storable(texts[id % texts.count])
    flag = id % 2 == 0
    maybe = id % 3 == 0 ? nil : id % 3 == 1
    real = Double(bitPattern: UInt64.random(in: 0..<0x7FE0 << 48, using: &generator))
    small = Float(bitPattern: UInt32.random(in: 0..<0x7F00_0000, using: &generator))
    price =
      Decimal(string: "\(id).\(Int.random(in: 0..<1_000_000_000_000, using: &generator))") ?? 0
    data = Data((0..<id % 7).map { UInt8($0 &* 37) })
    bytes = (0..<id % 5).map { UInt8(250 + $0) }
    let key = UUID(uuidString: "00000000-0000-4000-8000-0000000000\(10 + id % 80)") ?? UUID()
    (uuid, raw) = (key, key)
    url = id % 4 == 0 ? nil : URL(string: "https://example.org/a?b=\(id)")
    (date, julian, iso) = (moment, moment, moment)
    epoch = moment
    mood = id % 2 == 0 ? .calm : .wild
    tags = JSON(id % 2 == 0 ? [] : ["x", "\(id)"])
    big = Int64.max - Int64(id)
    self.key = Unique64(rawValue: Int64.max - Int64(id))
  }
}

private struct Owner: Model, Codable, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String
  @Column var settings: JSON<[String: Int]> = JSON([:])
}

private struct Summary: Codable, Equatable {
  var text: String
  var owner: Owner
  var isWild: Bool?
  var tags: [String]
}

private struct Visit: ResultRow, Codable, Equatable {
  @Column var id: Int
  @Column var label: String
}

@Suite("JSON that queries make")
struct JSONBuildingSpecification {
  let db: Database
  private let things: [Thing]

  init() throws {
    db = try Specification.database(models: [Thing.self, Owner.self])
    var generator = SeededGenerator(seed: 7)
    try db.insert((1...60).map { Thing(id: $0, &generator) })
    try db.insert([Owner(id: 1, name: "Jane"), Owner(id: 2, name: "Joe"), Owner(id: 3, name: "Z")])
    things = try db.fetch(Thing.order(by: \.$id))
  }

  private func own(_ owner: Int) -> [Thing] { things.filter { $0.owner == owner } }

  @Test("a model of every kind of value decodes from its JSON as the model itself")
  func wholeModels() throws {
    let found = try db.fetch(Thing.select { $0.jsonObject() }.order(by: \.$id))
    for (found, thing) in zip(found, things) { #expect(found.value == thing) }
    #expect(found.count == things.count)
    let sql = try Owner.select { $0.jsonObject() }.sql.text
    #expect(
      sql == """
        SELECT json_object('id', "id", 'name', "name", 'settings', json("settings")) FROM "Owner"
        """)
  }

  @Test("each kind of value is written by the function that keeps it")
  func kinds() throws {
    func sql<Value: ColumnValue & Codable>(
      _ column: (Columns<Thing>) -> SQLExpression<Value>
    ) throws -> String {
      let text = try Thing.select { jsonArray(column($0)) }.sql.text
      return String(text.dropFirst("SELECT json_array(".count).dropLast(#") FROM "Thing""#.count))
    }
    #expect(try sql { $0.$text } == #""text""#)
    #expect(try sql { $0.$big } == #""big""#)
    #expect(try sql { $0.$uuid } == #""uuid""#)
    #expect(try sql { $0.$url } == #""url""#)
    #expect(try sql { $0.$mood } == #""mood""#)
    #expect(
      try sql { $0.$maybe }
        == #"json(CASE "maybe" WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE "maybe" END)"#)
    #expect(try sql { $0.$real } == #"json(apus_json_real("real"))"#)
    #expect(try sql { $0.$price } == #"json(decimal("price"))"#)
    #expect(try sql { $0.$data } == #"json(apus_json_base64("data"))"#)
    #expect(try sql { $0.$bytes } == #"json(apus_json_bytes("bytes"))"#)
    #expect(try sql { $0.$raw } == #"json(apus_json_uuid("raw"))"#)
    #expect(try sql { $0.$date } == #"json(apus_json_date("date", 'standard'))"#)
    #expect(try sql { $0.$iso } == #"json(apus_json_date("iso", 'iso8601'))"#)
    #expect(try sql { $0.$tags } == #"json("tags")"#)
    #expect(try sql { $0.$key } == #"CAST("key" AS TEXT)"#)
    // A text that a JSON function returns is a text, not JSON.
    #expect(try sql { $0.$tags.type(at: 0) } == #"json_type("tags", ?) || ''"#)
    #expect(
      try sql { $0.$tags.value(at: 0, as: String.self) }
        == #"apus_json_value("tags" -> ?, 'String')"#)
  }

  @Test("an object of columns, expressions and other objects is read as a Codable type")
  func objects() throws {
    let query = Query { (thing: Columns<Thing>, owner: Columns<Owner>) in
      From(thing)
      Join(owner, on: thing.$owner.equals(owner.$id))
      OrderBy(thing.$id)
      Limit(4)
      Select(
        jsonObject(
          thing.$text, owner.jsonObject().as("owner"),
          SQLExpression(thing.$mood == .wild).as("isWild"), thing.$tags, as: Summary.self))
    }
    #expect(
      try query.sql.text.hasPrefix(
        """
        SELECT json_object('text', "Thing"."text", 'owner', json_object('id', "Owner"."id", \
        'name', "Owner"."name", 'settings', json("Owner"."settings")), 'isWild', json(CASE
        """))
    let expected = things.filter { $0.owner != nil }.prefix(4).map {
      Summary(
        text: $0.text, owner: Owner(id: $0.owner ?? 0, name: $0.owner == 1 ? "Jane" : "Joe"),
        isWild: $0.mood == .wild, tags: $0.tags.value)
    }
    #expect(try db.fetch(query).map(\.value) == expected)
  }

  @Test("whole children become one column of JSON, in the order of their query")
  func children() throws {
    let query = Owner.select { owner in
      let things = Thing.where { $0.$owner.equals(owner.$id) }.order(by: \.$id, .descending).limit(
        2)
      return (owner, things.jsonGroupArray())
    }.order(by: \.$id)
    let found = try db.fetch(query)
    #expect(found.map(\.0.id) == [1, 2, 3])
    let expected: [[Thing]] = [1, 2, 3].map { owner in Array(own(owner).reversed().prefix(2)) }
    #expect(found.map(\.1.value) == expected)
    let plan = try db.rows("EXPLAIN QUERY PLAN \(try query.sql)").map {
      try $0.get(String.self, named: "detail")
    }
    #expect(plan.contains { $0.contains("Thing_on_owner (owner=?)") }, "\(plan)")
    let small = Owner.select { owner in
      Query { (thing: Columns<Thing>) in
        From(thing)
        Where { thing.$owner.equals(owner.$id) }
        OrderBy(thing.$id)
        Select(thing.$id, thing.$text.as("label"), into: Visit.self)
      }.jsonGroupArray()
    }.order(by: \.$id)
    #expect(
      try small.sql.text == """
        SELECT (SELECT json_group_array(json_object('id', "Visit"."id", 'label', "Visit"."label")) \
        FROM (SELECT "Thing"."id" AS "id", "Thing"."text" AS "label" FROM "Thing" WHERE \
        "Thing"."owner" = "Owner"."id" ORDER BY "Thing"."id") AS "Visit") FROM "Owner" ORDER BY "id"
        """)
    let visits: [[Visit]] = [1, 2, 3].map { owner in
      own(owner).map { Visit(id: $0.id, label: $0.text) }
    }
    #expect(try db.fetch(small).map(\.value) == visits)
  }

  @Test("whole children of a group become one column of JSON, which is empty without children")
  func groupedChildren() throws {
    let inner = Query { (owner: Columns<Owner>, thing: Columns<Thing>) in
      From(owner)
      Join(thing, on: thing.$owner.equals(owner.$id))
      GroupBy(owner.$id)
      OrderBy(owner.$id)
      Select(owner, thing.jsonGroupArray().filter(thing.$id < 20))
    }
    func sorted(_ things: [Thing]) -> [Thing] { things.sorted { $0.id < $1.id } }
    let expected = [1, 2].map { owner in own(owner).filter { $0.id < 20 } }
    #expect(try db.fetch(inner).map { sorted($0.1.value) } == expected)
    let outer = Query { (owner: Columns<Owner>, visit: OptionalColumns<Owner>) in
      From(owner)
      LeftJoin(visit, on: visit.$id > owner.$id.optional)
      GroupBy(owner.$id)
      OrderBy(owner.$id)
      Select(owner.$id, visit.jsonGroupArray())
    }
    #expect(
      try outer.sql.text == """
        SELECT "Owner"."id", json_group_array(json_object('id', "Owner_2"."id", 'name', \
        "Owner_2"."name", 'settings', json("Owner_2"."settings"))) \
        FILTER (WHERE "Owner_2"."id" IS NOT NULL) FROM "Owner" LEFT JOIN "Owner" AS "Owner_2" \
        ON "Owner_2"."id" > "Owner"."id" GROUP BY "Owner"."id" ORDER BY "Owner"."id"
        """)
    let found = try db.fetch(outer)
    #expect(found.map(\.0) == [1, 2, 3])
    #expect(found.map { Set($0.1.value.map(\.id)) } == [[2, 3], [3], []])
  }

  @Test("the values of a column become an array, in the order of their query")
  func columns() throws {
    let query = Owner.select { owner in
      Thing.where { $0.$owner.equals(owner.$id) }.order(by: \.$id).select(\.$text).jsonGroupArray()
    }.order(by: \.$id)
    #expect(
      try query.sql.text == """
        SELECT (SELECT json_group_array("value" || '') FROM (SELECT "Thing"."text" AS "value" FROM \
        "Thing" WHERE "Thing"."owner" = "Owner"."id" ORDER BY "Thing"."id")) FROM "Owner" \
        ORDER BY "id"
        """)
    let texts: [[String]] = [1, 2, 3].map { owner in own(owner).map(\.text) }
    #expect(try db.fetch(query).map(\.value) == texts)
    let dates = Owner.select { owner in
      Thing.where { $0.$owner.equals(owner.$id) }.order(by: \.$id).select(\.$iso).jsonGroupArray()
    }.order(by: \.$id)
    let moments: [[Date]] = [1, 2, 3].map { owner in own(owner).map(\.iso) }
    #expect(try db.fetch(dates).map(\.value) == moments)
    let objects = Owner.select { owner in
      Thing.where { $0.$owner.equals(owner.$id) }.order(by: \.$id).limit(1)
        .select { $0.jsonObject() }.jsonGroupArray()
    }.order(by: \.$id)
    let firsts: [[Thing]] = [1, 2, 3].map { owner in Array(own(owner).prefix(1)) }
    #expect(try db.fetch(objects).map(\.value) == firsts)
    let two = Owner.select { owner in Owner.select(\.$name).jsonGroupArray() }.limit(1)
    #expect(try db.fetch(two).map(\.value) == [["Jane", "Joe", "Z"]])
  }

  @Test("aggregates make arrays and objects of the rows of a group")
  func aggregates() throws {
    let query = Query { (thing: Columns<Thing>) in
      From(thing)
      GroupBy(thing.$mood)
      OrderBy(thing.$mood)
      Select(
        thing.$mood, thing.$big.jsonGroupArray().filter(thing.$id <= 4),
        thing.$maybe.jsonGroupArray().filter(thing.$id <= 4),
        thing.$text.jsonGroupObject(thing.$real))
    }
    let found = try db.fetch(query)
    #expect(found.map(\.0) == [.calm, .wild])
    let numbers: [Set<Int64>] = [[Int64.max - 2, Int64.max - 4], [Int64.max - 1, Int64.max - 3]]
    #expect(found.map { Set($0.1.value) } == numbers)
    #expect(found.map { $0.2.value.contains(nil) } == [false, true])
    for row in found {
      let own = things.filter { $0.mood == row.0 }
      #expect(Set(row.3.value.keys) == Set(own.map(\.text)))
      #expect(
        row.3.value.allSatisfy { key, real in
          own.contains { $0.text == key && $0.real == real }
        })
    }
    #expect(
      try Thing.select { $0.$text.jsonGroupObject($0.$flag) }.sql.text == """
        SELECT apus_json_group_object("text", json_quote(json(CASE "flag" WHEN 1 THEN 'true' \
        WHEN 0 THEN 'false' ELSE "flag" END))) FROM "Thing"
        """)
  }

  @Test("JSON from a subquery, a view or a collated column stays JSON")
  func lostMarks() throws {
    struct Row: ResultRow {
      @Column var id: Int
      @Column var part: JSON<[String]>
    }
    struct Whole: Codable, Equatable { var part: [String] }
    let inner = Query { (thing: Columns<Thing>) in
      From(thing)
      OrderBy(thing.$id)
      Limit(5)
      Select(thing.$id, jsonArray(thing.$text, thing.$text.upper()).as("part"), into: Row.self)
    }
    let query = Query { (row: Columns<Row>) in
      From(inner.as(row))
      OrderBy(row.$id)
      Select(jsonObject(row.$part, as: Whole.self))
    }
    let expected = things.prefix(5).map { Whole(part: [$0.text, $0.text.uppercased()]) }
    #expect(try db.fetch(query).map(\.value) == expected)
    let collated = Thing.where { $0.$id == 1 }.select {
      jsonArray($0.$tags.collated(.noCase), $0.$tags.optional.ifNull([]))
    }
    #expect(try db.fetch(collated).map { $0.value.map(\.value) } == [[["x", "1"], ["x", "1"]]])
    let nested = Thing.where { $0.$id == 1 }.select { thing in
      jsonArray(Owner.select { $0.$name.jsonGroupArray() }.subquery().ifNull([]))
    }
    #expect(
      try db.fetch(nested).map { $0.value.map { Set($0.value) } } == [[["Jane", "Joe", "Z"]]])
  }
}
