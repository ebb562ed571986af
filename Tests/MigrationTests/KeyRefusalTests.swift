import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Refused keys, with the migration step that resolves each refusal")
struct KeyRefusalTests: RefusalExpecting {
  struct Keyed: Model {
    @PrimaryKey var code: String
    var id: String { code }
    @Column var number: Int
  }

  // swift-format-ignore
  static let deleting = MigrationOptions(steps: [
    MigrationStep("keys of Keyed", .before) { try $0.execute("DELETE FROM \"Keyed\" WHERE \"code\" IS NULL OR rowid NOT IN (SELECT min(rowid) FROM \"Keyed\" GROUP BY \"code\")") }  // deletes 1 row
  ])

  @Test("a key with duplicate values is refused with a step that deletes the duplicates")
  func badKey() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Keyed (number INTEGER PRIMARY KEY NOT NULL, code TEXT NOT NULL);
      INSERT INTO Keyed VALUES (1, 'a'), (2, 'a'), (3, 'b')
      """, Keyed.self,
      "the primary key is (number) in the database and (code) in Keyed, and in the existing rows 0 of "
        + "its values are NULL and 1 occurs more than once; fix them in a `MigrationStep` that runs "
        + "`.before`",
      line: #"MigrationStep("keys of Keyed", .before) { try $0.execute("DELETE FROM \"Keyed\" "#
        + #"WHERE \"code\" IS NULL OR rowid NOT IN (SELECT min(rowid) FROM \"Keyed\" "#
        + #"GROUP BY \"code\")") }  // deletes 1 row"#,
      pastedInto: Keyed.self, options: Self.deleting)
    #expect(try db.fetch(Keyed.order(by: \.$number)).map(\.number) == [1, 3])
  }

  // swift-format-ignore
  static let deletingWithoutRowID = MigrationOptions(steps: [
    MigrationStep("keys of Keyed", .before) { try $0.execute("DELETE FROM \"Keyed\" AS k WHERE \"code\" IS NULL OR EXISTS (SELECT 1 FROM \"Keyed\" AS o WHERE o.\"code\" = k.\"code\" AND (o.\"number\") < (k.\"number\"))") }  // deletes 1 row
  ])

  @Test("a key with duplicate values is refused in a WITHOUT ROWID table, too")
  func badKeyWithoutRowID() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Keyed (number INTEGER PRIMARY KEY NOT NULL, code TEXT NOT NULL) WITHOUT ROWID;
      INSERT INTO Keyed VALUES (1, 'a'), (2, 'a'), (3, 'b')
      """, Keyed.self,
      "the primary key is (number) in the database and (code) in Keyed, and in the existing rows 0 of "
        + "its values are NULL and 1 occurs more than once; fix them in a `MigrationStep` that runs "
        + "`.before`",
      line:
        #"MigrationStep("keys of Keyed", .before) { try $0.execute("DELETE FROM \"Keyed\" AS k "#
        + #"WHERE \"code\" IS NULL OR EXISTS (SELECT 1 FROM \"Keyed\" AS o "#
        + #"WHERE o.\"code\" = k.\"code\" AND (o.\"number\") < (k.\"number\"))") }  // deletes 1 row"#,
      pastedInto: Keyed.self, options: Self.deletingWithoutRowID)
    #expect(try db.fetch(Keyed.order(by: \.$number)).map(\.number) == [1, 3])
  }

  enum Grade: Int, ColumnValue { case low = 1, high }

  struct Graded: Model {
    @PrimaryKey var grade: Grade
    @Column var number: Int
    var id: Grade { grade }
  }

  struct GradedByNumber: Model {
    static let tableName = "Graded"
    @PrimaryKey var grade: Int64
    @Column var number: Int
    var id: Int64 { grade }
  }

  @Test("a new key that would be the rowid is refused if its type cannot read the rowids")
  func unreadRowIDs() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Graded (number INTEGER NOT NULL);
      INSERT INTO Graded VALUES (10), (20), (30)
      """, Graded.self,
      "the new key grade would be the rowid, and 1 of the rowids cannot be read as Grade; declare it "
        + "as an integer, or fill it in a `MigrationStep` that runs `.before`",
      line: "@PrimaryKey var grade: Int64", pastedInto: GradedByNumber.self)
    #expect(try db.fetch(GradedByNumber.all.order(by: \.$grade)).map(\.number) == [10, 20, 30])
  }

  @Test("NULL in a key is refused twice, as a key and as not optional, and one step resolves both")
  func nullKey() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Keyed (number INTEGER PRIMARY KEY NOT NULL, code TEXT);
      INSERT INTO Keyed VALUES (1, 'a'), (2, NULL), (3, NULL)
      """)
    #expect(try db.migrationPlan(for: [Keyed.self]).refusals.count == 2)
    try db.migrate([Keyed.self], Self.deleting)
    #expect(try db.fetch(Keyed.all).map(\.number) == [1])
  }

  // MARK: New keys

  struct Named: Model {
    static let tableName = "Keyed"
    @PrimaryKey var name: String
    var id: String { name }
  }

  // swift-format-ignore
  static let adding = MigrationOptions(steps: [
    MigrationStep("keys of Keyed", .before) { try $0.execute("ALTER TABLE \"Keyed\" ADD COLUMN \"name\" TEXT; UPDATE \"Keyed\" SET \"name\" = CAST(rowid AS TEXT)") }
  ])

  @Test("a key of new columns is refused, because all rows would have the same key")
  func newKey() throws {
    let db = try expectRefused(
      "CREATE TABLE Keyed (number INTEGER PRIMARY KEY); INSERT INTO Keyed VALUES (1), (2)",
      Named.self,
      "the primary key is (number) in the database and (name) in Named, whose columns are new, so all "
        + "rows would have the same key; fill them in a `MigrationStep` that runs `.before`",
      line: #"MigrationStep("keys of Keyed", .before) { try $0.execute("ALTER TABLE \"Keyed\" "#
        + #"ADD COLUMN \"name\" TEXT; UPDATE \"Keyed\" SET \"name\" = CAST(rowid AS TEXT)") }"#,
      pastedInto: Named.self, options: Self.adding)
    #expect(try db.fetch(Named.order(by: \.$name)).map(\.name) == ["1", "2"])
  }

  struct Region: Model {
    struct ID: Hashable, Sendable {
      var number: Int
      var region: UUID
    }
    static let tableName = "Keyed"
    @PrimaryKey var number: Int
    @PrimaryKey var region: UUID
    var id: ID { ID(number: number, region: region) }
  }

  // swift-format-ignore
  static let addingUUID = MigrationOptions(steps: [
    MigrationStep("keys of Keyed", .before) { try $0.execute("ALTER TABLE \"Keyed\" ADD COLUMN \"region\" TEXT; UPDATE \"Keyed\" SET \"region\" = lower(hex(randomblob(4)) || \'-\' || hex(randomblob(2)) || \'-\' || hex(randomblob(2)) || \'-\' || hex(randomblob(2)) || \'-\' || hex(randomblob(6)))") }
  ])

  @Test("a new key column whose type has no empty value is refused with a step that fills it")
  func newPart() throws {
    let plan = try Specification.database(models: []).migrationPlan(for: [Region.self])
    #expect(plan.refusals.isEmpty)
    let db = try expectRefused(
      "CREATE TABLE Keyed (number INTEGER PRIMARY KEY); INSERT INTO Keyed VALUES (1), (2)",
      Region.self,
      "the new column region needs a value for the existing rows, and it is part of the key; fill it "
        + "in a `MigrationStep` that runs `.before`",
      line: #"MigrationStep("keys of Keyed", .before) { try $0.execute("ALTER TABLE \"Keyed\" "#
        + #"ADD COLUMN \"region\" TEXT; UPDATE \"Keyed\" SET \"region\" = lower(hex(randomblob(4)) "#
        + #"|| \'-\' || hex(randomblob(2)) || \'-\' || hex(randomblob(2)) || \'-\' || "#
        + #"hex(randomblob(2)) || \'-\' || hex(randomblob(6)))") }"#,
      pastedInto: Region.self, options: Self.addingUUID)
    #expect(Set(try db.fetch(Region.all).map(\.region)).count == 2)
  }

  struct Tempered: Model {
    struct ID: Hashable, Sendable {
      var number: Int
      var mood: Temper
    }
    static let tableName = "Keyed"
    @PrimaryKey var number: Int
    @PrimaryKey var mood: Temper
    var id: ID { ID(number: number, mood: mood) }
  }

  // swift-format-ignore
  static let emptying = MigrationOptions(steps: [
    MigrationStep("no rows of Keyed", .before) { try $0.execute("DELETE FROM \"Keyed\"") }  // deletes 2 rows
  ])

  @Test(
    "a new key column whose values cannot be generated is refused with a step that deletes rows")
  func noValues() throws {
    _ = try expectRefused(
      "CREATE TABLE Keyed (number INTEGER PRIMARY KEY); INSERT INTO Keyed VALUES (1), (2)",
      Tempered.self,
      "the new column mood needs a value for the existing rows, and it is part of the key; fill it in "
        + "a `MigrationStep` that runs `.before`",
      line:
        #"MigrationStep("no rows of Keyed", .before) { try $0.execute("DELETE FROM \"Keyed\"") }"#
        + "  // deletes 2 rows",
      pastedInto: Tempered.self, options: Self.emptying)
  }

  // MARK: Keys that other tables refer to

  struct Coded: Model {
    static let tableName = "Keyed"
    @PrimaryKey var code: String
    var id: String { code }
  }

  // swift-format-ignore
  static let indexing = MigrationOptions(steps: [
    MigrationStep("unique number of Keyed", .before) { try $0.execute("CREATE UNIQUE INDEX \"Keyed_number_unique\" ON \"Keyed\" (\"number\")") }
  ])

  @Test("a new key is refused if rows refer to the old one and no property keeps it unique")
  func referredKey() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Keyed (number INTEGER PRIMARY KEY, code TEXT NOT NULL);
      CREATE TABLE Child (keyedID INTEGER REFERENCES Keyed (number));
      INSERT INTO Keyed VALUES (1, 'a'), (2, 'b'); INSERT INTO Child VALUES (2)
      """, Coded.self,
      "the primary key is (number) in the database and (code) in Coded, and Child refers to (number), which "
        + "must stay unique",
      line:
        #"MigrationStep("unique number of Keyed", .before) { try $0.execute("CREATE UNIQUE INDEX "#
        + #"\"Keyed_number_unique\" ON \"Keyed\" (\"number\")") }"#,
      pastedInto: Coded.self, options: Self.indexing)
    #expect(throws: DatabaseError.self) { try db.execute("INSERT INTO Child VALUES (3)") }
  }

  struct Child: Model {
    @PrimaryKey var id: Int
    @Column var keyedID: Int?
    @Column var code: String?
    static var schema: Schema<Child> {
      Dropped(foreignKey: "keyedID")
      ForeignKey(\.$code, references: \Keyed.$code)
    }
  }

  @Test("a foreign key that the same migration drops does not hold back the change of the key")
  func changedReference() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Keyed (number INTEGER PRIMARY KEY NOT NULL, code TEXT NOT NULL);
      CREATE TABLE Child (id INTEGER PRIMARY KEY NOT NULL, keyedID INTEGER REFERENCES Keyed (number),
        code TEXT);
      INSERT INTO Keyed VALUES (1, 'a'); INSERT INTO Child VALUES (1, 1, 'a')
      """)
    try db.migrate([Keyed.self, Child.self])
    #expect(try db.migrationPlan(for: [Keyed.self, Child.self]).steps.isEmpty)
    #expect(throws: DatabaseError.self) { try db.execute("UPDATE Child SET code = 'b'") }
  }
}
