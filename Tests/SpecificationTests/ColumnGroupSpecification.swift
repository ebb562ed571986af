import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Groups of columns")
struct ColumnGroupSpecification {
  struct Point: ColumnGroup, Equatable {
    @Column var latitude: Double
    @Column var longitude: Double
  }

  struct Address: ColumnGroup, Equatable, Codable {
    @Column var street: String
    @Column var city: String
    @Column var note: String?
  }

  struct Person: Model, Equatable, Codable {
    @PrimaryKey var id: Int
    @Column var name: String
    @Embedded var home: Address
    @Embedded var work: Address?

    static var schema: Schema<Person> {
      Index(\.$home.$city)
      Default(\.$home.$city, "Rome")
    }
  }

  struct Place: Model, Equatable {
    @PrimaryKey var id: Int
    @Embedded var spot: Spot
    @Embedded var other: Spot?

    static var schema: Schema<Place> { Prefixed(\.$spot, "") }
  }

  struct Spot: ColumnGroup, Equatable {
    @Column var label: String
    @Column var day: Date
    @Embedded var point: Point

    static var schema: Schema<Spot> {
      Named(\.$label, "title")
      Stored(\.$day, as: .iso8601)
      Prefixed(\.$point, "at")
    }
  }

  static let appia = Address(street: "Via Appia", city: "Rome", note: nil)
  static let tower = Address(street: "Tower Road", city: "London", note: "2nd floor")

  let db: Database

  init() throws {
    db = try Specification.database(models: [Person.self, Place.self])
    try db.insert([
      Person(id: 1, name: "Ada", home: Self.tower, work: Self.appia),
      Person(id: 2, name: "Bea", home: Self.appia),
      Person(id: 3, name: "Cem", home: Self.appia, work: Self.tower),
    ])
  }

  private func expect<Row: Equatable>(
    _ query: some Fetchable<Row>, _ sql: String, _ rows: [Row],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try query.sql.text == sql, sourceLocation: sourceLocation)
    #expect(try db.fetch(query) == rows, sourceLocation: sourceLocation)
    #expect(try db.count(query) == rows.count, sourceLocation: sourceLocation)
  }

  private func people() throws -> [Person] { try db.fetch(Person.all.order(by: \.$id)) }

  @Test("the columns of a group are columns of the table, with the property's name before them")
  func table() throws {
    let sql = try db.fetch(
      String.self, "SELECT sql FROM sqlite_schema WHERE name = 'Person'")
    #expect(sql.count == 1)
    for column in [
      #""home_street" TEXT NOT NULL"#, #""home_city" TEXT NOT NULL DEFAULT 'Rome'"#,
      #""home_note" TEXT"#, #""work_street" TEXT"#, #""work_city" TEXT"#,
    ] { #expect(sql[0].contains(column)) }
    #expect(!sql[0].contains(#""work_street" TEXT NOT NULL"#))
    let index = try db.fetch(
      String.self, "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Person'")
    #expect(index.count == 1)
    #expect(index[0].hasSuffix(#"ON "Person" ("home_city")"#))
  }

  @Test("a model is found, updated and deleted with its groups")
  func model() throws {
    var ada = try #require(try db.find(Person.self, 1))
    #expect(ada == Person(id: 1, name: "Ada", home: Self.tower, work: Self.appia))
    #expect(try db.find(Person.self, 2)?.work == nil)
    #expect(!ada.hasChanges)

    ada.home.city = "Paris"
    #expect(ada.changedColumns == ["home_city"])
    #expect(ada.$home.isChanged && ada.$home.$city.isChanged && !ada.$work.isChanged)
    ada.work = Self.appia
    #expect(ada.changedColumns == ["home_city"])
    ada = try db.update(ada)
    #expect(try db.find(Person.self, 1)?.home.city == "Paris")

    ada.work = nil
    #expect(ada.changedColumns == ["work_street", "work_city"])
    ada = try db.update(ada)
    #expect(try db.find(Person.self, 1)?.work == nil)
    ada.work = Self.tower
    ada = try db.save(ada)
    #expect(try db.find(Person.self, 1) == ada)
    try db.delete(ada)
    #expect(try people().map(\.id) == [2, 3])

    // A group that was loaded is written with a new model.
    var dan = Person(id: 4, name: "Dan", home: ada.home, work: ada.work)
    dan = try db.save(dan)
    #expect(try db.find(Person.self, 4)?.work == Self.tower)
  }

  @Test("conditions compare a group or one of its columns")
  func conditions() throws {
    let start = #"SELECT "name" FROM "Person" WHERE "#
    func names(
      _ condition: String, _ names: [String],
      @PredicateBuilder
      _ predicates: (Columns<Person>) -> PredicateLines
    ) throws {
      try expect(
        Person.where(predicates).select(\.$name).order(by: \.$id),
        start + condition + #" ORDER BY "id""#, names)
    }
    try names(#""home_city" = ?"#, ["Bea", "Cem"]) { $0.$home.$city == "Rome" }
    try names(#""work_city" IS ?"#, ["Ada"]) { $0.$work.$city == "Rome" }
    try names(#"("home_street", "home_city", "home_note") IS (?, ?, ?)"#, ["Bea", "Cem"]) {
      $0.$home == Self.appia
    }
    try names(#"("work_street", "work_city", "work_note") IS (?, ?, ?)"#, ["Cem"]) {
      $0.$work == Self.tower
    }
    try names(
      #"("work_street", "work_city", "work_note") IS NOT (?, ?, ?) AND "id" > ?"#, ["Bea"]
    ) { $0.$work != Self.tower && $0.$id > 1 }
    try names(#""work_street" IS NULL OR "work_city" IS NULL"#, ["Bea"]) { $0.$work == nil }
    try names(#""work_street" IS NOT NULL AND "work_city" IS NOT NULL"#, ["Ada", "Cem"]) {
      $0.$work != nil
    }
  }

  @Test("a group is selected as a value, alone or beside others")
  func selection() throws {
    try expect(
      Person.select(\.$home).order(by: \.$home.$street).limit(1),
      #"SELECT "home_street", "home_city", "home_note" FROM "Person" ORDER BY "home_street" LIMIT ?"#,
      [Self.tower])
    try expect(
      Person.all.select(\.$work).order(by: \.$id),
      #"SELECT "work_street", "work_city", "work_note" FROM "Person" ORDER BY "id""#,
      [Self.appia, nil, Self.tower])
    try expect(
      Person.select(\.$work.$city).order(by: \.$id),
      #"SELECT "work_city" FROM "Person" ORDER BY "id""#,
      ["Rome", nil, "London"])
    let rows = try db.fetch(
      Person.select { ($0.$name, $0.$work, $0.$id) }.order(by: \.$id))
    #expect(rows.map(\.0) == ["Ada", "Bea", "Cem"])
    #expect(rows.map(\.1) == [Self.appia, nil, Self.tower])
    #expect(rows.map(\.2) == [1, 2, 3])
  }

  @Test("update and insert assign a group or one of its columns")
  func assignments() throws {
    let move = Person.update {
      $0.$home = Self.tower
      $0.$work.$city = "Oslo"
    }.where { $0.$id == 3 }
    #expect(
      try move.sql.text
        == #"UPDATE "Person" SET "home_street" = ?, "home_city" = ?, "home_note" = ?, "work_city" = ? WHERE "id" = ?"#
    )
    try db.run(move)
    #expect(try db.find(Person.self, 3)?.home == Self.tower)
    #expect(try db.find(Person.self, 3)?.work?.city == "Oslo")

    try db.run(Person.update { $0.$work = nil }.where { $0.$id == 3 })
    #expect(try db.find(Person.self, 3)?.work == nil)
    try db.run(
      Person.update {
        $0.$home.$city += "!"; $0.$home.$note = nil
      }.where { $0.$id == 1 })
    #expect(try db.find(Person.self, 1)?.home.city == "London!")

    let added = try db.fetch(
      Person.insert {
        $0.$id = 9; $0.$name = "Eve"; $0.$home = Self.appia
      }.returning())
    #expect(added == [Person(id: 9, name: "Eve", home: Self.appia)])
    let homes = try db.fetch(
      Person.delete().where { $0.$id == 9 }.returning { $0.$home })
    #expect(homes == [Self.appia])
    #expect(throws: QueryError.self) {
      try Person.update {
        $0.$home = Self.appia; $0.$home.$city = "x"
      }.sql
    }
  }

  @Test("groups are read through joins, in which their table may have no row")
  func joins() throws {
    let query = Query { (person: Columns<Person>, other: OptionalColumns<Person>) in
      From(person)
      LeftJoin(other, on: other.$id == person.$id + 1 && other.$home.$city == "Rome")
      OrderBy(person.$id)
      Select(person.$name, other.$home, other.$work)
    }
    let rows = try db.fetch(query)
    #expect(rows.map(\.1) == [Self.appia, Self.appia, nil])
    #expect(rows.map(\.2) == [nil, Self.tower, nil])
    let grouped = try db.fetch(
      Person.all.group(by: \.$home.$city).select { ($0.$home.$city, $0.$id.count()) }
        .order(by: \.$home.$city))
    #expect(grouped.map(\.0) == ["London", "Rome"])
    #expect(grouped.map(\.1) == [1, 2])
  }

  @Test("upserts write groups")
  func upserts() throws {
    var bea = Person(id: 2, name: "Bea", home: Self.tower, work: Self.appia)
    try db.upsert(bea, onConflict: \.$id)
    #expect(try db.find(Person.self, 2) == bea)
    bea.home = Self.appia
    bea.name = "B"
    try db.upsert(bea, onConflict: \.$id, setting: \.$home.$city)
    #expect(try db.find(Person.self, 2)?.home.city == "Rome")
    #expect(try db.find(Person.self, 2)?.name == "Bea")
  }

  @Test("a group in a group has names, prefixes and stored forms of its own")
  func nested() throws {
    let spot = Spot(
      label: "Forum", day: Date(timeIntervalSince1970: 86_400),
      point: Point(latitude: 41.5, longitude: 12.25))
    try db.insert(Place(id: 1, spot: spot))
    try db.insert(Place(id: 2, spot: spot, other: spot))
    #expect(
      try Place.layoutNames == [
        "id", "title", "day", "atlatitude", "atlongitude",
        "other_title", "other_day", "other_atlatitude", "other_atlongitude",
      ])
    #expect(try db.fetch(String.self, #"SELECT typeof("day") FROM "Place""#) == ["text", "text"])
    #expect(try db.find(Place.self, 2) == Place(id: 2, spot: spot, other: spot))
    #expect(try db.find(Place.self, 1)?.other == nil)
    try expect(
      Place.where { $0.$spot.$point.$latitude > 41 && $0.$other.$point.$longitude > 12 }
        .select(\.$id),
      #"SELECT "id" FROM "Place" WHERE "atlatitude" > ? AND "other_atlongitude" > ?"#, [2])
    try expect(
      Place.where { $0.$other.$point == nil }.select(\.$spot.$point),
      #"SELECT "atlatitude", "atlongitude" FROM "Place" WHERE "other_atlatitude" IS NULL OR "other_atlongitude" IS NULL"#,
      [spot.point])
    try db.run(Place.update { $0.$spot.$point = Point(latitude: 1, longitude: 2) })
    try db.run(Place.update { $0.$other.$point.$latitude = 7 }.where { $0.$id == 2 })
    #expect(try db.find(Place.self, 2)?.spot.point.longitude == 2)
    #expect(try db.find(Place.self, 2)?.other?.point.latitude == 7)
  }

  @Test("a model with groups is encoded and printed as the struct of its values")
  func coding() throws {
    let bea = Person(id: 2, name: "Bea", home: Self.appia)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(bea), as: UTF8.self)
    #expect(text == #"{"home":{"city":"Rome","street":"Via Appia"},"id":2,"name":"Bea"}"#)
    #expect(try JSONDecoder().decode(Person.self, from: Data(text.utf8)) == bea)
    #expect("\(bea)".contains("home: "))
    #expect(bea != Person(id: 2, name: "Bea", home: Self.appia, work: Self.tower))
  }

  @Test("a declaration that cannot be a table says what to write")
  func mistakes() throws {
    struct NoColumn: ColumnGroup { var street: String }
    struct WithKey: ColumnGroup { @PrimaryKey var id: Int }
    struct Plain: Model {
      @PrimaryKey var id: Int
      var home: Address
    }
    struct NotAColumn: Model {
      @PrimaryKey var id: Int
      @Embedded var home: NoColumn
    }
    struct Keyed: Model {
      @PrimaryKey var id: Int
      @Embedded var home: WithKey
    }
    struct Twice: Model {
      @PrimaryKey var id: Int
      @Column var city: String
      @Embedded var home: Address
      static var schema: Schema<Twice> { Prefixed(\.$home, "") }
    }
    struct Form: Model {
      @PrimaryKey var id: Int
      @Embedded var spot: Spot
      static var schema: Schema<Form> { Stored(\.$spot.$day, as: .unixSeconds) }
    }
    func opening(_ model: any Model.Type) -> String {
      let result = Result { try Specification.database(models: [model]) }
      return if case .failure(let error) = result { "\(error)" } else { "" }
    }
    #expect(opening(Plain.self).contains("write @Embedded before it"))
    #expect(
      opening(NotAColumn.self).contains("NoColumn: the stored property street: String is not"))
    #expect(opening(Keyed.self).contains("home.id: a key cannot be in a group"))
    #expect(
      opening(Twice.self).contains(
        #"city: two columns have this name; give the group another prefix, by `Prefixed(\.$group"#))
    #expect(opening(Form.self).contains("write the line in the schema of the group"))
  }
}

extension Model {
  fileprivate static var layoutNames: [String] {
    get throws {
      try Specification.database(models: [Self.self])
        .fetch(String.self, "SELECT name FROM pragma_table_info(\(tableName)) ORDER BY cid")
    }
  }
}
