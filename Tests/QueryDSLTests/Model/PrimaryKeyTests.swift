import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Primary keys")
struct PrimaryKeyTests {
  struct Visit: Model, Equatable {
    @PrimaryKey var id: Int64?
    @Column var place: String
  }

  struct Country: Model, Equatable {
    @PrimaryKey var code: String
    @Column var name: String
    var id: String { code }
  }

  struct Membership: Model, Equatable {
    struct ID: Hashable, Sendable {
      var group: Unique64
      var person: String
    }
    @PrimaryKey var person: String
    @Column var since: Int
    @PrimaryKey var group: Unique64
    @Column var until: Int?
    var id: ID { ID(group: group, person: person) }
  }

  struct Pair: Model, Equatable {
    struct ID: Hashable, Sendable {
      var left: Int
      var right: Int
    }
    @PrimaryKey var left: Int
    @PrimaryKey var right: Int
    var id: ID { ID(left: left, right: right) }
  }

  let db: Database

  init() throws {
    db = try Specification.database(models: [Visit.self, Country.self, Membership.self, Pair.self])
  }

  @Test(
    "a key that the database assigns is in the returned model, and the caller's value keeps nil")
  func assigned() throws {
    let visit = Visit(place: "Rome")
    #expect(visit.id == nil)
    let first = try db.insert(visit)
    let second = try db.insert(visit)
    #expect(first.id == 1 && second.id == 2 && visit.id == nil)
    #expect(!first.$id.isChanged && !first.$place.isChanged)
    #expect(
      try db.insert([Visit(place: "a"), Visit(id: 9, place: "b"), Visit(place: "c")])
        .map(\.id) == [3, 9, 10])
    #expect(try db.find(Visit.self, 9)?.place == "b")
    #expect(try db.find(Visit.self, nil) == nil)
    #expect(try db.save(Visit(place: "d")).id == 11)
    #expect(try db.save(Visit(id: 11, place: "e")).id == 11)
    #expect(try db.find(Visit.self, 11)?.place == "e")
    #expect(try !db.delete(visit))
    #expect(throws: RecordNotFound.self) { try db.update(visit) }
    #expect(try db.delete(first))
  }

  @Test("a trigger that inserts into another table does not change the returned key")
  func assignedBesideTrigger() throws {
    try db.execute(
      """
      CREATE TABLE log (text TEXT);
      INSERT INTO log (rowid, text) VALUES (100, 'x');
      CREATE TRIGGER logged AFTER INSERT ON Visit BEGIN INSERT INTO log VALUES (new.place); END
      """)
    #expect(try db.insert(Visit(place: "Rome")).id == 1)
  }

  @Test("a key with another name than id works in find, update, save and delete")
  func otherName() throws {
    var country = try db.insert(Country(code: "it", name: "Italy"))
    #expect(try db.find(Country.self, "it") == country)
    #expect(try db.find(Country.self, "IT") == nil)
    country.name = "Italia"
    try db.update(country)
    try db.save(Country(code: "fr", name: "France"))
    try db.save(Country(code: "fr", name: "République"))
    #expect(try db.fetch(Country.select(\.$name).order(by: \.$code)) == ["République", "Italia"])
    #expect(try db.delete(Country.self, "fr"))
    #expect(try !db.delete(Country.self, "fr"))
    #expect(try db.delete(country))
  }

  @Test("a composite key works if its ID lists the columns in another order")
  func composite() throws {
    let group = Unique64()
    let id = Membership.ID(group: group, person: "Jane")
    var member = try db.insert(Membership(person: "Jane", since: 1999, group: group))
    try db.insert(Membership(person: "George", since: 2001, group: group))
    #expect(try db.find(Membership.self, id) == member)
    #expect(try db.find(Membership.self, .init(group: Unique64(), person: "Jane")) == nil)
    member.until = 2020
    member = try db.update(member)
    #expect(try db.find(Membership.self, id)?.until == 2020)
    try db.save(Membership(person: "Jane", since: 2000, group: group))
    #expect(
      try db.find(Membership.self, id) == Membership(person: "Jane", since: 2000, group: group))
    #expect(throws: DatabaseError.self) { try db.insert(member) }
    #expect(try db.delete(Membership.self, id))
    #expect(try db.fetch(Membership.all).map(\.person) == ["George"])
    let error = #expect(throws: RecordNotFound.self) { try db.update(member) }
    #expect(error?.table == "Membership")
    #expect(error?.key.contains("Jane") == true)
  }

  @Test("a model that consists only of its key can be saved, updated, found and deleted")
  func onlyKey() throws {
    let pair = Pair(left: 1, right: 2)
    try db.save(pair)
    try db.save(pair)
    #expect(try db.count(Pair.all) == 1)
    try db.update(pair)
    #expect(try db.find(Pair.self, pair.id) == pair)
    #expect(try db.delete(pair))
    #expect(throws: RecordNotFound.self) { try db.update(pair) }
  }

  @Test("a key can be a UUID stored as bytes, a date, an enumeration, bytes or a small integer")
  func otherTypes() throws {
    try check(ByUUID(id: UUID(), text: "a"))
    try check(ByDate(id: Date(timeIntervalSince1970: 1.5), text: "a"))
    try check(ByLevel(id: .high, text: "a"))
    try check(ByBytes(id: [1, 0, 2], text: "a"))
    try check(BySmall(id: -3, text: "a"))
  }

  func check<M: Model & Equatable & Labelled>(_ model: M) throws {
    let db = try Specification.database(models: [M.self])
    var inserted = try db.insert(model)
    #expect(try db.find(M.self, model.id) == model)
    inserted.text = "b"
    try db.update(inserted)
    #expect(try db.find(M.self, model.id)?.text == "b")
    try db.save(model)
    #expect(try db.fetch(M.all) == [model])
    #expect(try db.delete(M.self, model.id))
  }
}

protocol Labelled {
  var text: String { get set }
}

private struct ByUUID: Model, Equatable, Labelled {
  @PrimaryKey var id: UUID
  @Column var text: String
  static var schema: Schema<ByUUID> { Stored(\.$id, as: .bytes) }
}

private struct ByDate: Model, Equatable, Labelled {
  @PrimaryKey var id: Date
  @Column var text: String
  static var schema: Schema<ByDate> { Stored(\.$id, as: .iso8601) }
}

private enum Level: Int, ColumnValue { case low = 1, high = 2 }

private struct ByLevel: Model, Equatable, Labelled {
  @PrimaryKey var id: Level
  @Column var text: String
}

private struct ByBytes: Model, Equatable, Labelled {
  @PrimaryKey var id: [UInt8]
  @Column var text: String
}

private struct BySmall: Model, Equatable, Labelled {
  @PrimaryKey var id: Int8
  @Column var text: String
}
