import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// SQL compares the texts of dates. `2009-01-01T00:00:30Z` comes before `2009-01-01T00:00Z`.
@Suite("Dates of other programs as text without seconds, or without a time")
struct ShortDateTests {
  struct ISO: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<ISO> { Stored(\.$seen, as: .iso8601) }
  }

  struct Spaced: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Spaced> { Stored(\.$seen, as: .datetime) }
  }

  struct Plain: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
  }

  struct Text: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: String
  }

  /// `ISO` with the offered line.
  struct Rewritten: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Rewritten> {
      Stored(\.$seen, as: .iso8601)
      Converted(\.$seen, from: Date.self, stored: .iso8601) { $0 }
    }
  }

  static let line = #"Converted(\.$seen, from: Date.self, stored: .iso8601) { $0 }"#

  /// Makes a table as another program does.
  private func file(_ type: String, _ texts: String...) throws -> Database {
    let db = try Specification.database()
    try db.execute(
      SQL(unsafe: "CREATE TABLE Visit (id INTEGER PRIMARY KEY, seen \(type) NOT NULL)"))
    for (index, text) in texts.enumerated() {
      try db.execute("INSERT INTO Visit VALUES (\(index + 1), \(text))")
    }
    return db
  }

  private func texts(_ db: Database) throws -> [String] {
    try db.fetch(String.self, "SELECT seen FROM Visit ORDER BY seen")
  }

  @Test(
    "one such date is refused, the error names it, and the offered line rewrites it",
    arguments: ["2009-01-01T00:00Z", "2009-01-01"])
  func one(text: String) throws {
    let db = try file("TEXT", "2009-01-01T00:00:30Z", text)
    let error = #expect(throws: MigrationError.self) {
      try Specification.reopen(db, models: [ISO.self])
    }
    let refusal = error?.plan.refusals.first
    #expect(
      refusal?.reason
        == "seen is text in the database, in a form other than `.iso8601`, as in row 2: '\(text)'; "
        + "SQL compares the text, and would not find these values")
    #expect(refusal?.lines == [Self.line])
    let opened = try Specification.reopen(db, models: [Rewritten.self])
    #expect(
      try texts(opened) == ["2009-01-01T00:00:00.000000Z", "2009-01-01T00:00:30.000000Z"])
    let found = try opened.fetch(Rewritten.order(by: \.$seen)).map(\.id)
    #expect(found == [2, 1])
    let found2 = try opened.migrationPlan(for: [ISO.self]).isEmpty
    #expect(found2)
  }

  /// Among themselves, such texts have the right order, but Apus would write others beside them.
  @Test(
    "a column of only such dates is refused in each form, and stays as a property of type String",
    arguments: [
      ("2009-01-01T00:00Z", "2009-01-02T03:04Z"), ("2009-01-01 00:00", "2009-01-02 03:04"),
      ("2009-01-01", "2009-01-02"),
    ])
  func all(first: String, second: String) throws {
    for type in ["TEXT", "DATETIME"] {
      let db = try file(type, first, second)
      for model in [ISO.self, Spaced.self, Plain.self] as [any Model.Type] {
        let error = #expect(throws: MigrationError.self) {
          try Specification.reopen(db, models: [model])
        }
        #expect(error?.plan.refusals.first?.lines == [Self.line], "\(model)")
        let found = try texts(db)
        #expect(found == [first, second])
      }
    }
    let db = try file("TEXT", first, second)
    let opened = try Specification.reopen(db, models: [Text.self])
    let found2 = try opened.fetch(Text.order(by: \.$seen)).map(\.seen)
    #expect(found2 == [first, second])
  }

  @Test("dates with fractions of any length are read in place, in the order of their seconds")
  func fractions() throws {
    let texts = ["2009-01-01T00:00:00.25Z", "2009-01-01T00:00:01Z", "2009-01-01T00:00:02.123456Z"]
    let db = try file("TEXT", texts[1], texts[0], texts[2])
    let found = try db.migrationPlan(for: [ISO.self]).isEmpty
    #expect(found)
    let opened = try Specification.reopen(db, models: [ISO.self])
    let found2 = try opened.fetch(ISO.order(by: \.$seen)).map(\.id)
    #expect(found2 == [2, 1, 3])
    let found3 = try self.texts(opened)
    #expect(found3 == texts)
  }
}
