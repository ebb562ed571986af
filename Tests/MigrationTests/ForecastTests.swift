import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Plans of migrations with steps of the user's own")
struct ForecastTests {
  struct Old: Model {
    static let tableName = "Person"
    @PrimaryKey var id: Int
    @Column var name: String
  }

  struct Unique: Model {
    static let tableName = "Person"
    @PrimaryKey var id: Int
    @Column var name: String
    static var schema: Schema<Unique> { QueryDSL.Unique(\.$name) }
  }

  private func database() throws -> Database {
    let db = try Specification.database(models: [Old.self])
    try db.insert([Old(id: 1, name: "Jo"), Old(id: 2, name: "Jo")])
    return db
  }

  @Test(
    "a refusal that a pending step may resolve is undecided, and a refusal without such a step",
    arguments: [MigrationStep.Moment.before, .after])
  func undecided(_ moment: MigrationStep.Moment) throws {
    let db = try database()
    let step = MigrationStep("names", moment) {
      try $0.execute("UPDATE Person SET name = name || id")
    }
    let options = MigrationOptions(steps: [step])
    let refused = try db.migrationPlan(for: [Unique.self])
    #expect(refused.refusals.count == 1)
    let plan = try db.migrationPlan(for: [Unique.self], options)
    #expect(plan.refusals.isEmpty)
    #expect(plan.steps.contains { $0.kind == .undecided && $0.line != nil })
    #expect(plan.description.contains(#"  ? undecided: "#))
    #expect(plan.description.contains(#"(undecided until the step "names" has run)"#))
    try db.migrate([Unique.self], options)
    #expect(try db.migrationPlan(for: [Unique.self], options).isEmpty)
  }

  @Test("a step that does not resolve the refusal changes nothing")
  func unresolved() throws {
    let db = try database()
    let options = MigrationOptions(
      steps: [MigrationStep("none", .before) { try $0.execute("CREATE TABLE x (y)") }])
    let error = #expect(throws: MigrationError.self) { try db.migrate([Unique.self], options) }
    #expect(error?.plan.refusals.count == 1)
    #expect(try db.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").count == 1)
  }

  struct Needed: Model {
    static let tableName = "Person"
    @PrimaryKey var id: Int
    @Column var name: Int
  }

  @Test("a problem that arises before a step runs stays refused")
  func firm() throws {
    let db = try database()
    let step = MigrationStep("late") { _ in }
    let plan = try db.migrationPlan(for: [Needed.self], MigrationOptions(steps: [step]))
    #expect(plan.refusals.count == 1)
    let last = MigrationStep("last", .last) { _ in }
    #expect(
      try db.migrationPlan(for: [Unique.self], MigrationOptions(steps: [last])).refusals.count == 1)
  }

  // MARK: New databases

  static let objects = MigrationStep("objects", .last, onNewDatabase: .runs) { connection in
    try connection.execute(
      """
      CREATE TABLE log (name);
      CREATE TRIGGER named AFTER INSERT ON Person BEGIN INSERT INTO log VALUES (new.name); END;
      INSERT INTO Person (id, name) VALUES (1, 'first') ON CONFLICT (name) DO NOTHING
      """)
  }

  static let repair = MigrationStep("repair") { try $0.execute("UPDATE Person SET name = 'x'") }

  @Test(
    "a step marked for new databases runs everywhere, and other steps only on existing databases")
  func newDatabase() throws {
    let options = MigrationOptions(steps: [Self.repair, Self.objects])
    let db = try Specification.database()
    #expect(
      try db.migrationPlan(for: [Unique.self], options).steps.map(\.action) == [
        .createTable, .createIndex("Person_unique_name"), .userStep("objects"),
      ])
    try db.migrate([Unique.self], options)
    #expect(try db.fetch(String.self, "SELECT name FROM log") == ["first"])
    #expect(try db.migrate([Unique.self], options).isEmpty)

    let old = try Specification.database(models: [Old.self])
    try old.insert(Old(id: 7, name: "Jo"))
    try old.migrate([Unique.self], options)
    #expect(try old.fetch(String.self, "SELECT name FROM log") == ["first"])
    #expect(try old.fetch(Unique.order(by: \.$id)).map(\.name) == ["first", "x"])
    #expect(try old.migrationPlan(for: [Unique.self], options).isEmpty)
  }

  @Test("a step for new databases also runs in memory and in a temporary file")
  func withoutPath() throws {
    let options = MigrationOptions(steps: [Self.objects])
    for db in [
      try Database.inMemory(models: [Unique.self], migration: options),
      try Database.temporary(models: [Unique.self], migration: options),
    ] {
      #expect(try db.fetch(Unique.order(by: \.$id)).map(\.name) == ["first"])
    }
  }
}
