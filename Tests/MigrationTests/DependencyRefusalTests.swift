import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Refusals because of other objects, with the line that resolves them")
struct DependencyRefusalTests: RefusalExpecting {
  struct Bare: Model {
    @PrimaryKey var id: Int
  }

  struct Needed: Model {
    static let tableName = "Bare"
    @PrimaryKey var id: Int
    @Column var needed: String
  }

  @Test("an undeclared NOT NULL column without a default is refused: insertions would fail")
  func undeclared() throws {
    _ = try expectRefused(
      "CREATE TABLE Bare (id INTEGER PRIMARY KEY, needed TEXT NOT NULL)", Bare.self,
      "needed is NOT NULL and has no default, and no property declares it, so insertions would "
        + #"fail; declare it as a property of Bare, or drop it with `Dropped("needed")`"#,
      line: "@Column var needed: String", pastedInto: Needed.self)
  }

  struct Wanted: Model {
    static let tableName = "Bare"
    @PrimaryKey var id: Int
    @Column var wanted: String?
  }

  struct Moved: Model {
    static let tableName = "Bare"
    @PrimaryKey var id: Int
    @Column var wanted: String?
    static var schema: Schema<Moved> {
      Renamed(\.$wanted, from: "needed")  // keeps the values as they are
    }
  }

  @Test("a new column that stores the same as an undeclared one may be that one, renamed")
  func renamed() throws {
    _ = try expectRefused(
      "CREATE TABLE Bare (id INTEGER PRIMARY KEY, needed TEXT NOT NULL)", Wanted.self,
      "needed is NOT NULL and has no default, and no property declares it, so insertions would "
        + #"fail; declare it as a property of Wanted, or drop it with `Dropped("needed")`"#,
      line: #"Renamed(\.$wanted, from: "needed")  // keeps the values as they are"#,
      pastedInto: Moved.self)
  }

  struct Dropping: Model {
    static let tableName = "Bare"
    @PrimaryKey var id: Int
    static var schema: Schema<Dropping> { Dropped("old") }
  }

  enum Named {
    struct Index: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<Index> {
        Dropped("old")
        Dropped(index: "mine")
      }
    }

    struct Trigger: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<Trigger> {
        Dropped("old")
        Dropped(trigger: "t")
      }
    }

    struct View: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<View> {
        Dropped("old")
        Dropped(view: "v")
      }
    }

    struct Check: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<Check> {
        Dropped("old")
        Dropped(check: "old > 0")
      }
    }

    struct Unique: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<Unique> {
        Dropped("old")
        Dropped(unique: "old")
      }
    }

    struct Column: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<Column> {
        Dropped("old")
        Dropped("twice")
      }
    }
  }

  static let namings: [(String, String, String, any Model.Type)] = [
    (
      "CREATE INDEX mine ON Bare (old)", "the index mine", #"Dropped(index: "mine")"#,
      Named.Index.self
    ),
    (
      "CREATE TRIGGER t AFTER INSERT ON Bare BEGIN SELECT new.old; END", "the trigger t",
      #"Dropped(trigger: "t")"#, Named.Trigger.self
    ),
    (
      "CREATE VIEW v AS SELECT old FROM Bare", "the view v", #"Dropped(view: "v")"#,
      Named.View.self
    ),
    (
      "ALTER TABLE Bare ADD COLUMN twice AS (old * 2)", "the column twice", #"Dropped("twice")"#,
      Named.Column.self
    ),
  ]

  @Test(
    "dropping a column that another object names is refused with the line that drops it, too",
    arguments: 0..<4)
  func naming(_ index: Int) throws {
    let (sql, what, line, pasted) = Self.namings[index]
    let db = try expectRefused(
      """
      CREATE TABLE Bare (id INTEGER PRIMARY KEY, old INTEGER); INSERT INTO Bare VALUES (1, 2);
      \(unsafe: sql)
      """, Dropping.self, "the column old cannot be dropped while \(what) refers to it",
      line: line, pastedInto: pasted)
    #expect(try db.columnNames(of: "Bare") == ["id"])
    #expect(try db.count(Dropping.all) == 1)
  }

  @Test(
    "dropping a column that a constraint names is refused with the line that drops the constraint")
  func constraints() throws {
    _ = try expectRefused(
      "CREATE TABLE Bare (id INTEGER PRIMARY KEY, old INTEGER CHECK (old > 0))", Dropping.self,
      "the column old cannot be dropped while CHECK (old > 0) refers to it",
      line: #"Dropped(check: "old > 0")"#,
      pastedInto: Named.Check.self)
    _ = try expectRefused(
      "CREATE TABLE Bare (id INTEGER PRIMARY KEY, old INTEGER UNIQUE)", Dropping.self,
      #"the column old cannot be dropped while UNIQUE ("old") refers to it"#,
      line: #"Dropped(unique: "old")"#, pastedInto: Named.Unique.self)
  }

  // MARK: Uniqueness and keys

  struct Sized: Model {
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<Sized> { Unique(\.$size) }
  }

  struct PastedSized: Model {
    static let tableName = "Sized"
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<PastedSized> {
      Index(\.$size)
    }
  }

  @Test("a unique index over duplicate values is refused; several NULLs are allowed")
  func duplicates() throws {
    _ = try expectRefused(
      """
      CREATE TABLE Sized (id INTEGER PRIMARY KEY, size INTEGER);
      INSERT INTO Sized VALUES (1, 5), (2, 5), (3, NULL), (4, NULL)
      """, Sized.self,
      "size must be unique, and 1 existing value occurs in several rows; make them different in a "
        + "`MigrationStep`, or declare an index that is not unique", line: #"Index(\.$size)"#,
      pastedInto: PastedSized.self)
  }

  struct Keyed: Model {
    @PrimaryKey var code: String
    var id: String { code }
    @Column var number: Int
  }

  struct PastedKeyed: Model {
    static let tableName = "Keyed"
    @PrimaryKey var code: String
    var id: String { code }
    @Column var number: Int
    static var schema: Schema<PastedKeyed> {
      Unique(\.$number)
    }
  }

  @Test(
    "another key is refused with the line that keeps the old one unique if other rows refer to it")
  func referredKey() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Keyed (number INTEGER PRIMARY KEY NOT NULL, code TEXT NOT NULL);
      CREATE TABLE Child (keyedID INTEGER REFERENCES Keyed (number));
      INSERT INTO Keyed VALUES (1, 'a'), (2, 'b'); INSERT INTO Child VALUES (2)
      """, Keyed.self,
      "the primary key is (number) in the database and (code) in Keyed, and Child refers to (number), which "
        + "must stay unique", line: #"Unique(\.$number)"#, pastedInto: PastedKeyed.self)
    #expect(try db.find(PastedKeyed.self, "b")?.number == 2)
    #expect(throws: DatabaseError.self) { try db.execute("INSERT INTO Child VALUES (3)") }
  }

}
