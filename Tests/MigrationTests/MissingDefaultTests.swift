import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("New columns without a declared value for existing rows")
struct MissingDefaultTests: RefusalExpecting {
  struct Setting: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var flag = true
  }

  struct PastedSetting: Model, Equatable {
    static let tableName = "Setting"
    @PrimaryKey var id: Int
    @Column var flag = true
    static var schema: Schema<PastedSetting> {
      Default(\.$flag, false)  // the value that existing rows get
    }
  }

  struct Timed: Model {
    static let tableName = "Setting"
    @PrimaryKey var id: Int
    @Column var minutes = 60
  }

  struct PastedTimed: Model {
    static let tableName = "Setting"
    @PrimaryKey var id: Int
    @Column var minutes = 60
    static var schema: Schema<PastedTimed> {
      Default(\.$minutes, 0)  // the value that existing rows get
    }
  }

  static let oneRow: SQL =
    "CREATE TABLE Setting (id INTEGER PRIMARY KEY NOT NULL); INSERT INTO Setting VALUES (1)"

  @Test("a new Bool column whose property starts as true needs a declared value for existing rows")
  func bool() throws {
    let db = try expectRefused(
      Self.oneRow, Setting.self,
      "the new column flag needs a value for the existing rows; declare a default in the schema of "
        + "Setting, or make the property optional: `@Column var flag: Bool?`",
      line: #"Default(\.$flag, false)  // the value that existing rows get"#,
      pastedInto: PastedSetting.self)
    #expect(try db.fetch(PastedSetting.all) == [PastedSetting(id: 1, flag: false)])
  }

  @Test("a new number column whose property starts as 60 needs a declared value for existing rows")
  func number() throws {
    _ = try expectRefused(
      Self.oneRow, Timed.self,
      "the new column minutes needs a value for the existing rows; declare a default in the schema "
        + "of Timed, or make the property optional: `@Column var minutes: Int?`",
      line: #"Default(\.$minutes, 0)  // the value that existing rows get"#,
      pastedInto: PastedTimed.self)
  }

  struct Everything: Model {
    static let tableName = "Setting"
    @PrimaryKey var id: Int
    @Column var number: UInt16
    @Column var ratio: Float
    @Column var text: String
    @Column var data: Data
    @Column var bytes: [UInt8]
    @Column var mood: Temper
    @Column var day: Date
    @Column var code: UUID
    @Column var price: Decimal
    @Column var link: URL
    @Column var tags: JSON<[String]>
    @Column var reference: Unique64
  }

  /// Compiled and never run: each line that the plan offers, exactly as it is offered.
  private struct Pasted: Model {
    @PrimaryKey var id: Int
    @Column var number: UInt16
    @Column var ratio: Float
    @Column var text: String
    @Column var data: Data
    @Column var bytes: [UInt8]
    @Column var mood: Temper?
    @Column var day: Date?
    @Column var code: UUID?
    @Column var price: Decimal?
    @Column var link: URL?
    @Column var tags: JSON<Array<String>>?
    @Column var reference: Unique64?
    static var schema: Schema<Pasted> {
      Default(\.$number, 0)  // the value that existing rows get
      Default(\.$ratio, 0)  // the value that existing rows get
      Default(\.$text, "")  // the value that existing rows get
      Default(\.$data, Data())  // the value that existing rows get
      Default(\.$bytes, Array<UInt8>())  // the value that existing rows get
    }
  }

  @Test("each type is refused with a line that compiles and gives a default or an optional")
  func types() throws {
    let db = try Specification.database()
    try db.execute(Self.oneRow)
    let lines = try db.migrationPlan(for: [Everything.self]).refusals.compactMap(\.line)
    #expect(lines.count == 12)
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    for line in lines { #expect(source.contains(line), "\(line)") }
  }

  @Test("a table without rows accepts any new column as in a new table")
  func empty() throws {
    let db = try Specification.database()
    try db.execute("CREATE TABLE Setting (id INTEGER PRIMARY KEY NOT NULL) STRICT")
    let plan = try db.migrate([Everything.self])
    #expect(plan.steps.count == 12)
    #expect(plan.steps.allSatisfy { $0.reason == "the table has no rows" })
    let defaults = try db.rows("SELECT dflt_value, \"notnull\" FROM pragma_table_info('Setting')")
    #expect(defaults.map(\.values) == Array(repeating: [nil, 1], count: 13))
    let again = try db.migrationPlan(for: [Everything.self])
    // Because another program made the table, only the forms of dates and identifiers remain to be
    // recorded.
    #expect(again.isEmpty, "\(again)")
  }

  @Test("existing rows get a zero or empty value if requested, for types that have one")
  func zeros() throws {
    let db = try Specification.database()
    try db.execute(Self.oneRow)
    let options = MigrationOptions(missingDefaults: .zeroOrEmpty)
    try db.migrate([Setting.self], options)
    #expect(try db.fetch(Setting.all) == [Setting(id: 1, flag: false)])
    // The zero that became the default is no difference from the declaration.
    #expect(try db.migrationPlan(for: [Setting.self]).steps.isEmpty)
    let refused = try db.migrationPlan(for: [Everything.self], options).refusals.map(\.line)
    #expect(refused.first == "@Column var mood: Temper?" && refused.count == 7)
  }

  struct Facet: Model {
    static let tableName = "Setting"
    @PrimaryKey var id: Int
  }

  @Test("a new column that only one of two models declares is refused for existing rows, too")
  func facets() throws {
    let db = try Specification.database()
    try db.execute(Self.oneRow)
    let error = #expect(throws: MigrationError.self) {
      try db.migrate([Facet.self, Setting.self])
    }
    #expect(
      error?.plan.refusals.map(\.line) == [
        #"Default(\.$flag, false)  // the value that existing rows get"#
      ])
    try db.execute("DELETE FROM Setting")
    try db.migrate([Facet.self, Setting.self])
    // This model's insertions omit the column.
    try db.insert(Facet(id: 2))
  }

  struct Keyed: Model {
    struct ID: Hashable, Sendable {
      var key: Int
      var part: Int
    }
    static let tableName = "Setting"
    @PrimaryKey var key: Int
    @PrimaryKey var part: Int
    var id: ID { ID(key: key, part: part) }
    static var schema: Schema<Keyed> { Named(\.$key, "id") }
  }

  @Test("a new key column is refused for existing rows with a step that fills it")
  func key() throws {
    let db = try Specification.database()
    try db.execute(Self.oneRow)
    let refusal = try #require(try db.migrationPlan(for: [Keyed.self]).refusals.first)
    #expect(refusal.line?.hasPrefix("MigrationStep(") == true, "\(refusal)")
  }

  @Test("a column that the user's step fills starts as zero if the options allow it")
  func step() throws {
    let db = try Specification.database()
    try db.execute(Self.oneRow)
    let filling = MigrationStep("minutes") { try $0.execute("UPDATE Setting SET minutes = 60") }
    try db.migrate(
      [Timed.self], MigrationOptions(missingDefaults: .zeroOrEmpty, steps: [filling]))
    #expect(try db.fetch(Timed.all).map(\.minutes) == [60])
  }
}
