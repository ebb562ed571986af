import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Structs of rows whose columns have stored forms")
struct RowFormSpecification {
  struct Visit: ResultRow, Equatable {
    @Column var id: Int
    @Column var end: Date
    @Column var announced: Date?

    static var schema: Schema<Visit> {
      Stored(\.$end, as: .iso8601)
      Stored(\.$announced, as: .iso8601)
    }
  }

  static let date = Date(timeIntervalSince1970: 1_700_000_000.25)
  let db: Database

  init() throws {
    db = try Specification.database(models: [Tour.self])
    let place = Tour.Place(name: "Hall", address: nil, seats: [], isOpen: true)
    try db.insert([
      Tour(id: 1, Self.date, place: place), Tour(id: 2, Self.date + 60, place: place),
    ])
  }

  @Test("a struct reads selected columns in the stored forms that it declares")
  func selected() throws {
    let query = Tour.order(by: \.$id).select(into: Visit.self)
    #expect(
      try query.sql.text == """
        SELECT "id" AS "id", "end" AS "end", "announced" AS "announced" FROM "Tour" ORDER BY "id"
        """)
    #expect(
      try db.fetch(query) == [
        Visit(id: 1, end: Self.date, announced: Self.date),
        Visit(id: 2, end: Self.date + 60, announced: Self.date + 60),
      ])
  }

  @Test("values compared with the columns of a struct in FROM or WITH take their stored form")
  func tables() throws {
    let visits = CommonTable("visits", Tour.select(into: Visit.self))
    let common = Query { (visit: Columns<Visit>) in
      With(visits)
      From(visits.as(visit))
      Where { visit.$end > Self.date }
      Select(visit.$id, visit.$end.component(.second))
    }
    #expect(
      try common.sql.values.last == .text("2023-11-14T22:13:20.250000Z"))
    #expect(try db.fetch(common).map(\.0) == [2])
    #expect(try db.fetch(common).map(\.1) == [20])
    let derived = Query { (tour: Columns<Tour>, visit: Columns<Visit>) in
      From(tour)
      Join(
        Tour.where { $0.$id == 1 }.select(into: Visit.self).as(visit), on: visit.$end == tour.$end)
      Select(tour.$id, visit)
    }
    #expect(try db.fetch(derived).map(\.0) == [1])
    #expect(try db.fetch(derived).map(\.1.end) == [Self.date])
  }

  @Test(
    "a stored form that differs from the selected one throws, and the error says what to declare")
  func mismatch() throws {
    struct Bare: ResultRow { @Column var end: Date }
    let error = #expect(throws: QueryError.self) { try Tour.select(into: Bare.self).sql }
    #expect(
      error?.message == """
        Bare: end is stored in the form .standard, but the selected column in the form .iso8601; \
        declare Stored(\\.$end, as: .iso8601) in the schema of the row
        """)
    struct Wrong: ResultRow {
      @Column var id: Int
      static var schema: Schema<Wrong> { Stored(\.$id, as: .iso8601) }
    }
    let wrong = #expect(throws: QueryError.self) { try Tour.select(into: Wrong.self).sql }
    #expect(wrong?.message.contains("id: Int has no stored form `.iso8601`") == true)
  }
}
