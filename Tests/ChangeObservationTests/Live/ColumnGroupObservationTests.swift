import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Groups of columns, observed", .needs(.preUpdateHook))
struct ColumnGroupObservationTests {
  struct Address: ColumnGroup, Equatable {
    @Column var street: String
    @Column var city: String
    @Column var houseID: Int?
  }

  struct House: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
  }

  struct Person: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
    @Embedded var home: Address
    @Embedded var work: Address?

    static var schema: Schema<Person> {
      ForeignKey(\.$home.$houseID, references: \House.$id)
      Index(\.$home.$houseID)
      Index(\.$home.$city)
    }
  }

  private static let appia = Address(street: "Via Appia", city: "Rome", houseID: 1)
  private static let tower = Address(street: "Tower Road", city: "London", houseID: 2)

  private static let people = [
    Person(id: 1, name: "Ada", home: tower, work: appia),
    Person(id: 2, name: "Bea", home: appia),
    Person(id: 3, name: "Cem", home: appia, work: tower),
  ]

  private let db: Database

  init() throws {
    db = try Database.inMemory(models: [House.self, Person.self], configuration: .relaxed)
    try db.insert([House(id: 1, name: "A"), House(id: 2, name: "B")])
    try db.insert(Self.people)
  }

  /// Begins to watch a query, and makes a commit that it does not notice: after the first commit the
  /// result is fetched, since it may contain that commit.
  private func watch<Row>(_ query: some Fetchable<Row>) async throws -> QueryWatch<Row> {
    try await watch(LiveSource(query))
  }

  private func watch<Row>(_ source: LiveSource<Row>) async throws -> QueryWatch<Row> {
    let watch = QueryWatch(source, in: db)
    let explanation = try await watch.explain()
    #expect(explanation.isMaintained, "\(explanation)")
    _ = try await watch.next()
    try await db.insert(House(id: 9, name: "-"))
    try await db.insert(Person(id: 9, name: "-", home: Self.appia))
    _ = try await watch.update()
    try await db.delete(Person.self, 9)
    try await db.delete(House.self, 9)
    _ = try await watch.update()
    return watch
  }

  @Test("a change names the columns of a group, with their values")
  func columns() async throws {
    let stream = db.changes(of: Person.self, columns: \.$home.$city, \.$work.$city)
    try await db.write { tx in
      var ada = try #require(try tx.find(Person.self, 1))
      ada.home.city = "Paris"
      ada.work = nil
      try tx.update(ada)
    }
    // These columns are not watched.
    try await db.execute("UPDATE Person SET name = 'B', home_street = 'x' WHERE id = 2")
    try await db.execute("UPDATE Person SET work_city = 'Oslo' WHERE id = 3")
    let changes = await stream.collect { $0.updated.contains { $0.keyValues == [3] } }
    #expect(words(changes) == [["updated 1 home_city,work_city"], ["updated 3 work_city"]])
    let ada = try #require(changes.first?.updated.first)
    #expect(try ada.old(\.$home.$city) == "London" && ada.new(\.$home.$city) == "Paris")
    #expect(try ada.old(\.$work.$city) == .some("Rome") && ada.new(\.$work.$city) == .some(nil))
    #expect(ada.hasColumnChanged(\.$home.$city) && !ada.hasColumnChanged(\.$home.$street))
  }

  @Test("changes are filtered by a column of a group, and by a whole group")
  func filtered() async throws {
    let inRome = db.changes(of: Person.self) { $0.$home.$city == "Rome" }
    let atTower = db.changes(of: Person.self) { $0.$work == Self.tower }
    let nowhere = db.changes(of: Person.self) { $0.$work == nil }
    try await db.execute("UPDATE Person SET name = 'A' WHERE id = 1")
    try await db.execute("UPDATE Person SET name = 'B' WHERE id = 2")
    try await db.execute("UPDATE Person SET name = 'C' WHERE id = 3")
    try await db.execute(
      "UPDATE Person SET name = 'end', home_city = 'Rome', work_street = NULL, work_city = NULL")
    func ids(_ stream: ChangeStream<Person>) async -> [[DatabaseValue]] {
      let changes = await stream.collect { $0.rows.count > 1 }
      #expect(changes.allSatisfy { $0.isFiltered })
      return changes.dropLast().map { $0.rows.flatMap(\.keyValues) }
    }
    #expect(await ids(inRome) == [[2], [3]])
    #expect(await ids(nowhere) == [[2]])
    let tower = await atTower.collect { _ in true }
    #expect(tower.map { $0.rows.flatMap(\.keyValues) } == [[3]])
  }

  @Test("a live result of models, and of a group as a value, follows the columns of the group")
  func models() async throws {
    let models = try await watch(Person.order(by: \.$home.$city).order(by: \.$id))
    let homes = try await watch(Person.where { $0.$work != nil }.select(\.$home).order(by: \.$id))
    let fetches = (models.fetchCount, homes.fetchCount)
    try await db.write { tx in
      var cem = try #require(try tx.find(Person.self, 3))
      cem.home.city = "Athens"
      cem.work = nil
      try tx.update(cem)
    }
    var moved = Self.people[2]
    moved.home.city = "Athens"
    moved.work = nil
    let rows = try #require(try await models.update())
    #expect(Array(rows) == [moved, Self.people[0], Self.people[1]])
    #expect(Array(try #require(try await homes.update())) == [Self.tower])
    #expect((models.fetchCount, homes.fetchCount) == fetches)
  }

  @Test("counts of groups by a column of a group are maintained")
  func counts() async throws {
    let query = Person.group(by: \.$home.$city).select { ($0.$home.$city, $0.count()) }
      .order(by: \.$home.$city)
    let watch = try await watch(query)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE Person SET home_city = 'London' WHERE id = 2")
    let rows = try #require(try await watch.update())
    #expect(rows.map(\.0) == ["London", "Rome"] && rows.map(\.1) == [2, 1])
    #expect(watch.fetchCount == fetches)
  }

  @Test("a join by a column of a group is maintained")
  func joins() async throws {
    let query = Query { (person: Columns<Person>, house: Columns<House>) in
      From(person)
      Join(house, on: person.$home.$houseID == house.$id)
      OrderBy(person.$id)
      Select(person.$home, house.$name)
    }
    let watch = try await watch(query)
    try await db.execute("UPDATE Person SET home_houseID = 2, home_city = 'Bonn' WHERE id = 3")
    let rows = try #require(try await watch.update())
    #expect(rows.map(\.1) == ["B", "A", "B"])
    #expect(rows.map(\.0.city) == ["London", "Rome", "Bonn"])
    try await db.execute("UPDATE House SET name = 'C' WHERE id = 2")
    #expect(try await watch.update()?.map(\.1) == ["C", "A", "C"])
  }

  @Test("models are included by a column of a group, and included results are maintained")
  func including() async throws {
    let query = House.order(by: \.$id).including(Person.order(by: \.$id), by: \.$home.$houseID)
    func names(_ rows: some Sequence<(House, [Person])>) -> [[String]] {
      rows.map { $0.1.map(\.name) }
    }
    #expect(try await names(db.fetch(query)) == [["Bea", "Cem"], ["Ada"]])
    // By the declared foreign key.
    let declared = try await db.fetch(House.order(by: \.$id).including(Person.order(by: \.$id)))
    #expect(names(declared) == [["Bea", "Cem"], ["Ada"]])
    #expect(declared[0].1.map(\.home) == [Self.appia, Self.appia])
    let watch = try await watch(LiveSource(query._included))
    try await db.write { tx in
      var cem = try #require(try tx.find(Person.self, 3))
      cem.home = Self.tower
      try tx.update(cem)
    }
    let rows = try #require(try await watch.update())
    #expect(names(rows) == [["Bea"], ["Ada", "Cem"]])
    try await db.execute("UPDATE Person SET work_city = 'Oslo' WHERE id = 1")
    let updated = try #require(try await watch.update())
    #expect(updated.map { $0.1.map { $0.work?.city } } == [[nil], ["Oslo", "London"]])
  }
}
