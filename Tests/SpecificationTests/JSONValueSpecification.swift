import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private enum Level: String, ColumnValue, Codable { case low, high }

/// A type without a raw value, whose JSON SQL does not know.
private struct Paint: ColumnValue, Codable, Equatable {
  var rgb: UInt32
  static var storageClass: StorageClass { .integer }
  init(_ cell: borrowing Cell) throws { rgb = try UInt32(cell) }
  func databaseValue(as form: StoredForm) throws -> DatabaseValue { .integer(Int64(rgb)) }
}

private struct Event: Model, Equatable {
  struct Info: Codable, Equatable, Sendable {
    var at: Date
    var key: UUID
    var price: Decimal
    var data: Data
    var bytes: [UInt8]
    var vector: [Float]
    var url: URL
    var count: Int64
    var isOpen: Bool
    var ratio: Double
    var share: Float
    var level: Level
    var id: Unique64
    var note: String?
  }

  @PrimaryKey var id: Int
  @Column var info: JSON<Info>
  @Column var at: Date
  @Column var key: UUID
  @Column var dates: JSON<[Date]>
  @Column var keys: JSON<[UUID]>
  @Column var prices: JSON<[Decimal]>
  @Column var blobs: JSON<[Data]>
  @Column var ids: JSON<[Unique64]>
  @Column var levels: JSON<[Level?]>
  @Column var moments: JSON<[String: Date]>

  static var schema: Schema<Event> { Stored(\.$at, as: .iso8601) }
}

@Suite("Values inside JSON")
struct JSONValueSpecification {
  private let db: Database
  private let infos: [Event.Info]

  init() throws {
    db = try Specification.database(models: [Event.self])
    infos = try [1, 2].map(Self.info)
    try db.insert(
      infos.enumerated().map { number, info in
        Event(
          id: number + 1, info: JSON(info), at: info.at, key: info.key, dates: [info.at],
          keys: [info.key], prices: [info.price], blobs: [info.data], ids: [info.id],
          levels: [info.level, nil], moments: JSON(["x": info.at]))
      })
  }

  private static func info(_ number: Int) throws -> Event.Info {
    let isFirst = number == 1
    let date = Date(timeIntervalSinceReferenceDate: isFirst ? 700_000_000.25 : 1_400_000_000.5)
    let key =
      isFirst
      ? "E621E1F8-C36C-495A-93FC-0C247A3E6E5F" : "00000000-0000-4000-8000-0000000000AB"
    let price = isFirst ? "9.50" : "12345678901234567890.123"
    let share: Float = isFirst ? 0.1 : 0.2
    let count: Int64 = 9_007_199_254_740_992
    let id: Int64 = 3_301_234_567_890_123_455
    return Event.Info(
      at: Date.canonical(date), key: try #require(UUID(uuidString: key)),
      price: try #require(Decimal(string: price)), data: Data([1, 2, UInt8(number)]),
      bytes: [0, 255, UInt8(number)], vector: [0.1, share],
      url: try #require(URL(string: "https://example.org/a?b=\(number)")),
      count: count + Int64(number), isOpen: isFirst, ratio: isFirst ? 0.1 + 0.2 : 1e22,
      share: share, level: isFirst ? .low : .high, id: Unique64(rawValue: id + Int64(number)),
      note: isFirst ? "\"a\"/\\é" : nil)
  }

  /// Expects that the value at a path is read, compared, found in a list and sorted as a column is.
  private func expect<Value: OrderedColumnValue & Equatable>(
    _ key: JSONStep, _ value: (Event.Info) -> Value, isDescending: Bool = false
  ) throws {
    let read = Event.select { $0.$info.value(at: key, as: Value.self) }.order(by: \.$id)
    #expect(try db.fetch(read) == infos.map(value))
    for (index, info) in infos.enumerated() {
      let value = value(info)
      #expect(
        try db.fetch(Event.where { $0.$info.value(at: key, as: Value.self) == value }).map(\.id)
          == [index + 1], "\(key)")
      #expect(
        try db.fetch(Event.where { $0.$info.value(at: key, as: Value.self).isIn([value]) })
          .map(\.id) == [index + 1], "\(key)")
    }
    let order = isDescending ? [2, 1] : [1, 2]
    let sorted = Event.all.order { $0.$info.value(at: key, as: Value.self) }
    #expect(try db.fetch(sorted).map(\.id) == order, "\(key)")
    let least = value(infos[order[0] - 1])
    #expect(
      try db.fetch(Event.where { $0.$info.value(at: key, as: Value.self) > least }).map(\.id)
        == [order[1]], "\(key)")
    #expect(
      try db.fetch(Event.select { $0.$info.value(at: key, as: Value.self).min() }) == [least])
  }

  @Test("a value at a path is read, compared, sorted and aggregated as a column of its type is")
  func paths() throws {
    try expect("at", \.at)
    try expect("key", \.key, isDescending: true)
    try expect("price", \.price)
    try expect("data", \.data)
    try expect("count", \.count)
    try expect("ratio", \.ratio)
    try expect("share", \.share)
    try expect("id", \.id)
    func read<Value: ColumnValue & Equatable>(
      _ key: JSONStep, _ value: (Event.Info) -> Value?
    ) throws {
      #expect(
        try db.fetch(Event.select { $0.$info.value(at: key, as: Value.self) }.order(by: \.$id))
          == infos.map(value), "\(key)")
      let first = try #require(value(infos[0]))
      #expect(
        try db.fetch(Event.where { $0.$info.value(at: key, as: Value.self) == first }).map(\.id)
          == [1], "\(key)")
    }
    try read("url") { $0.url }
    try read("bytes") { $0.bytes }
    try read("vector") { $0.vector }
    try read("isOpen") { $0.isOpen }
    try read("level") { $0.level }
    try read("note") { $0.note }
  }

  @Test("a value at a path goes together with columns, and with the functions of its type")
  func withColumns() throws {
    let same = Event.where {
      $0.$info.value(at: "key", as: UUID.self) == $0.$key.optional
    }
    #expect(try db.count(same) == 2)
    #expect(
      try db.fetch(Event.select { $0.$info.value(at: "at", as: Date.self).component(.year) })
        == [2023, 2045])
    #expect(
      try db.fetch(Event.select { $0.$info.value(at: "price", as: Decimal.self).sum() })
        == [infos[0].price + infos[1].price])
    #expect(
      try db.fetch(
        Event.select { jsonArray($0.$info.value(at: "at", as: Date.self)) }.order(by: \.$id)
      ).map(\.value) == infos.map { [$0.at] })
    try db.run(
      Event.update { $0.$info = $0.$info.set(at: "at", to: $0.$at).set(at: "key", to: UUID?.none) }
        .where { $0.$id == 1 })
    #expect(
      try db.fetch(Event.select { $0.$info.value(at: "at", as: Date.self) }.order(by: \.$id))
        == infos.map(\.at))
    #expect(
      try db.fetch(Event.select { $0.$info.value(at: "key", as: UUID.self) }.order(by: \.$id))
        == [nil, infos[1].key])
  }

  @Test("an element of an array or object has the form of a column, too")
  func elements() throws {
    func expect<Value: ColumnValue & Equatable>(
      _ column: (Columns<Event>) -> SQLExpression<JSON<[Value]>>, _ values: [Value]
    ) throws {
      let event = Columns<Event>()
      let element = Columns<JSONElement<Value>>()
      let query = Query {
        From(event)
        Join(jsonEach(column(event)).as(element))
        OrderBy(event.$id)
        OrderBy(element.$index)
        Select(element.$value)
      }
      #expect(try db.fetch(query) == values)
      let first = values[0]
      let found = Event.where { event in
        jsonEach(column(event)).where { $0.$value == first }.exists()
      }
      #expect(try db.fetch(found).map(\.id) == [1], "\(Value.self)")
    }
    try expect({ $0.$dates }, infos.map(\.at))
    try expect({ $0.$keys }, infos.map(\.key))
    try expect({ $0.$prices }, infos.map(\.price))
    try expect({ $0.$blobs }, infos.map(\.data))
    try expect({ $0.$ids }, infos.map(\.id))
    try expect({ $0.$levels }, [.low, nil, .high, nil])
    let members = Query { (event: Columns<Event>, member: Columns<JSONMember<Date>>) in
      From(event)
      Join(jsonEach(event.$moments).as(member))
      Where { member.$value > infos[0].at }
      Select(event.$id, member.$key, member.$value.component(.year))
    }
    #expect(try db.fetch(members).map { "\($0)" } == [#"(2, "x", 2045)"#])
  }

  @Test("an id in JSON is found whether it is a text or, as earlier versions wrote it, a number")
  func ids() throws {
    try db.execute(
      """
      UPDATE Event SET ids = '[3301234567890123456,"7"]', info = json_set(info, '$.id', \
      3301234567890123456) WHERE id = 1
      """)
    let id = infos[0].id
    #expect(
      try db.fetch(Event.where { $0.$info.value(at: "id", as: Unique64.self) == id }).map(\.id)
        == [1])
    let found = Event.where { event in
      jsonEach(event.$ids).where { $0.$value == id }.exists()
    }
    #expect(try db.fetch(found).map(\.id) == [1])
    #expect(try db.fetch(Event.where { $0.$id == 1 })[0].ids.value.map(\.rawValue).last == 7)
    let made = try db.fetch(
      Event.where { $0.$id == 1 }.select { jsonArray($0.$info.value(at: "id", as: Unique64.self)) })
    #expect(try made.map { try $0.databaseValue(as: .standard) } == [#"["3301234567890123456"]"#])
  }

  @Test("a value of another type throws, and a type that SQL cannot convert is refused")
  func refusals() throws {
    try db.execute("UPDATE Event SET info = json_set(info, '$.at', '2020-01-01') WHERE id = 1")
    #expect(throws: DatabaseError.self) {
      try db.count(
        Event.where { $0.$info.value(at: "at", as: Date.self) > Date(timeIntervalSince1970: 0) })
    }
    #expect(throws: QueryError.self) {
      try Event.select { $0.$info.value(at: "at", as: Paint.self) }.sql
    }
    #expect(throws: QueryError.self) { try jsonEach(SQLExpression(JSON<[Paint]>([]))).all.sql }
    struct Moment: ResultRow {
      @Column var value: Date
    }
    #expect(throws: QueryError.self) {
      try jsonEach(SQLExpression(JSON([Date()])), as: Moment.self).all.sql
    }
    #expect(throws: QueryError.self) {
      try jsonTree(SQLExpression(JSON([Date()])), as: Moment.self).all.sql
    }
  }

  @Test("a text at a path may be another value, which is read as SQLite reads it")
  func otherTexts() throws {
    try db.execute(
      """
      UPDATE Event SET info = '{"a":5,"b":1.5,"c":true,"d":[1, 2],"e":null,"f":"x"}' WHERE id = 1
      """)
    let values = try ["a", "b", "c", "d", "e", "f", "g"].map { (key: String) in
      try db.fetch(
        Event.where { $0.$id == 1 }
          .select { $0.$info.value(at: .key(key), as: JSONAtom.self) })[0].map { "\($0)" }
    }
    #expect(values == ["5", "1.5", "1", "[1,2]", nil, "x", nil])
    #expect(
      try db.count(Event.where { $0.$info.value(at: "a", as: String.self) == "5" }) == 0)
  }
}
