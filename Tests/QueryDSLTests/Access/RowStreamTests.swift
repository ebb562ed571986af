import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

private struct Reading: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var sensor: String
  @Column var value: Double?
  @Column var raw: Data?
  @Ignored var note: String?

  static func sample(_ id: Int) -> Reading {
    Reading(
      id: id, sensor: "the sensor with the number \(id)",
      value: id.isMultiple(of: 3) ? nil : Double(id), raw: Data([UInt8(truncatingIfNeeded: id)]))
  }
}

private struct Sensor: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var room: String
}

@Suite("Queries as streams of rows")
struct RowStreamTests {
  private static let count = 5_000
  private static let samples = (1...count).map(Reading.sample)

  private static func database(
    inMemory: Bool = false, configuration: Configuration = Configuration()
  ) throws -> Database {
    let models: [any Model.Type] = [Reading.self, Sensor.self]
    let db =
      try inMemory
      ? Database.inMemory(models: models, configuration: configuration)
      : Specification.database(models: models, configuration: configuration)
    try db.insert(samples)
    try db.insert([Sensor(id: 1, room: "hall"), Sensor(id: 2, room: "attic")])
    return db
  }

  @Test(
    "a stream of models yields in order the models that `rows` returns", arguments: [false, true])
  func models(inMemory: Bool) async throws {
    let db = try Self.database(inMemory: inMemory)
    var models: [Reading] = []
    for try await model in db.stream(Reading.order(by: \.$id)) { models.append(model) }
    #expect(models == Self.samples)
    models = []
    for try await model in db.stream(
      Reading.where { $0.$id > 4_000 && $0.$value == nil }.order(by: \.$id, .descending).limit(7))
    {
      models.append(model)
    }
    #expect(models.map(\.id) == [4998, 4995, 4992, 4989, 4986, 4983, 4980])
  }

  @Test("a stream yields tuples, single values and joined models")
  func otherRows() async throws {
    let db = try Self.database()
    var number = 0
    for try await (id, sensor) in db.stream(
      Reading.select(\.$id, \.$sensor).order(by: \.$id))
    {
      number += 1
      #expect(id == number && sensor == Self.samples[number - 1].sensor)
    }
    #expect(number == Self.count)
    var values: [Double?] = []
    for try await value in db.stream(Reading.order(by: \.$id).select(\.$value)) {
      values.append(value)
    }
    #expect(values == Self.samples.map(\.value))
    // SELECT … FROM "Reading" JOIN "Sensor" ON "Reading"."id" = "Sensor"."id"
    let joined = Query { (reading: Columns<Reading>, sensor: Columns<Sensor>) in
      From(reading)
      Join(sensor, on: reading.$id == sensor.$id)
      OrderBy(reading.$id)
      Select(reading, sensor.$room)
    }
    var rooms: [String] = []
    for try await (reading, room) in db.stream(joined) {
      #expect(reading == Self.samples[reading.id - 1])
      rooms.append(room)
    }
    #expect(rooms == ["hall", "attic"])
  }

  @Test("a stream reads a raw statement into models, by the names of its columns")
  func rawModels() async throws {
    let db = try Self.database()
    let least = 4_997
    var models: [Reading] = []
    for try await model in db.stream(
      Reading.self, "SELECT 1 AS x, raw, value, sensor, id FROM Reading WHERE id > \(least)")
    {
      models.append(model)
    }
    #expect(models == Array(Self.samples[least...]))
    let error = await #expect(throws: DatabaseError.self) {
      for try await _ in db.stream(Reading.self, "SELECT id FROM Reading") {}
    }
    #expect(error?.code == .range)
  }

  @Test("the first model arrives while SQLite still searches for the second")
  func firstModel() async throws {
    let db = try Self.database()
    for try await sensor in db.stream(
      Sensor.self,
      """
      WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
      SELECT id, 'hall' AS room FROM n WHERE id < 2
      """)
    {
      #expect(sensor == Sensor(id: 1, room: "hall"))
      break
    }
    try await expectWhole(db)
  }

  @Test(
    "a bad value throws at its row, after the rows before it were yielded",
    arguments: [false, true])
  func badValue(inMemory: Bool) async throws {
    let db = try inMemory ? Database.inMemory() : Specification.database()
    try await db.execute("CREATE TABLE Reading (id INTEGER PRIMARY KEY, sensor, value, raw)")
    try await db.write { try $0.insert(Self.samples) }
    try await db.execute("UPDATE Reading SET value = 'high' WHERE id = 1500")
    var models: [Reading] = []
    let error = await #expect(throws: ColumnValueError.self) {
      for try await model in db.stream(Reading.order(by: \.$id)) { models.append(model) }
    }
    #expect(models == Array(Self.samples.prefix(1_499)))
    #expect(error?.table == "Reading")
    #expect(error?.column == "value")
    #expect(error?.row == 1_499)
    // A tuple has no table to name.
    var ids: [Int] = []
    let other = await #expect(throws: ColumnValueError.self) {
      for try await (id, _) in db.stream(Reading.order(by: \.$id).select(\.$id, \.$value)) {
        ids.append(id)
      }
    }
    #expect(ids == Array(1...1_499))
    #expect(other?.row == 1_499)
    #expect(db.laneStatuses.stream.isWhole)
  }

  @Test("a query that cannot become SQL throws when the first row is requested")
  func wrongQuery() async throws {
    let db = try Self.database()
    let stream = db.stream(Reading.limit(-1))
    await #expect(throws: QueryError.self) { for try await _ in stream {} }
    #expect(db.laneStatuses.stream.isWhole)
  }

  @Test("a stream reads one snapshot, and does not see what its loop writes")
  func snapshot() async throws {
    let db = try Self.database()
    var count = 0
    for try await var model in db.stream(Reading.order(by: \.$id)) {
      #expect(model == Self.samples[count])
      count += 1
      if count % 500 == 1 {
        model.sensor = "changed"
        let changed = model
        let later = Self.count + count
        try await db.write { tx in
          try tx.update(changed)
          try tx.execute("UPDATE Reading SET sensor = 'changed' WHERE id > \(changed.id)")
          try tx.insert(Reading.sample(later))
        }
      }
    }
    #expect(count == Self.count)
    #expect(try await db.count(Reading.all) == Self.count + 10)
    // The next stream reads a snapshot of its own.
    var changed = 0
    for try await model in db.stream(Reading.all) where model.sensor == "changed" { changed += 1 }
    #expect(changed == Self.count + 9)
  }

  @Test("a stream of a database in memory does not see what its loop writes")
  func writingInMemory() async throws {
    let db = try Self.database(inMemory: true)
    var count = 0
    for try await model in db.stream(Reading.order(by: \.$id)) {
      count += 1
      if model.id % 500 == 0 {
        try await db.run(Reading.delete().where { $0.$id > model.id })
        try await db.insert(Reading.sample(model.id + Self.count))
      }
    }
    #expect(count == Self.count)
    #expect(try await db.count(Reading.all) == 501)
  }

  @Test("each iteration of a stream runs the query again")
  func twice() async throws {
    let db = try Self.database()
    let stream = db.stream(Reading.all)
    for expected in [Self.count, 1] {
      var count = 0
      for try await _ in stream { count += 1 }
      #expect(count == expected)
      try await db.run(Reading.delete().where { $0.$id > 1 })
    }
  }

  @Test(
    "unfinished streams block neither reads nor each other; only a stream above the limit throws")
  func limit() async throws {
    var configuration = Configuration()
    configuration.maximumReaders = 3
    let db = try Self.database(configuration: configuration)
    var iterators: [RowStream<Reading>.AsyncIterator] = []
    for _ in 0..<3 {
      var iterator = db.stream(Reading.order(by: \.$id)).makeAsyncIterator()
      #expect(try await iterator.next()?.id == 1)
      iterators.append(iterator)
    }
    // All connections of `read` are free.
    #expect(try await db.read { try $0.count(Reading.all) } == Self.count)
    #expect(try await db.fetch(Reading.all).count == Self.count)
    #expect(db.laneStatuses.reader.isWhole)
    for _ in 0..<3 {
      let error = await #expect(throws: TooManyStreams.self) {
        for try await _ in db.stream(Reading.all) {}
      }
      #expect(error == TooManyStreams(maximum: 3))
      // A dropped stream makes room for another.
      iterators.removeLast()
      var iterator = db.stream(Reading.order(by: \.$id)).makeAsyncIterator()
      #expect(try await iterator.next()?.id == 1)
      iterators.insert(iterator, at: 0)
    }
    // The streams that waited continue where they were.
    for index in iterators.indices {
      var count = 1
      while let model = try await iterators[index].next() {
        count += 1
        #expect(model.id == count)
      }
      #expect(count == Self.count)
    }
    #expect(db.laneStatuses.stream.isWhole)
    #expect(db.laneStatuses.stream.count == 3)
  }

  @Test("leaving the loop returns the connection to the pool, however often it happens")
  func leaving() async throws {
    var configuration = Configuration()
    configuration.maximumReaders = 1
    let db = try Self.database(configuration: configuration)
    for round in 1...300 {
      var count = 0
      for try await _ in db.stream(Reading.all) {
        count += 1
        if count == round { break }
      }
      #expect(count == round)
    }
    // A stream that was made but not begun holds no connection.
    let unused = (0..<10).map { _ in db.stream(Reading.all).makeAsyncIterator() }
    for try await _ in db.stream(Reading.all) {}
    #expect(db.laneStatuses.stream.isWhole)
    withExtendedLifetime(unused) {}
  }

  @MainActor @Test("a stream can be iterated over on the main actor")
  func onTheMainActor() async throws {
    let db = try Self.database()
    var count = 0
    for try await _ in db.stream(Reading.all) {
      MainActor.assertIsolated()
      count += 1
    }
    #expect(count == Self.count)
  }
}
