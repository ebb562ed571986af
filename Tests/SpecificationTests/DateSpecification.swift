import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Dates in every stored form")
struct DateSpecification {
  /// A leap day, the last moments before 1970 and of years, and the first microsecond after 1970.
  static let moments = [
    "2024-02-29T12:34:56.789012Z", "1969-12-31T23:59:59.999600Z", "1970-01-01T00:00:00.000001Z",
    "1999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.000000Z",
    "1600-02-29T00:00:00.500000Z",
  ]

  let db: Database
  let dates: [Date]

  init() throws {
    db = try Specification.database(models: [Tour.self])
    dates = try Self.moments.map { try DatabaseValue.text($0).read(Date.self, as: .iso8601) }
    let place = Tour.Place(name: "Hall", address: nil, seats: [], isOpen: true)
    try db.insert(dates.enumerated().map { Tour(id: $0.offset, $0.element, place: place) })
  }

  /// Returns the number at a place in the text of each moment.
  private func digits(_ start: Int, _ count: Int) -> [Int] {
    Self.moments.compactMap { Int($0.dropFirst(start).prefix(count)) }
  }

  private func values<Value: ColumnValue>(
    _ expression: (Columns<Tour>) -> SQLExpression<Value>
  ) throws -> [Value] {
    try db.fetch(Tour.select(expression).order(by: \.$id))
  }

  @Test(
    "a component equals that of the date, in every stored form",
    arguments: [
      (DateComponent.year, 0, 4), (.month, 5, 2), (.day, 8, 2), (.hour, 11, 2), (.minute, 14, 2),
      (.second, 17, 2),
    ])
  func components(_ component: DateComponent, _ start: Int, _ count: Int) throws {
    let expected = digits(start, count)
    #expect(try values { $0.$begin.component(component) } == expected)
    #expect(try values { $0.$end.component(component) } == expected)
    #expect(try values { $0.$announced.component(component) } == expected.map { Optional($0) })
    // A Double of seconds or days cannot hold the microseconds of distant years.
    let coarse = component == .second ? [0, 2, 5, 6] : [0, 2, 4, 5, 6]
    for column in [
      try values { $0.$unix.component(component) },
      try values { $0.$reference.component(component) },
    ] {
      #expect(coarse.map { column[$0] } == coarse.map { expected[$0] })
    }
    #expect(try values { $0.$julian.component(component) }[0] == expected[0])
  }

  @Test("the components weekday and dayOfYear are computed")
  func days() throws {
    #expect(try values { $0.$begin.component(.weekday) }.prefix(4) == [4, 3, 4, 5])
    #expect(try values { $0.$begin.component(.dayOfYear) } == [60, 365, 1, 365, 1, 365, 60])
  }

  @Test("a component becomes strftime in SQL")
  func sql() throws {
    #expect(
      try Tour.select { $0.$begin.component(.year) }.sql.text == """
        SELECT CAST(strftime('%Y', "begin" / 1000000 - ("begin" % 1000000 < 0), 'unixepoch') \
        AS INTEGER) FROM "Tour"
        """)
    #expect(
      try Tour.select { $0.$end.component(.year) }.sql.text == """
        SELECT CAST(strftime('%Y', CAST(strftime('%s', substr("end", 1, 19)) AS INTEGER), \
        'unixepoch') AS INTEGER) FROM "Tour"
        """)
  }

  @Test("strftime formats a date, and unixSeconds returns its seconds since 1970")
  func strftime() throws {
    #expect(
      try values { $0.$begin.strftime("%Y-%m-%d") } == Self.moments.map { String($0.prefix(10)) })
    #expect(
      try values { $0.$announced.strftime("%H:%M:%S") }
        == Self.moments.map { String($0.dropFirst(11).prefix(8)) })
    let seconds = dates.map { Int($0.timeIntervalSince1970.rounded(.down)) }
    #expect(try values { $0.$begin.unixSeconds() } == seconds)
    #expect(try values { $0.$end.unixSeconds() } == seconds)
    #expect(
      try db.fetch(
        Tour.select { ($0.$begin.component(.year), $0.count()) }
          .group(by: \.$id).having { $0.$begin.min().ifNull(.distantPast) > dates[0] }
      ).map(\.0) == [9999])
  }

  @Test("a date is moved by a number of units that is an expression")
  func modifiedByExpression() throws {
    let query = Tour.where { $0.$id < 4 }.order(by: \.$id)
    let sql = try query.select { $0.$begin.modified(by: $0.$id * 2, .days) }.sql.text
    #expect(sql.contains(#"'unixepoch', ("id" * ?) || ' days')"#))
    let units: [(DateUnit, Calendar.Component)] = [
      (.seconds, .second), (.minutes, .minute), (.hours, .hour), (.days, .day),
    ]
    for (unit, component) in units {
      let moved = try dates.prefix(4).enumerated().map { index, date in
        try #require(Tour.calendar.date(byAdding: component, value: index - 2, to: date))
      }
      #expect(try db.fetch(query.select { $0.$begin.modified(by: $0.$id - 2, unit) }) == moved)
      #expect(try db.fetch(query.select { $0.$end.modified(by: $0.$id - 2, unit) }) == moved)
    }
    let steps: [(DateUnit, DateModifier)] = [(.months, .months(2)), (.years, .years(2))]
    for (unit, step) in steps {
      #expect(
        try db.fetch(query.select { $0.$begin.modified(by: $0.$id * 0 + 2, unit) })
          == db.fetch(query.select { $0.$begin.modified(by: step) }))
    }
    for zone in [SQLTimeZone.localTime, SQLTimeZone("Europe/Berlin")] {
      #expect(
        try db.fetch(query.select { $0.$begin.modified(by: $0.$id * 0 + 1, .months, in: zone) })
          == db.fetch(query.select { $0.$begin.modified(by: .months(1), in: zone) }))
    }
  }

  @Test("a modified date agrees with Foundation's calendar and keeps the fraction of a second")
  func modified() throws {
    let calendar = Tour.calendar
    // Only the first four moments: in the years 1 and 9999 the steps leave the four-digit years.
    for (index, date) in dates.enumerated() where index < 4 {
      let later = try #require(calendar.date(byAdding: .day, value: 3, to: date))
      let query = Tour.where { $0.$id == index }
      func value(_ expression: (Columns<Tour>) -> SQLExpression<Date>) throws -> Date? {
        try db.first(query.select(expression))
      }
      #expect(try value { $0.$begin.modified(by: .days(3)) } == later)
      #expect(try value { $0.$end.modified(by: .days(3)) } == later)
      #expect(try db.first(query.select { $0.$announced.modified(by: .days(3)) }) == later)
      for coarse in [
        try value { $0.$unix.modified(by: .days(3)) },
        try value { $0.$reference.modified(by: .days(3)) },
        try value { $0.$julian.modified(by: .days(3)) },
      ] {
        let coarse = try #require(coarse)
        #expect(abs(coarse.timeIntervalSince(later)) < 0.002)
      }
      let month = try #require(calendar.dateInterval(of: .month, for: date)?.start)
      #expect(try value { $0.$begin.modified(by: .startOfMonth) } == month)
      #expect(try value { $0.$end.modified(by: .startOfMonth) } == month)
      #expect(try value { $0.$unix.modified(by: .startOfMonth) } == month)
      #expect(try value { $0.$reference.modified(by: .startOfMonth) } == month)
      let next = try #require(calendar.date(byAdding: .month, value: -2, to: month))
      #expect(try value { $0.$begin.modified(by: .startOfMonth, .months(-2)) } == next)
      let day = try #require(calendar.dateInterval(of: .day, for: date)?.start)
      #expect(try value { $0.$begin.modified(by: .startOfDay) } == day)
      let year = try #require(calendar.dateInterval(of: .year, for: date)?.start)
      #expect(try value { $0.$begin.modified(by: .startOfYear) } == year)
      let soon = date.addingTimeInterval(3_600 + 120 + 5)
      let near = try #require(
        try value { $0.$begin.modified(by: .hours(1), .minutes(2), .seconds(5)) })
      #expect(abs(near.timeIntervalSince(soon)) < 0.000_001)
      let after = try #require(calendar.date(byAdding: .year, value: 4, to: day))
      #expect(try value { $0.$begin.modified(by: .startOfDay, .years(4)) } == after)
      let sunday = try #require(try value { $0.$begin.modified(by: .startOfDay, .weekday(0)) })
      #expect(calendar.component(.weekday, from: sunday) == 1 && sunday >= day)
    }
  }

  @Test("currentTimestamp is the current time")
  func now() throws {
    #expect(try db.count(Tour.where { $0.$begin < .currentTimestamp }) == 6)
    let now = try #require(try db.first(Tour.select { _ in SQLExpression<Date>.currentTimestamp }))
    #expect(abs(now.timeIntervalSinceNow) < 60)
  }

  @Test("a component of a year beyond SQLite's range is NULL, and an error if it is not optional")
  func farAway() throws {
    let place = Tour.Place(name: "", address: nil, seats: [], isOpen: true)
    let far = Date(timeIntervalSince1970: 400_000_000_000)
    var tour = Tour(id: 99, dates[0], place: place)
    tour.begin = far
    try db.insert(tour)
    #expect(throws: ColumnValueError.self) {
      try db.fetch(Tour.where { $0.$id == 99 }.select { $0.$begin.component(.year) })
    }
    #expect(
      try db.fetch(Tour.where { $0.$id == 99 }.select { $0.$begin.component(.year).optional })
        == [nil])
  }
}
