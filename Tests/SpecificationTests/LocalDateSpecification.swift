import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// One moment in every stored form of a date.
private struct Moment: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var standard: Date
  @Column var unixEpoch: Date
  @Column var unixMilliseconds: Date
  @Column var unixSeconds: Date
  @Column var referenceSeconds: Date
  @Column var julianDay: Date
  @Column var iso8601: Date
  @Column var iso8601Milliseconds: Date
  @Column var iso8601Seconds: Date
  @Column var datetime: Date
  @Column var datetimeSeconds: Date
  @Column var optional: Date?

  static var schema: Schema<Moment> {
    Stored(\.$unixEpoch, as: .unixEpoch)
    Stored(\.$unixMilliseconds, as: .unixMilliseconds)
    Stored(\.$unixSeconds, as: .unixSeconds)
    Stored(\.$referenceSeconds, as: .referenceSeconds)
    Stored(\.$julianDay, as: .julianDay)
    Stored(\.$iso8601, as: .iso8601)
    Stored(\.$iso8601Milliseconds, as: .iso8601Milliseconds)
    Stored(\.$iso8601Seconds, as: .iso8601Seconds)
    Stored(\.$datetime, as: .datetime)
    Stored(\.$datetimeSeconds, as: .datetimeSeconds)
  }

  static var dates: [@Sendable (Columns<Moment>) -> SQLExpression<Date>] {
    [
      { $0.$standard }, { $0.$unixEpoch }, { $0.$unixMilliseconds }, { $0.$unixSeconds },
      { $0.$referenceSeconds }, { $0.$julianDay }, { $0.$iso8601 }, { $0.$iso8601Milliseconds },
      { $0.$iso8601Seconds }, { $0.$datetime }, { $0.$datetimeSeconds },
    ]
  }

  init(id: Int, _ date: Date) {
    self.id = id
    standard = date
    unixEpoch = date
    unixMilliseconds = date
    unixSeconds = date
    referenceSeconds = date
    julianDay = date
    iso8601 = date
    iso8601Milliseconds = date
    iso8601Seconds = date
    datetime = date
    datetimeSeconds = date
    optional = id == 0 ? nil : date
  }
}

/// Zones that change their clocks at midnight, by half an hour, across a date line, or never.
private let allZones = [
  "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Asia/Beirut",
  "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "America/Toronto", "UTC",
]

@Suite("Dates in a time zone")
struct LocalDateSpecification {
  private static func calendar(_ zone: String) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
    return calendar
  }

  /// Random moments of 1901 to 2099, half of them within two days of a change of the clocks.
  private static func moments(_ zone: String, seed: UInt64) -> [Date] {
    var generator = SeededGenerator(seed: seed)
    let calendar = calendar(zone)
    return (0..<150).map { index in
      let seconds = Int.random(in: -2_177_452_800..<4_102_444_800, using: &generator)
      let date = Date(timeIntervalSince1970: TimeInterval(seconds))
      guard index % 2 == 0,
        let change = calendar.timeZone.nextDaylightSavingTimeTransition(after: date)
      else { return date }
      let near = Int.random(in: -172_800...172_800, using: &generator)
      return Date(
        timeIntervalSince1970: change.timeIntervalSince1970.rounded() + TimeInterval(near))
    }
  }

  private func database(_ dates: [Date]) throws -> Database {
    let db = try Specification.database(models: [Moment.self])
    try db.insert(dates.enumerated().map { Moment(id: $0, $1) })
    return db
  }

  @Test(
    "every stored form gives the components and the day of Foundation's calendar",
    arguments: allZones)
  func components(_ zone: String) throws {
    let calendar = Self.calendar(zone)
    let dates = Self.moments(zone, seed: 1)
    let db = try database(dates)
    let zone = SQLTimeZone(zone)
    let parts = dates.map {
      calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: $0)
    }
    func values<Value: ColumnValue>(
      _ expression: (Columns<Moment>) -> SQLExpression<Value>
    ) throws -> [Value] {
      try db.fetch(Moment.select(expression).order(by: \.$id))
    }
    for date in Moment.dates {
      #expect(try values { date($0).component(.year, in: zone) } == parts.map(\.year))
      #expect(try values { date($0).component(.month, in: zone) } == parts.map(\.month))
      #expect(try values { date($0).component(.day, in: zone) } == parts.map(\.day))
      #expect(try values { date($0).component(.hour, in: zone) } == parts.map(\.hour))
      #expect(try values { date($0).component(.minute, in: zone) } == parts.map(\.minute))
      #expect(try values { date($0).component(.second, in: zone) } == parts.map(\.second))
      #expect(
        try values { date($0).component(.weekday, in: zone) } == parts.map { ($0.weekday ?? 0) - 1 }
      )
      #expect(
        try values { date($0).day(in: zone) }
          == parts.map {
            String(format: "%04d-%02d-%02d", $0.year ?? 0, $0.month ?? 0, $0.day ?? 0)
          })
    }
    #expect(
      try values { $0.$optional.component(.hour, in: zone) } == [nil]
        + parts.dropFirst().map(\.hour))
  }

  @Test(
    "startOfDay, and steps in days and months, agree with Foundation's calendar",
    arguments: allZones)
  func steps(_ zone: String) throws {
    let calendar = Self.calendar(zone)
    let dates = Self.moments(zone, seed: 2)
    let db = try database(dates)
    let zone = SQLTimeZone(zone)
    for (index, date) in Moment.dates.enumerated() {
      let found = try db.fetch(
        Moment.select {
          (
            date($0).startOfDay(in: zone), date($0).modified(by: .startOfDay, .days(1), in: zone),
            date($0).modified(by: .startOfMonth, in: zone),
            date($0).modified(by: .hours(5), in: zone)
          )
        }.order(by: \.$id))
      for (found, moment) in zip(found, dates) {
        let start = calendar.startOfDay(for: moment)
        #expect(near(found.0, start), "\(moment.timeIntervalSince1970), form \(index)")
        let month = calendar.dateInterval(of: .month, for: moment)?.start
        #expect(near(found.2, month), "\(moment.timeIntervalSince1970), form \(index)")
        #expect(near(found.3, moment.addingTimeInterval(18_000)))
        // The next day of the calendar; where a day was skipped, SQLite's own next day.
        if let next = calendar.date(byAdding: .day, value: 1, to: start),
          calendar.dateComponents([.day], from: start, to: next).day == 1
        {
          #expect(
            near(found.1, calendar.startOfDay(for: next)),
            "\(moment.timeIntervalSince1970), form \(index)")
        }
      }
    }
  }

  private func near(_ left: Date, _ right: Date?) -> Bool {
    right.map { abs(left.timeIntervalSince($0)) < 0.002 } ?? false
  }

  @Test("days are added on the clock, and hours are lengths of time")
  func spring() throws {
    // On March 26th, 2023, Berlin's clocks skipped from 2:00 to 3:00.
    let eve = try DatabaseValue.text("2023-03-25T01:30:00.250000Z").read(Date.self, as: .iso8601)
    let db = try database([eve])
    func text(_ date: (Columns<Moment>) -> SQLExpression<Date>) throws -> String {
      let date = try #require(try db.first(Moment.select(date)))
      return try date.databaseValue(as: .iso8601Milliseconds).description
    }
    let zone: SQLTimeZone = "Europe/Berlin"
    #expect(
      try text { $0.$standard.modified(by: .days(1), in: zone) } == "'2023-03-26T01:30:00.250Z'")
    #expect(
      try text { $0.$standard.modified(by: .hours(24), in: zone) } == "'2023-03-26T01:30:00.250Z'")
    #expect(
      try text { $0.$iso8601.modified(by: .days(2), in: zone) } == "'2023-03-27T00:30:00.250Z'")
    #expect(
      try text { $0.$datetime.modified(by: .days(2), .hours(-1), .startOfDay, in: zone) }
        == "'2023-03-26T22:00:00.000Z'")
  }

  @Test("rows are grouped by local day")
  func groups() throws {
    let moments = [
      "2024-03-30T22:59:59Z", "2024-03-30T23:00:00Z", "2024-03-31T21:59:59Z",
      "2024-03-31T22:00:00Z",
    ]
    let db = try database(
      try moments.map { try DatabaseValue.text($0).read(Date.self, as: .iso8601Seconds) })
    let query = Query { (moment: Columns<Moment>) in
      From(moment)
      GroupBy(moment.$standard.day(in: "Europe/Berlin"))
      Select(moment.$standard.day(in: "Europe/Berlin"), moment.count())
    }
    #expect(
      try query.sql.text == """
        SELECT strftime('%Y-%m-%d', apus_local("standard" / 1000000 - ("standard" % 1000000 < 0), \
        ?), 'unixepoch'), count(*) FROM "Moment" GROUP BY strftime('%Y-%m-%d', \
        apus_local("standard" / 1000000 - ("standard" % 1000000 < 0), ?), 'unixepoch')
        """)
    let days = try db.fetch(query)
    #expect(days.map(\.0) == ["2024-03-30", "2024-03-31", "2024-04-01"])
    #expect(days.map(\.1) == [1, 2, 1])
  }

  @Test("localTime is the time zone of the machine, and utc adds no function")
  func local() throws {
    let dates = Self.moments("UTC", seed: 3)
    let db = try database(dates)
    let hours = dates.map { Calendar.current.component(.hour, from: $0) }
    #expect(
      try db.fetch(Moment.select { $0.$iso8601.component(.hour, in: .localTime) }.order(by: \.$id))
        == hours)
    #expect(
      try Moment.select { $0.$standard.component(.hour, in: .utc) }.sql.text
        == Moment.select { $0.$standard.component(.hour) }.sql.text)
    #expect(
      try Moment.select { $0.$standard.strftime("%H", in: "Asia/Tokyo") }.sql.values
        == ["%H", "Asia/Tokyo"])
    #expect(SQLTimeZone(TimeZone.gmt) == "GMT")
  }

  @Test("an unknown time zone is refused")
  func unknown() throws {
    let db = try database([])
    let error = #expect(throws: QueryError.self) {
      try db.fetch(Moment.select { $0.$standard.day(in: "Europe/Berln") })
    }
    #expect(
      error?.message == """
        there is no time zone "Europe/Berln"; use an identifier of the time zone database, such as \
        "Europe/Berlin", or .localTime
        """)
    #expect(throws: DatabaseError.self) { try db.rows("SELECT apus_local(0, 'Mars/Olympus')") }
    #expect(try db.row("SELECT apus_local(NULL, 'UTC')")?[0] == .null)
    #expect(try db.row("SELECT apus_utc(9223372036854775807, 'UTC')")?[0] == .null)
  }
}
