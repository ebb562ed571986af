import Apus
import Foundation

// A program that `Scripts/Checks/static-archive` links with an archive of the library. It refers to little
// by itself: what the library finds by dynamic casts must be there without that.

enum Level: String, ColumnValue, Codable { case low, high }

struct Home: ColumnGroup {
  @Column var city: String
  @Column var zip: String?
}

struct Card: Model, Codable {
  @PrimaryKey var id: Int
  @Column var title: String
  @Column var level: Level?
  @Column var price: Decimal?
  @Column var at: Date
  @Column var tags: JSON<[String]>
}

struct Person: Model {
  @PrimaryKey var id: Int
  @Embedded var home: Home?
  @Column var place: JSON<[String: Int]>?
  @Ignored var note: String?
}

/// A plain struct, whose types the library finds at run time.
struct Visit: Codable, Sendable {
  var id: Int
  var at: Date
  var key: UUID?
  var price: Decimal
  var url: URL?
  var data: Data
  var bytes: [UInt8]
  var vector: [Float]
  var unique: Unique64
  var level: Level
  var isOpen: Bool
  var small: Int8
  var ratio: Float
  var tags: [String]
}

struct Titles: SQLView {
  @Column var title: String

  static var definition: some Fetchable {
    Query { (card: Columns<Card>) in
      From(card)
      Select(card.$title)
    }
  }
}

struct Failure: Error {
  let what: String
}

func expect(_ isTrue: Bool, _ what: String) throws {
  guard isTrue else { throw Failure(what: what) }
}

@main
struct Program {
  static func main() throws {
    let db = try Database.inMemory(models: [Card.self, Person.self, Titles.self])
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    try db.insert([
      Card(id: 1, title: "a", level: .low, price: 1.5, at: date, tags: ["x", "y"]),
      Card(id: 2, title: "b", level: nil, price: nil, at: date, tags: []),
    ])
    let cards = try db.first(Card.select { $0.jsonGroupArray() })
    try expect(cards?.value.first?.tags.value == ["x", "y"], "jsonGroupArray of a model")
    let tags = try db.first(Card.where { $0.$id == 1 }.select { $0.$tags.jsonGroupArray() })
    try expect(tags?.value == [["x", "y"]], "jsonGroupArray of JSON")
    let places = try db.first(Person.select { $0.$place.jsonGroupArray() })
    try expect(places?.value.isEmpty == true, "jsonGroupArray of optional JSON")
    try expect(
      try db.first(Card.select { $0.$id.cast(to: Decimal.self) * 1.5 }) == 1.5, "cast to Decimal")
    try expect(
      try db.fetch(Card.select { $0.$price.sum() }) == [Decimal(1.5)], "a sum of decimals")
    try expect(
      try db.fetch(Card.select { $0.$level.jsonGroupArray() })[0].value == [.low, nil],
      "an enumeration in JSON")
    try expect(try db.fetch(Titles.all).map(\.title) == ["a", "b"], "a view")
    try db.insert(Person(id: 1, home: Home(city: "Bonn"), place: nil))
    try db.insert(Person(id: 2, home: nil, place: JSON(["a": 1])))
    let people = try db.fetch(Person.order(by: \.$id))
    try expect(people.map { $0.home?.city } == ["Bonn", nil], "an optional group")
    try expect("\(people[0])".contains("Bonn"), "the description of a model")

    try db.write { tx in
      let visit = Visit(
        id: 1, at: date, key: nil, price: 9.5, url: nil, data: Data([1]), bytes: [2], vector: [3],
        unique: Unique64(rawValue: 4), level: .high, isOpen: true, small: 5, ratio: 0.5,
        tags: ["z"])
      try tx.write(visit, to: "visits")
      let found: Visit? = try tx.find(id: 1, from: "visits")
      try expect(
        found?.level == .high && found?.tags == ["z"] && found?.at == date, "a plain struct")
      let types = try tx.rows("SELECT type FROM pragma_table_info('visits')").map {
        try $0.get(String.self, at: 0)
      }
      try expect(types.filter { $0 == "INTEGER" }.count == 5, "the columns of a plain struct")
      try expect(types.filter { $0 == "BLOB" }.count == 3, "the bytes of a plain struct")
    }
    print("The archive has every conformance that the program needs.")
  }
}
