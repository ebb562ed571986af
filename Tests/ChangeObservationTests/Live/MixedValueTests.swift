import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@Suite("Observation of unusual files")
struct MixedValueTests {
  struct Reading: Model {
    @PrimaryKey var id: Int
    @Column var value: Double
  }

  /// Values of every storage class; a Double cannot hold some of the numbers exactly.
  static let values: [DatabaseValue] = [
    1, 1.5, .integer(9_007_199_254_740_993), .real(9_007_199_254_740_992), -0.5, 0, nil, "a", "B",
    .blob(Data([1])), .blob(Data([1, 2])), .blob(Data([0, 9])), .real(9.3e18), .real(-9.3e18),
    .integer(.max), .integer(.min), .real(0x1p63), -2, -1.5, .blob(Data()), "", 2.0, 2,
  ]

  @Test("values of all storage classes stay in SQLite's order after each change")
  func order() async throws {
    let db = try Database.temporary()
    // Without an affinity, each value stays as it is.
    try await db.execute("CREATE TABLE Reading (id INTEGER PRIMARY KEY, value)")
    let query = Reading.order(by: \.$value).order(by: \.$id).select(\.$id)
    var results = db.observe(query).makeAsyncIterator()
    #expect(try await results.next()?.isEmpty == true)
    for (index, value) in Self.values.enumerated() {
      try await db.execute("INSERT INTO Reading VALUES (\(index), \(value))")
      #expect(try await results.next().map(Array.init) == db.fetch(query))
    }
    for (index, value) in Self.values.reversed().enumerated() {
      try await db.execute("DELETE FROM Reading WHERE id = \(index)")
      #expect(try await results.next().map(Array.init) == db.fetch(query))
      try await db.execute("INSERT INTO Reading VALUES (\(index), \(value))")
      #expect(try await results.next().map(Array.init) == db.fetch(query))
    }
  }

  @Test("a backup into the database is reported as a change, and its result is fetched again")
  func replaced() async throws {
    let db = try Database.temporary(models: [Note.self])
    let source = try Database.temporary(models: [Note.self])
    try await source.insert(Note(title: "from the copy"))
    var results = db.observe(Note.order(by: \.$id).select(\.$title)).makeAsyncIterator()
    #expect(try await results.next()?.isEmpty == true)
    var changes = db.changes(of: Note.self).makeAsyncIterator()
    try await source.backup(to: db)
    #expect(try await results.next() == ["from the copy"])
    let reported = await changes.next()
    #expect(reported?.isComplete == false)
    #expect(reported?.events.contains(.tableChanged) == true)
    #expect(reported?.rows.isEmpty == true)
  }
}
