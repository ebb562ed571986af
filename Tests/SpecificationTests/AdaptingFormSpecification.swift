import Foundation
import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Expressions without a column take the form of their place")
struct AdaptingFormSpecification {
  enum Token: RawRepresentable, ColumnValue, Equatable {
    case known(UUID)

    init?(rawValue: UUID) { self = .known(rawValue) }
    var rawValue: UUID {
      switch self {
      case .known(let id): id
      }
    }
  }

  /// A column of each kind of form: text, whole seconds, real numbers, bytes.
  struct Visit: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var at: Date
    @Column var seen: Date?
    @Column var made: Date
    @Column var julian: Date
    @Column var iso: Date
    @Column var visitor: UUID
    @Column var token: Token
    @Column var code: UUID
    @Column var price: Decimal

    static var schema: Schema<Visit> {
      Stored(\.$at, as: .datetime)
      Stored(\.$seen, as: .unixEpoch)
      Stored(\.$julian, as: .julianDay)
      Stored(\.$iso, as: .iso8601)
      Stored(\.$visitor, as: .bytes)
      Stored(\.$token, as: .bytes)
      Trigger("Visit_touch", after: .update(of: \.$price)) { _, new in
        Visit.update {
          $0.$seen = .currentTimestamp; $0.$at = .currentTimestamp
        }
        .where { $0.$id == new.$id }
      }
    }
  }

  struct Report: ResultRow, Equatable {
    @Column var createdAt: Date
    @Column var visitor: UUID

    static var schema: Schema<Report> {
      Stored(\.$createdAt, as: .iso8601)
      Stored(\.$visitor, as: .bytes)
    }
  }

  let db: Database
  static let date = Date(timeIntervalSince1970: 1_700_000_000)
  static let visitor = UUID(uuidString: "0F8FAD5B-D9CB-469F-A165-70867728950E") ?? UUID()

  init() throws {
    db = try Specification.database(models: [Visit.self])
    let date = Self.date
    try db.insert(
      (1...3).map { id in
        Visit(
          id: id, at: date.addingTimeInterval(Double(id)), seen: id == 3 ? nil : date, made: date,
          julian: date, iso: date, visitor: Self.visitor, token: .known(Self.visitor),
          code: Self.visitor, price: Decimal(id))
      })
  }

  private func sql(_ update: Update<Visit>) throws -> String {
    String(try update.sql.text.dropFirst(#"UPDATE "Visit" SET "#.count))
  }

  @Test("the current time is assigned in the form of the column, and compared in it")
  func currentTime() throws {
    let update = Visit.update {
      $0.$at = .currentTimestamp
      $0.$seen = .currentTimestamp
      $0.$made = .currentTimestamp
      $0.$julian = .currentTimestamp
      $0.$iso = .currentTimestamp
    }
    let milliseconds = "round((julianday('now') - 2440587.5) * 86400000.0)"
    #expect(
      try sql(update) == """
        "at" = strftime('%Y-%m-%d %H:%M:%f', 'now'), "seen" = CAST(strftime('%s', 'now') AS INTEGER), \
        "made" = (CAST(\(milliseconds) AS INTEGER) * 1000), "julian" = julianday('now'), \
        "iso" = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
        """)
    let before = Date().addingTimeInterval(-2)
    #expect(try db.run(update) == 3)
    let after = Date().addingTimeInterval(2)
    for visit in try db.fetch(Visit.all) {
      for date in [visit.at, try #require(visit.seen), visit.made, visit.julian, visit.iso] {
        #expect(before < date && date < after)
      }
    }
    #expect(
      try Visit.where { $0.$at <= .currentTimestamp }.select(\.$id).sql.text
        == #"SELECT "id" FROM "Visit" WHERE "at" <= strftime('%Y-%m-%d %H:%M:%f', 'now')"#)
    #expect(try db.count(Visit.where { $0.$at <= .currentTimestamp && $0.$at > before }) == 3)
    #expect(try db.count(Visit.where { .currentTimestamp >= $0.$at }) == 3)
    #expect(try db.count(Visit.where { $0.$seen <= .currentTimestamp }) == 3)
    #expect(try db.count(Visit.where { $0.$at > .currentTimestamp.modified(by: .days(-7)) }) == 3)
    #expect(try db.count(Visit.where { $0.$seen > .currentTimestamp.modified(by: .hours(1)) }) == 0)
    #expect(
      try db.count(
        Visit.where {
          SQLExpression.currentTimestamp.between(
            $0.$at.modified(by: .hours(-1)), and: $0.$at.modified(by: .hours(1)))
        }) == 3)
  }

  @Test("the current time has each stored form, and is read back as the same moment")
  func everyForm() throws {
    for form in StoredForm.allCases where Date.storageClass(as: form) != nil {
      let now = SQLExpression<Date>.currentTimestamp
      let node = try #require(now.node(as: form))
      let read = try db.read { connection in
        let sql = try Query { Select(SQLExpression<Date>(node, form: form)) }.sql
        return try connection.row(sql)?.get(Date.self, at: 0, as: form)
      }
      #expect(abs(try #require(read).timeIntervalSinceNow) < 30, "\(form)")
    }
  }

  @Test("a choice between values is assigned and compared in the form of the column")
  func choices() throws {
    let date = Self.date
    let update = Visit.update {
      $0.$seen = Case(when: $0.$id == 1, then: date.addingTimeInterval(9)).orNull
      $0.$at = Case(when: $0.$id == 1, then: date).when($0.$id == 2, then: $0.$at)
        .else(.currentTimestamp)
      $0.$visitor = iif($0.$id > 1, Self.visitor, $0.$visitor)
    }
    #expect(
      try sql(update) == """
        "seen" = CASE WHEN "id" = ? THEN ? END, "at" = CASE WHEN "id" = ? THEN ? WHEN "id" = ? \
        THEN "at" ELSE strftime('%Y-%m-%d %H:%M:%f', 'now') END, \
        "visitor" = iif("id" > ?, ?, "visitor")
        """)
    #expect(try update.sql.values[1] == .integer(1_700_000_009))
    #expect(try update.sql.values[3] == .text("2023-11-14 22:13:20.000"))
    #expect(try db.run(update) == 3)
    let visits = try db.fetch(Visit.order(by: \.$id))
    #expect(visits.map(\.seen) == [date.addingTimeInterval(9), nil, nil])
    #expect(visits[0].at == date)
    #expect(visits[1].at == date.addingTimeInterval(2))
    #expect(visits.map(\.visitor) == Array(repeating: Self.visitor, count: 3))

    let maybe = Visit.update { $0.$seen = iif($0.$id == 2, date, nil) }
    #expect(
      try sql(maybe) == #""seen" = iif("id" = ?, ?, NULL)"#
        || sql(maybe) == #""seen" = iif("id" = ?, ?, ?)"#)
    #expect(try db.run(maybe) == 3)
    #expect(try db.fetch(Visit.order(by: \.$id).select(\.$seen)) == [nil, date, nil])
    let ids = Visit.where { $0.$at == iif($0.$id == 1, date, date.addingTimeInterval(2)) }
    #expect(try db.fetch(ids.select(\.$id)).sorted() == [1, 2])
    #expect(try db.count(Visit.where { $0.$seen.ifNull(date) == date }) == 3)
    #expect(try db.count(Visit.where { $0.$at.max(with: date) > SQLExpression(date) }) == 2)
    #expect(try db.count(Visit.where { SQLExpression(date).max(with: $0.$at) == $0.$at }) == 3)
    #expect(try db.count(Visit.where { SQLExpression(date).nullIf($0.$at) == nil }) == 1)
  }

  @Test("a value that is moved, selected into a struct, and inserted takes the form of its place")
  func places() throws {
    let date = Self.date
    let moved = SQLExpression(date).modified(by: .seconds(2))
    #expect(try db.fetch(Visit.where { $0.$at == moved }.select(\.$id)) == [2])
    #expect(
      try db.fetch(Visit.where { $0.$at == SQLExpression(date).modified(by: $0.$id, .seconds) })
        .count
        == 3)
    let query = Query {
      Select(date.as("createdAt"), Self.visitor.as("visitor"), into: Report.self)
    }
    #expect(try query.sql.text == #"SELECT ? AS "createdAt", ? AS "visitor""#)
    #expect(try query.sql.values[0] == .text("2023-11-14T22:13:20.000000Z"))
    #expect(try db.fetch(query) == [Report(createdAt: date, visitor: Self.visitor)])
    let later = Visit.where { $0.$id == 1 }.select {
      (
        $0.$id + 10, date, date as Date?, $0.$made, $0.$julian, $0.$iso, Self.visitor, $0.$token,
        $0.$code, $0.$price
      )
    }
    #expect(
      try db.run(
        Visit.insert(
          \.$id, \.$at, \.$seen, \.$made, \.$julian, \.$iso, \.$visitor, \.$token, \.$code,
          \.$price,
          from: later)) == 1)
    let inserted = try #require(try db.first(Visit.where { $0.$id == 11 }))
    #expect(inserted.at == date && inserted.seen == date && inserted.visitor == Self.visitor)
    let both = Visit.where { $0.$id == 11 }.select(\.$at).union(Query { Select(date) })
    #expect(try db.fetch(both) == [date])
    #expect(try db.count(Visit.where { $0.$at.isIn(Query { Select(date) }) }) == 1)
    #expect(
      try db.count(Visit.where { SQLExpression(date).isIn(Visit.select(\.$at)) && $0.$id < 3 }) == 2
    )
  }

  @Test("raw SQL has the form that is stated, and a form that the type does not have throws")
  func rawSQL() throws {
    let update = Visit.update {
      $0.$seen = SQLExpression(sql: "unixepoch('2001-01-01')", as: .unixEpoch)
      $0.$at = SQLExpression(sql: "datetime(\($0.$at), '+1 day') || '.000'", as: .datetime)
    }
    #expect(
      try sql(update)
        == #""seen" = unixepoch('2001-01-01'), "at" = datetime("at", '+1 day') || '.000'"#)
    #expect(try db.run(update) == 3)
    let first = try #require(try db.first(Visit.order(by: \.$id)))
    #expect(first.seen == Date(timeIntervalSinceReferenceDate: 0))
    #expect(first.at == Self.date.addingTimeInterval(86_401))
    let unstated = Visit.update { $0.$seen = SQLExpression(sql: "unixepoch()") }
    let error = #expect(throws: QueryError.self) { try unstated.sql }
    #expect(error?.message.contains("as: .unixEpoch") == true)
    #expect(throws: QueryError("Int has no stored form .datetime")) {
      try Visit.where { SQLExpression<Int>(sql: "1", as: .datetime) == $0.$id }.sql
    }
  }

  @Test("UUIDs, enumerations over them and decimals are compared in the form of the column")
  func otherTypes() throws {
    let id = SQLExpression(Self.visitor)
    #expect(try db.count(Visit.where { $0.$visitor == id && id == $0.$code }) == 3)
    #expect(try db.count(Visit.where { iif($0.$id > 1, Self.visitor, UUID()) == $0.$visitor }) == 2)
    let token = SQLExpression(Token.known(Self.visitor))
    #expect(try db.count(Visit.where { $0.$token == token }) == 3)
    #expect(
      try db.count(
        Visit.where { $0.$token == Case(when: $0.$id == 1, then: .known(Self.visitor)).else(token) }
      )
        == 3)
    #expect(
      try db.count(Visit.where { $0.$price == iif($0.$id == 2, Decimal(2), Decimal(7)) }) == 1)
    // Two columns keep their forms.
    let error = #expect(throws: QueryError.self) {
      try Visit.where { $0.$visitor == $0.$code }.sql
    }
    #expect(error?.message.contains("stored in different forms, .bytes and .standard") == true)
  }

  @Test("a trigger touches columns of every form")
  func trigger() throws {
    let before = Date().addingTimeInterval(-2)
    #expect(try db.run(Visit.update { $0.$price = 9 }.where { $0.$id == 3 }) == 1)
    let touched = try #require(try db.first(Visit.where { $0.$id == 3 }))
    #expect(try #require(touched.seen) > before && touched.at > before)
  }

  @Test("a parameter takes the form of the column in a choice")
  func parameters() throws {
    let prepared = try db.prepare { (date: SQLParameter<Date>) in
      Visit.where { $0.$at == iif($0.$id < 3, date, date) || $0.$seen == date.optional }.select(
        \.$id)
    }
    #expect(try db.fetch(prepared(Self.date.addingTimeInterval(2))).sorted() == [2])
    #expect(try db.fetch(prepared(Self.date)).sorted() == [1, 2])
  }

  @Test("seconds with their fraction are those of the date, in every form")
  func fractions() throws {
    try db.run(
      Visit.update {
        $0.$made = Self.date.addingTimeInterval(0.25); $0.$iso = $0.$iso
      })
    try db.run(Visit.update { $0.$iso = Self.date.addingTimeInterval(0.25) })
    try db.run(Visit.update { $0.$julian = Self.date.addingTimeInterval(0.25) })
    let row = try #require(
      try db.first(
        Visit.where { $0.$id == 1 }.select {
          (
            $0.$made.secondsSince1970(), $0.$iso.secondsSince1970(), $0.$julian.secondsSince1970(),
            $0.$seen.secondsSince1970(), $0.$at.secondsSince1970()
          )
        }))
    #expect(row.0 == 1_700_000_000.25 && row.1 == 1_700_000_000.25)
    #expect(row.2 == 1_700_000_000.25 && row.3 == 1_700_000_000 && row.4 == 1_700_000_001)
    #expect(
      try Visit.select { $0.$made.secondsSince1970() }.sql.text
        == #"SELECT "made" / 1000000.0 FROM "Visit""#)
  }
}
