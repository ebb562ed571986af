import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Values that a type cannot read, refused with the line that deletes them")
struct ValueRefusalTests: RefusalExpecting {
  struct Note: Model {
    @PrimaryKey var id: Int
    @Column var size: Size
  }

  static let deletingSizes =
    MigrationOptions(invalidValues: .deleted(in: "Note.size"))  // deletes 1 row
  static let deletingCodes =
    MigrationOptions(invalidValues: .deleted(in: "Coded.code"))  // deletes 1 row
  static let deletingChecked =
    MigrationOptions(invalidValues: .deleted(in: "Checked"))  // deletes 1 row

  @Test("text that is not a number is refused for an enumeration over Int")
  func enumeration() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, size TEXT);
      INSERT INTO Note VALUES (1, 'small'), (2, '300')
      """, Note.self,
      "size is TEXT in the database and INTEGER in Note, and 1 of its values would change, "
        + "as in row 1: 'small'; declare what they become, or declare a new property",
      line: #"MigrationOptions(invalidValues: .deleted(in: "Note.size"))  // deletes 1 row"#,
      pastedInto: Note.self, options: Self.deletingSizes)
    #expect(try db.fetch(Note.all).map(\.size) == [.large])
  }

  @Test("NULL in a column whose type changes is refused with the optional type")
  func null() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, size TEXT);
      INSERT INTO Note VALUES (1, NULL), (2, '300')
      """, Note.self,
      "size is TEXT in the database and INTEGER in Note, and 1 of its values is NULL; make the "
        + "property optional, or declare what NULL becomes", line: "@Column var size: Size?",
      pastedInto: PastedNote.self)
    #expect(try db.fetch(PastedNote.order(by: \.$id)).map(\.size) == [nil, .large])
  }

  struct PastedNote: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var size: Size?
  }

  @Test("numbers that are not cases of an enumeration are refused")
  func noCase() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, size TEXT NOT NULL);
      INSERT INTO Note VALUES (1, '7'), (2, '300')
      """, Note.self,
      "size holds values that Size cannot read, in 1 row, as in row 1: '7'; fix them in a "
        + "`MigrationStep`, or let the migration delete the rows",
      line: #"MigrationOptions(invalidValues: .deleted(in: "Note.size"))  // deletes 1 row"#,
      pastedInto: Note.self, options: Self.deletingSizes)
    #expect(try db.fetch(Note.all).map(\.id) == [2])
  }

  struct Moody: Model {
    @PrimaryKey var id: Int
    @Column var mood: Temper
  }

  struct PastedMoody: Model {
    static let tableName = "Moody"
    @PrimaryKey var id: Int
    @Column var mood: Temper?
  }

  @Test("NULL for a type without an empty value is refused with the optional type")
  func noEmptyValue() throws {
    _ = try expectRefused(
      """
      CREATE TABLE Moody (id INTEGER PRIMARY KEY, mood TEXT);
      INSERT INTO Moody VALUES (1, NULL), (2, 'calm')
      """, Moody.self,
      "mood may be NULL in the database and is not optional in Moody, and 1 of its values is NULL; "
        + "make the property optional, or declare what NULL becomes",
      line: "@Column var mood: Temper?",
      pastedInto: PastedMoody.self)
  }

  struct Coded: Model {
    @PrimaryKey var id: Int
    @Column var code: UUID
  }

  @Test("a storage class in which the type has no form is refused")
  func noForm() throws {
    let db = try expectRefused(
      "CREATE TABLE Coded (id INTEGER PRIMARY KEY, code REAL NOT NULL); INSERT INTO Coded VALUES (1, 2)",
      Coded.self,
      "code is REAL in the database and TEXT in Coded, and UUID does not have exactly one form in REAL; "
        + "declare how the values are read",
      line: #"MigrationOptions(invalidValues: .deleted(in: "Coded.code"))  // deletes 1 row"#,
      pastedInto: Coded.self, options: Self.deletingCodes)
    #expect(try db.count(Coded.all) == 0)
  }

  // MARK: Constraints

  struct Checked: Model {
    @PrimaryKey var id: Int
    @Column var parentID: Int?
    static var schema: Schema<Checked> {
      Check { $0.$id < 5 }
      ForeignKey(\.$parentID, references: \Checked.$id)
    }
  }

  @Test("rows that violate a new check or a new foreign key are refused")
  func constraints() throws {
    var db = try expectRefused(
      "CREATE TABLE Checked (id INTEGER PRIMARY KEY, parentID); INSERT INTO Checked VALUES (1, 1), (5, 1)",
      Checked.self,
      #"each row must satisfy "id" < 5, and 1 existing row does not; fix them in a "#
        + "`MigrationStep`, or let the migration delete the rows",
      line: #"MigrationOptions(invalidValues: .deleted(in: "Checked"))  // deletes 1 row"#,
      pastedInto: Checked.self, options: Self.deletingChecked)
    #expect(try db.fetch(Checked.all).map(\.id) == [1])
    db = try expectRefused(
      "CREATE TABLE Checked (id INTEGER PRIMARY KEY, parentID); INSERT INTO Checked VALUES (1, 1), (2, 9)",
      Checked.self,
      "parentID must refer to Checked, and 1 existing row refers to no row there; fix them in a "
        + "`MigrationStep`, or let the migration delete the rows",
      line: #"MigrationOptions(invalidValues: .deleted(in: "Checked"))  // deletes 1 row"#,
      pastedInto: Checked.self, options: Self.deletingChecked)
    #expect(try db.fetch(Checked.all).map(\.id) == [1])
  }

  struct Calculated: Model {
    @PrimaryKey var id: Int
    @Column var twice: Int
    static var schema: Schema<Calculated> { Generated(\.$twice) { $0.$id * 2 } }
  }

  struct PastedCalculated: Model {
    static let tableName = "Calculated"
    @PrimaryKey var id: Int
    @Column var twice: Int
    static var schema: Schema<PastedCalculated> {
      Generated(\.$twice) { $0.$id * 2 }
      Named(\.$twice, "twiceCalculated")
    }
  }

  @Test("a generated column that differs from the stored values is refused with another name")
  func calculated() throws {
    let db = try expectRefused(
      "CREATE TABLE Calculated (id INTEGER PRIMARY KEY, twice INTEGER); INSERT INTO Calculated VALUES (1, 7)",
      Calculated.self,
      "twice is an ordinary column in the database and a generated one in Calculated, and 1 of its "
        + "values would change; give the generated column another name, and the old column is kept",
      line: #"Named(\.$twice, "twiceCalculated")"#, pastedInto: PastedCalculated.self)
    #expect(try db.row("SELECT twice, twiceCalculated FROM Calculated")?.values == [7, 2])
  }

  struct Bare: Model {
    @PrimaryKey var id: Int
  }

  struct PastedBare: Model {
    static let tableName = "Bare"
    @PrimaryKey var id: Int
    @Column var myText: String
    static var schema: Schema<PastedBare> {
      Named(\.$myText, "my text")
    }
  }

  @Test(
    "an undeclared NOT NULL column is offered under another name if its own cannot name a property")
  func noName() throws {
    _ = try expectRefused(
      #"CREATE TABLE Bare (id INTEGER PRIMARY KEY, "my text" TEXT NOT NULL)"#, Bare.self,
      "my text is NOT NULL and has no default, and no property declares it, so insertions would "
        + #"fail; declare it as a property of Bare, or drop it with `Dropped("my text")`"#,
      line: "@Column var myText: String\n" + #"Named(\.$myText, "my text")"#,
      pastedInto: PastedBare.self)
  }

  // MARK: Defaults

  struct Zeros: Model {
    @PrimaryKey var id: Int
    @Column var number: Int
    @Column var flag: Bool
    @Column var text: String
    @Column var ratio: Double
    @Column var data: Data
    static var schema: Schema<Zeros> {
      Default(\.$number, 0)
      Default(\.$flag, false)
      Default(\.$text, "")
      Default(\.$ratio, 0)
      Default(\.$data, Data())
    }
  }

  struct NoDefaults: Model {
    static let tableName = "Zeros"
    @PrimaryKey var id: Int
    @Column var number: Int
    @Column var flag: Bool
    @Column var text: String
    @Column var ratio: Double
    @Column var data: Data
    static var schema: Schema<NoDefaults> {
      Dropped(defaultOf: \.$number)
      Dropped(defaultOf: \.$flag)
    }
  }

  @Test("a declared default of zero stays until the schema drops it")
  func zeros() throws {
    let defaults: SQL = "SELECT dflt_value FROM pragma_table_info('Zeros')"
    let all: [DatabaseValue] = [.null, "0", "0", "''", "0.0", "x''"]
    let created = try Specification.database(models: [Zeros.self])
    #expect(try created.rows(defaults).map { $0[0] } == all)
    let db = try Specification.database()
    try db.execute(
      "CREATE TABLE Zeros (id INTEGER PRIMARY KEY NOT NULL) STRICT; INSERT INTO Zeros VALUES (1)")
    let plan = try db.migrate([Zeros.self])
    #expect(plan.steps.count == 5 && plan.steps.allSatisfy { $0.sql?.hasPrefix("ALTER") == true })
    #expect(try db.rows(defaults).map { $0[0] } == all)
    #expect(try db.migrationPlan(for: [Zeros.self]).steps.isEmpty)
    try db.migrate([NoDefaults.self])
    #expect(try db.rows(defaults).map { $0[0] } == [.null, .null, .null, "''", "0.0", "x''"])
    #expect(try db.migrationPlan(for: [NoDefaults.self]).steps.isEmpty)
    // A default that is declared again is added again. Going back is what an older program would
    // do, so it must be requested.
    try db.migrate([Zeros.self], MigrationOptions(newerSchema: .replaced))
    #expect(try db.rows(defaults).map { $0[0] } == all)
    #expect(try db.row("SELECT number, flag, text FROM Zeros")?.values == [0, 0, ""])
  }

  @Test("a column is added without a default if the schema drops its default")
  func addedWithoutDefault() throws {
    let db = try Specification.database()
    try db.execute(
      "CREATE TABLE Zeros (id INTEGER PRIMARY KEY NOT NULL) STRICT; INSERT INTO Zeros VALUES (1)")
    try db.migrate([NoDefaults.self], MigrationOptions(missingDefaults: .zeroOrEmpty))
    #expect(
      try db.row("SELECT sql FROM sqlite_schema WHERE name = 'Zeros'")?[0]
        == """
        CREATE TABLE "Zeros" (
          "id" INTEGER PRIMARY KEY NOT NULL,
          "number" INTEGER NOT NULL,
          "flag" INTEGER NOT NULL,
          "text" TEXT NOT NULL,
          "ratio" REAL NOT NULL,
          "data" BLOB NOT NULL
        ) STRICT
        """)
    #expect(try db.row("SELECT number, flag, text FROM Zeros")?.values == [0, 0, ""])
    #expect(try db.migrationPlan(for: [NoDefaults.self]).steps.isEmpty)
  }
}
