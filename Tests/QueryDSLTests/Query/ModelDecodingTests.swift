import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Written values, which read back equal")
struct ModelDecodingTests {
  let db: Database

  init() throws { db = try Specification.database(models: [Everything.self, Anything.self]) }

  @Test(
    "random and extreme values of every type read back equal through find, rows, first and select")
  func everything() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let all = (1...300).map { Everything.random(id: $0, using: &random) }
    let inserted = try db.insert(all)
    #expect(inserted == all, "seed \(seed)")
    try db.read { connection in
      for model in all {
        var expected = model
        expected.preview = nil
        let found = try connection.find(Everything.self, model.id)
        #expect(found == expected, "seed \(seed)")
        #expect(
          try connection.first(Everything.where { $0.$id == model.id }) == expected,
          "seed \(seed)")
      }
    }
    let loaded = try db.fetch(Everything.order(by: \.$id))
    #expect(loaded.map(\.string) == all.map(\.string), "seed \(seed)")
    #expect(loaded.allSatisfy { $0.preview == nil })
    let tuples = try db.fetch(Everything.select { ($0, $0.$iso, $0.$uuidBytes) }.order(by: \.$id))
    #expect(tuples.map(\.0) == loaded, "seed \(seed)")
    #expect(tuples.map(\.1) == all.map(\.iso), "seed \(seed)")
    #expect(tuples.map(\.2) == all.map(\.uuidBytes), "seed \(seed)")
  }

  @Test("the optional of every type reads back equal, with and without a value")
  func anything() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let all = (0..<300).map { _ in
      Anything(Everything.random(id: 0, using: &random), using: &random)
    }
    let inserted = try db.insert(all)
    for (model, inserted) in zip(all, inserted) {
      var expected = model
      expected.id = inserted.id
      #expect(inserted == expected, "seed \(seed)")
      expected.preview = nil
      #expect(try db.find(Anything.self, inserted.id) == expected, "seed \(seed)")
    }
    let empty = try db.insert(Anything())
    #expect(try db.find(Anything.self, empty.id) == empty)
  }

  @Test("changed columns of a loaded model read back changed")
  func changed() throws {
    var random = SeededGenerator(seed: 1)
    try db.insert(Everything.random(id: 1, using: &random))
    let other = Everything.random(id: 1, using: &random)
    try db.save(other)
    var found = try #require(try db.find(Everything.self, 1))
    #expect(found.string == other.string && found.place == other.place)
    found.color.red ^= 1
    found.place.value.name += "!"
    let updated = try db.update(found)
    #expect(try db.find(Everything.self, 1) == updated)
  }

  @Test(
    "the error for a value that cannot be stored names table, column and row; nothing is written")
  func unstorable() throws {
    var random = SeededGenerator(seed: 2)
    var models = (1...5).map { Everything.random(id: $0, using: &random) }
    models[2].double = .nan
    var error = #expect(throws: ColumnValueError.self) { try db.insert(models) }
    #expect(error?.table == "Everything" && error?.column == "double" && error?.row == 2)
    models[2].double = 0
    models[3].uint64 = .max
    error = #expect(throws: ColumnValueError.self) { try db.insert(models) }
    #expect(error?.table == "Everything" && error?.column == "uint64" && error?.row == 3)
    models[3].uint64 = 0
    models[4].date = .distantFuture + 1e20
    error = #expect(throws: ColumnValueError.self) { try db.save(models) }
    #expect(error?.column == "date" && error?.row == 4)
    #expect(try db.count(Everything.all) == 0)
    models[4].date = .distantFuture
    models = try db.insert(models)
    models[1].float = .nan
    error = #expect(throws: ColumnValueError.self) { try db.update(models) }
    #expect(error?.column == "float" && error?.row == 1)
    error = #expect(throws: ColumnValueError.self) { try db.update(models[1]) }
    #expect(error?.column == "float" && error?.row == nil)
  }

  @Test("the stored bytes follow the table of stored forms")
  func storedForms() throws {
    var random = SeededGenerator(seed: 3)
    var model = Everything.random(id: 1, using: &random)
    model.bool = true
    model.mood = .odd
    model.size = .large
    model.date = Date(timeIntervalSince1970: 1.5)
    model.iso = model.date
    model.tags = ["b", "a"]
    model.place = JSON(Place(name: "x", visitors: ["b": 2, "a": 1]))
    model.data = Data()
    model.uuidBytes = model.uuid
    try db.insert(model)
    let row = try #require(try db.row("SELECT * FROM Everything"))
    #expect(row["bool"] == 1 && row["mood"] == "o'dd" && row["size"] == 300)
    #expect(row["date"] == 1_500_000 && row["iso"] == "1970-01-01T00:00:01.500000Z")
    #expect(row["tags"] == #"["b","a"]"#)
    #expect(row["place"] == #"{"name":"x","visitors":{"a":1,"b":2}}"#)
    #expect(row["data"] == .blob(Data()))
    #expect(row["uuid"] == .text(model.uuid.uuidString.lowercased()))
    #expect(row["uuidBytes"]?.storageClass == .blob)
    #expect(row["preview"] == nil)
  }

  @Test("a write returns the value that will be read, if the form holds less than the type")
  func approximateForms() throws {
    struct Event: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var day: Date
      @Column var seconds: Date?
      @Column var reference: Date?
      static var schema: Schema<Event> {
        Stored(\.$day, as: .julianDay)
        Stored(\.$seconds, as: .unixSeconds)
        Stored(\.$reference, as: .referenceSeconds)
      }
    }
    let db = try Specification.database(models: [Event.self])
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    for id in 1...200 {
      let event = Event(
        id: id, day: .any(&random, years: -4000...9000), seconds: .any(&random),
        reference: id % 7 == 0 ? nil : .any(&random))
      let inserted = try db.insert(event)
      var found = try #require(try db.find(Event.self, id))
      #expect(inserted == found, "seed \(seed)")
      #expect(abs(found.day.timeIntervalSince(event.day)) <= 0.001, "seed \(seed)")
      #expect(try db.count(Event.where { $0.$day == event.day && $0.$id == id }) == 1)
      found.day += 0.000_4
      #expect(try db.update(found) == db.find(Event.self, id), "seed \(seed)")
    }
  }

  @Test("an update of one column leaves the others as they were read, however distant the date")
  func approximateFormsBesideAnUpdate() throws {
    struct Event: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var visits = 0
      @Column var seconds: Date
      static var schema: Schema<Event> { Stored(\.$seconds, as: .unixSeconds) }
    }
    let db = try Specification.database(models: [Event.self])
    // A REAL of seconds since 1970 rounds the microseconds of these dates, and rounds the result
    // again when it is written back.
    let dates = [
      -17798162615.207123, -18050618231.04325, -34397119367.076706,
      -34365562415.24074, -17640377855.731163, -17545706999.07792,
    ].map(Date.init(timeIntervalSinceReferenceDate:))
    try db.write { connection in
      for (id, date) in dates.enumerated() {
        try connection.insert(Event(id: id, seconds: date))
        var found = try #require(try connection.find(Event.self, id))
        found.visits += 1
        let updated = try connection.update(found)
        #expect(try connection.find(Event.self, id) == updated)
      }
    }
  }

  @Test("a model may have 60 columns")
  func wide() throws {
    let db = try Specification.database(models: [Wide.self])
    var wide = Wide(id: 1)
    wide.c10.value = [1, 2]
    wide.c59 = "last"
    try db.insert(wide)
    var found = try #require(try db.find(Wide.self, 1))
    #expect(found == wide)
    found.c59 = "changed"
    try db.update(found)
    #expect(try db.fetch(Wide.where { $0.$c59 == "changed" && $0.$c33 == 33 }) == [found])
  }
}
