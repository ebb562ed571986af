import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Steps from one date to another")
struct DateModifierSpecification {
  let db: Database
  let dates: [Date]

  init() throws { (db, dates) = try (DateSpecification().db, DateSpecification().dates) }

  @Test("a step of months or years can end on the last day of the month")
  func overflow() throws {
    let query = Tour.where { $0.$id == 0 }  // 2024-02-29T12:34:56.789012Z
    func day(_ steps: DateModifier..., in zone: SQLTimeZone = .utc) throws -> [String] {
      let texts = try db.fetch(
        query.select {
          (
            Self.moved($0.$begin, steps, zone).strftime("%Y-%m-%d %H:%M:%S"),
            Self.moved($0.$end, steps, zone).strftime("%Y-%m-%d %H:%M:%S")
          )
        })
      return texts.flatMap { [$0.0, $0.1] }
    }
    func both(_ text: String) -> [String] { [text, text] }
    #expect(try day(.years(1)) == both("2025-03-01 12:34:56"))
    #expect(try day(.years(1, .floor)) == both("2025-02-28 12:34:56"))
    #expect(try day(.years(4, .floor)) == both("2028-02-29 12:34:56"))
    #expect(try day(.days(-29), .months(1)) == both("2024-03-02 12:34:56"))
    #expect(try day(.days(-29), .months(1, .floor)) == both("2024-02-29 12:34:56"))
    #expect(try day(.days(-29), .months(-2, .floor), .days(1)) == both("2023-12-01 12:34:56"))
    #expect(try day(.days(31), .months(-1, .floor)) == both("2024-02-29 12:34:56"))
    #expect(try day(.days(31), .months(-1, .ceiling)) == both("2024-03-02 12:34:56"))
    #expect(
      try day(.months(12, .floor), .startOfDay, .months(-12, .floor))
        == both("2024-02-28 00:00:00"))
    #expect(try day(.years(1, .floor), in: "Pacific/Auckland") == both("2025-02-28 12:34:56"))
    #expect(
      try db.fetch(query.select { $0.$begin.modified(by: $0.$id + 1, .years, .floor) })
        == db.fetch(query.select { $0.$end.modified(by: .years(1, .floor)) }))
    #expect(
      try query.select { $0.$begin.modified(by: .months(1, .floor)) }.sql.text.contains("min("))
  }

  @Test("a step of days or less ends where it leads, not on the last day of a month")
  func overflowOfDays() throws {
    let query = Tour.where { $0.$id == 0 }  // 2024-02-29T12:34:56.789012Z
    #expect(
      try db.fetch(
        query.select {
          $0.$end.modified(by: $0.$id - 40, .days, .floor).strftime("%Y-%m-%d %H:%M:%S")
        }) == ["2024-01-20 12:34:56"])
    for unit in [DateUnit.milliseconds, .seconds, .minutes, .hours, .days] {
      for count in [-3_000_000, -100_000, -60, -40, -1, 0, 1, 40, 60, 100_000, 3_000_000] {
        func moved(_ overflow: MonthOverflow, in zone: SQLTimeZone) throws -> [[Date?]] {
          let rows = try db.fetch(
            query.select {
              (
                $0.$begin.optional.modified(by: $0.$id + count, unit, overflow, in: zone),
                $0.$end.optional.modified(by: $0.$id + count, unit, overflow, in: zone),
                $0.$announced.modified(by: $0.$id + count, unit, overflow, in: zone),
                $0.$unix.optional.modified(by: $0.$id + count, unit, overflow, in: zone),
                $0.$reference.optional.modified(by: $0.$id + count, unit, overflow, in: zone),
                $0.$julian.optional.modified(by: $0.$id + count, unit, overflow, in: zone)
              )
            })
          return rows.map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5] }
        }
        for zone in [SQLTimeZone.utc, "Pacific/Auckland"] {
          #expect(try moved(.floor, in: zone) == moved(.ceiling, in: zone), "\(count) \(unit)")
        }
      }
    }
  }

  @Test("the last month that SQLite knows has a last day")
  func lastMonth() throws {
    let query = Tour.where { $0.$id == 0 }  // 2024-02-29T12:34:56.789012Z
    let (months, years) = ((9999 - 2024) * 12 + 10, 9999 - 2024)
    let texts = try db.fetch(
      query.select {
        (
          $0.$begin.modified(by: .months(months, .floor)).strftime("%Y-%m-%d"),
          $0.$end.modified(by: $0.$id + months, .months, .floor).strftime("%Y-%m-%d"),
          $0.$end.modified(by: .years(years, .floor)).strftime("%Y-%m-%d"),
          $0.$end.optional.modified(by: .months(months + 1, .floor))
        )
      })
    let row = try #require(texts.first)
    #expect(row == ("9999-12-29", "9999-12-29", "9999-02-28", nil))
  }

  @Test("a text has no date before the year 0")
  func firstYear() throws {
    let query = Tour.where { $0.$id == 4 }  // 0001-01-01T00:00:00.000000Z
    let rows = try db.fetch(
      query.select {
        (
          $0.$end.optional.modified(by: .years(-1)),
          $0.$end.optional.modified(by: .years(-1), .seconds(-1)),
          $0.$announced.modified(by: .months(-13, .floor)),
          $0.$announced.modified(by: $0.$id * 0 - 367, .days),
          $0.$end.optional.modified(by: .years(-1), .milliseconds(-1)),
          $0.$begin.modified(by: .years(-1), .seconds(-1)).unixSeconds()
        )
      })
    let row = try #require(rows.first)
    let first = Date(timeIntervalSince1970: -62_167_219_200)
    #expect(row == (first, nil, nil, nil, nil, -62_167_219_201))
  }

  /// Applies up to three steps.
  private static func moved(
    _ date: SQLExpression<Date>, _ steps: [DateModifier], _ zone: SQLTimeZone
  ) -> SQLExpression<Date> {
    switch steps.count {
    case 1: date.modified(by: steps[0], in: zone)
    case 2: date.modified(by: steps[0], steps[1], in: zone)
    default: date.modified(by: steps[0], steps[1], steps[2], in: zone)
    }
  }

  @Test("a step of milliseconds moves a date in every stored form")
  func milliseconds() throws {
    for (index, date) in dates.enumerated() where index < 4 {
      for count in [0, 1, 877, -1, -1_500, 86_400_000] {
        let moved = date + Double(count) / 1_000
        func isMoved(_ found: Date?) -> Bool {
          found.map { abs($0.timeIntervalSince(moved)) < 0.000_002 } ?? false
        }
        let rows = try db.fetch(
          Tour.where { $0.$id == index }.select {
            (
              $0.$begin.modified(by: .milliseconds(count)),
              $0.$end.modified(by: .milliseconds(count)),
              $0.$announced.modified(by: .milliseconds(count)),
              $0.$begin.modified(by: $0.$id * 0 + count, .milliseconds),
              $0.$unix.modified(by: .milliseconds(count)),
              $0.$reference.modified(by: .milliseconds(count)),
              $0.$julian.modified(by: .milliseconds(count)),
              $0.$end.modified(by: .milliseconds(count), .startOfDay, .milliseconds(1))
            )
          })
        let row = try #require(rows.first)
        #expect(isMoved(row.0) && isMoved(row.1) && isMoved(row.2) && isMoved(row.3))
        #expect(isMoved(row.4) && isMoved(row.5))
        #expect(abs(row.6.timeIntervalSince(moved)) < 0.002)
        let start = Tour.calendar.startOfDay(for: moved)
        #expect(abs(row.7.timeIntervalSince(start) - 0.001) < 0.000_002)
      }
    }
    #expect(
      try Tour.select { $0.$begin.modified(by: .milliseconds(5)) }.sql.text
        == #"SELECT "begin" + ? * 1000 FROM "Tour""#)
  }

  @Test("a form of whole seconds moves by the seconds that are complete")
  func coarseMilliseconds() throws {
    let moment = Date(timeIntervalSince1970: 100)
    let coarse = try Specification.database(models: [Whole.self])
    try coarse.insert(Whole(id: 1, epoch: moment, text: moment, iso: moment, fine: moment))
    for (count, seconds) in [(999, 100), (1_000, 101), (-1, 99), (-1_000, 99), (-1_001, 98)] {
      let row = try #require(
        try coarse.first(
          Whole.select {
            (
              $0.$epoch.modified(by: .milliseconds(count)).unixSeconds(),
              $0.$text.modified(by: .milliseconds(count)).unixSeconds(),
              $0.$iso.modified(by: .milliseconds(count)).unixSeconds(),
              $0.$fine.modified(by: .milliseconds(count))
            )
          }))
      #expect(row.0 == seconds && row.1 == seconds && row.2 == seconds)
      #expect(abs(row.3.timeIntervalSince(moment) - Double(count) / 1_000) < 0.000_001)
    }
  }

  private struct Whole: Model {
    @PrimaryKey var id: Int
    @Column var epoch: Date
    @Column var text: Date
    @Column var iso: Date
    @Column var fine: Date

    static var schema: Schema<Whole> {
      Stored(\.$epoch, as: .unixEpoch)
      Stored(\.$text, as: .datetimeSeconds)
      Stored(\.$iso, as: .iso8601Seconds)
      Stored(\.$fine, as: .unixMilliseconds)
    }
  }
}
