import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("The user's migration steps, and values that a type cannot read")
struct MigrationStepTests {
  struct Old: Model {
    static let tableName = "Person"
    @PrimaryKey var id: Int
    @Column var first: String
    @Column var last: String
  }

  struct New: Model, Equatable {
    static let tableName = "Person"
    @PrimaryKey var id: Int
    @Column var name: String
    static var schema: Schema<New> {
      Dropped("first")
      Dropped("last")
      Unique(\.$name)
    }
  }

  func database() throws -> Database {
    let db = try Specification.database(models: [Old.self])
    try db.insert([Old(id: 1, first: "Jane", last: "Doe"), Old(id: 2, first: "Jo", last: "Roe")])
    return db
  }

  static let naming = MigrationStep("names") { connection in
    try connection.execute("UPDATE Person SET name = first || ' ' || last")
  }

  @Test("a step sees the new and the old columns, and runs once")
  func after() throws {
    let db = try database()
    // Without the step, all names would be equal.
    #expect(throws: MigrationError.self) { try db.migrate([New.self]) }
    let options = MigrationOptions(missingDefaults: .zeroOrEmpty, steps: [Self.naming])
    #expect(try db.migrationPlan(for: [New.self], options).steps.last?.action == .userStep("names"))
    let plan = try db.migrate([New.self], options)
    #expect(
      plan.steps.map(\.action) == [
        .addColumn("name"), .userStep("names"), .dropColumn("first"), .dropColumn("last"),
        .createIndex("Person_unique_name"),
      ])
    #expect(plan.steps.filter { $0.kind == .destructive }.map(\.rowCount) == [2, 2])
    #expect(
      try db.fetch(New.order(by: \.$id)) == [
        New(id: 1, name: "Jane Doe"), New(id: 2, name: "Jo Roe"),
      ])
    #expect(try db.migrate([New.self], options).isEmpty)
    #expect(try db.columnNames(of: "Person") == ["id", "name"])
  }

  @Test("a step of kind before sees the old tables, and can resolve a refusal")
  func before() throws {
    let db = try database()
    try db.execute("INSERT INTO Person VALUES (3, 'Jane', 'Doe')")
    let again = MigrationStep("names again", .before) { connection in
      try connection.execute("DELETE FROM Person WHERE id = 3")
    }
    let plan = try db.migrate(
      [New.self], MigrationOptions(missingDefaults: .zeroOrEmpty, steps: [again, Self.naming]))
    #expect(plan.steps.first?.action == .userStep("names again"))
    #expect(try db.count(New.all) == 2)
  }

  @Test("an error thrown by a step, and a broken reference after it, undo the whole migration")
  func failing() throws {
    struct Stop: Error {}
    let db = try database()
    try db.execute(
      """
      CREATE TABLE Child (personID INTEGER REFERENCES Person (id) ON DELETE CASCADE);
      INSERT INTO Child VALUES (2)
      """)
    let stop = MigrationStep("stop") { _ in throw Stop() }
    #expect(throws: Stop.self) {
      try db.migrate(
        [New.self], MigrationOptions(missingDefaults: .zeroOrEmpty, steps: [Self.naming, stop]))
    }
    let orphaning = MigrationStep("orphans") { try $0.execute("DELETE FROM Person WHERE id = 2") }
    let error = #expect(throws: MigrationError.self) {
      try db.migrate(
        [New.self],
        MigrationOptions(missingDefaults: .zeroOrEmpty, steps: [Self.naming, orphaning]))
    }
    #expect(
      error?.reason == "row 1 of 'Child' would refer to a row of 'Person' that does not exist")
    #expect(try db.columnNames(of: "Person") == ["id", "first", "last"])
    #expect(try db.count(Old.all) == 2)
    #expect(try db.row("PRAGMA foreign_keys")?[0] == 1)
  }

  @Test("a new database records its steps as done without running them")
  func new() throws {
    let db = try Specification.database()
    let options = MigrationOptions(steps: [Self.naming])
    #expect(try db.migrate([New.self], options).steps.count == 2)
    #expect(try db.migrationPlan(for: [New.self], options).isEmpty)
  }

  // MARK: Values that a type cannot read

  struct Text: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var mood: String
  }

  struct Moody: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var mood: Temper
  }

  struct Numbered: Model {
    enum Level: Int, ColumnValue { case low = 1, high }
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var mood: Level
  }

  @Test("values that are not cases of a new enumeration are refused, or deleted if requested")
  func enumeration() throws {
    let db = try Specification.database(models: [Text.self])
    try db.insert([Text(id: 1, mood: "calm"), Text(id: 2, mood: "merry")])
    // Only the noted types distinguish the two definitions.
    let unchecked = MigrationOptions(checksChangedTypes: false)
    #expect(try db.migrate([Moody.self], unchecked).isEmpty)
    let error = #expect(throws: MigrationError.self) { try db.migrate([Moody.self]) }
    #expect(
      error?.plan.refusals.first?.reason == "mood holds values that Temper cannot read, in 1 row, "
        + "as in row 2: 'merry'; fix them in a `MigrationStep`, or let the migration delete the rows"
    )
    #expect(
      error?.plan.refusals.first?.lines == [
        "@Column var mood: OpenEnum<Temper>  // keeps the values as they are",
        "@Column var mood: String  // keeps the values as they are",
        "MigrationOptions(checksChangedTypes: false)  // reading such a row throws",
        #"MigrationOptions(invalidValues: .deleted(in: "Note.mood"))  // deletes 1 row"#,
      ])
    let plan = try db.migrate(
      [Moody.self],
      MigrationOptions(invalidValues: .deleted(in: "note.Mood"), checksValues: true))
    #expect(plan.steps.map(\.action) == [.deleteRows] && plan.steps.first?.rowCount == 1)
    #expect(try db.fetch(Moody.all).map(\.mood) == [.calm])
  }

  @Test(
    "text that becomes an enumeration over Int is read, and values that are not cases are refused")
  func convertedEnumeration() throws {
    let db = try Specification.database(models: [Text.self])
    try db.insert([Text(id: 1, mood: "1"), Text(id: 2, mood: "7")])
    #expect(throws: MigrationError.self) { try db.migrate([Numbered.self]) }
    try db.migrate([Numbered.self], MigrationOptions(invalidValues: .deleted))
    #expect(try db.fetch(Numbered.all).map(\.mood) == [.low])
  }

  struct Checked: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var mood: String
    @Column var ownerID: Int?
    static var schema: Schema<Checked> {
      Check { $0.$mood != "merry" }
      ForeignKey(\.$ownerID, references: \Album.$id)
    }
  }

  @Test("rows that violate a new check or reference are refused, or deleted if requested")
  func constraints() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, mood TEXT NOT NULL, ownerID INTEGER);
      INSERT INTO Note VALUES (1, 'calm', NULL), (2, 'merry', NULL), (3, 'calm', 9)
      """)
    let models: [any Model.Type] = [Album.self, Checked.self]
    let error = #expect(throws: MigrationError.self) { try db.migrate(models) }
    // If the other table does not exist yet, the reference is broken, too.
    #expect(error?.plan.refusals.map(\.rowCount) == [1, 1])
    try db.migrate([Album.self])
    #expect(try db.migrationPlan(for: models).refusals.map(\.rowCount) == [1, 1])
    try db.migrate(models, MigrationOptions(invalidValues: .deleted))
    #expect(try db.fetch(Checked.all).map(\.id) == [1])
  }
}
