import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Adding what is missing")
struct MigrationTests {
  enum First {
    struct Article: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var text: String?
    }
  }

  enum Second {
    struct Article: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var text: String?
      @Column var stars: Int
      @Column var price: Double
      @Column var notes: String
      @Column var image: Data
      @Column var seen: Bool
      @Column var mood: Temper
      @Column var day: Date
      @Column var url: URL?
      @Column var level: Int?
      @Column var parentID: Int?

      static var schema: Schema<Article> {
        Default(\.$mood, .odd)
        Default(\.$day, Date(timeIntervalSince1970: 1))
        Default(\.$level, 7)
        ForeignKey(\.$parentID, references: \Article.$id, onDelete: .setNull)
        Index(\.$title, \.$stars)
        Unique(\.$url)
      }
    }
  }

  @Test("opening creates STRICT tables with keys and indexes, as the plan says")
  func create() throws {
    let db = try Specification.database()
    let plan = try db.migrationPlan(for: [First.Article.self, Line.self, Customer.self])
    #expect(
      plan.description == """
        Article
          + create the table: it does not exist
              CREATE TABLE "Article" (
                "id" INTEGER PRIMARY KEY NOT NULL,
                "title" TEXT NOT NULL,
                "text" TEXT
              ) STRICT
        Line
          + create the table: it does not exist
              CREATE TABLE "Line" (
                "orderID" INTEGER NOT NULL,
                "number" INTEGER NOT NULL,
                "text" TEXT NOT NULL,
                PRIMARY KEY ("orderID", "number"),
                FOREIGN KEY ("orderID") REFERENCES "Order" ("id") ON DELETE CASCADE
              ) STRICT
        Customer
          + create the table: it does not exist
              CREATE TABLE "Customer" (
                "id" INTEGER PRIMARY KEY NOT NULL,
                "name" TEXT NOT NULL,
                "mail" TEXT
              ) STRICT
          + create the index Customer_unique_mail: the schema declares it as unique
              CREATE UNIQUE INDEX "Customer_unique_mail" ON "Customer" ("mail")
          + create the index Customer_unique_name_mail: the schema declares it as unique
              CREATE UNIQUE INDEX "Customer_unique_name_mail" ON "Customer" ("name", "mail")
        """)
    // A plan changes nothing. The migration does what the plan says, and afterwards nothing remains
    // to be done.
    #expect(try db.rows("SELECT * FROM sqlite_schema").isEmpty)
    #expect(try db.migrate([First.Article.self, Line.self, Customer.self]) == plan)
    let again = try db.migrationPlan(for: [First.Article.self, Line.self, Customer.self])
    #expect(again.isEmpty && again.steps.isEmpty)
    #expect(again.description == "nothing to migrate")
    #expect(try db.migrate([First.Article.self, Line.self, Customer.self]).isEmpty)
  }

  static let zeros = MigrationOptions(missingDefaults: .zeroOrEmpty)

  @Test("new columns keep the rows and give them NULL, the declared default, or a requested zero")
  func addColumns() throws {
    let db = try Specification.database(models: [First.Article.self])
    try db.insert(First.Article(id: 1, title: "a"))
    let models: [any Model.Type] = [Second.Article.self]
    let plan = try db.migrationPlan(for: models, Self.zeros)
    #expect(
      plan.description == """
        Article
          + add the column stars: existing rows get 0 (1 row)
              ALTER TABLE "Article" ADD COLUMN "stars" INTEGER NOT NULL DEFAULT 0
          + add the column price: existing rows get 0.0 (1 row)
              ALTER TABLE "Article" ADD COLUMN "price" REAL NOT NULL DEFAULT 0.0
          + add the column notes: existing rows get '' (1 row)
              ALTER TABLE "Article" ADD COLUMN "notes" TEXT NOT NULL DEFAULT ''
          + add the column image: existing rows get x'' (1 row)
              ALTER TABLE "Article" ADD COLUMN "image" BLOB NOT NULL DEFAULT x''
          + add the column seen: existing rows get 0 (1 row)
              ALTER TABLE "Article" ADD COLUMN "seen" INTEGER NOT NULL DEFAULT 0
          + add the column mood: existing rows get 'o''dd' (1 row)
              ALTER TABLE "Article" ADD COLUMN "mood" TEXT NOT NULL DEFAULT 'o''dd'
          + add the column day: existing rows get 1000000 (1 row)
              ALTER TABLE "Article" ADD COLUMN "day" INTEGER NOT NULL DEFAULT 1000000
          + add the column url: existing rows get NULL (1 row)
              ALTER TABLE "Article" ADD COLUMN "url" TEXT
          + add the column level: existing rows get 7 (1 row)
              ALTER TABLE "Article" ADD COLUMN "level" INTEGER DEFAULT 7
          + add the column parentID: existing rows get NULL (1 row)
              ALTER TABLE "Article" ADD COLUMN "parentID" INTEGER REFERENCES "Article" ("id") \
        ON DELETE SET NULL
          + create the index Article_on_title_stars: the schema declares it
              CREATE INDEX "Article_on_title_stars" ON "Article" ("title", "stars")
          + create the index Article_unique_url: the schema declares it as unique
              CREATE UNIQUE INDEX "Article_unique_url" ON "Article" ("url")
        """)
    try db.migrate(models, Self.zeros)
    let found = try #require(try db.find(Second.Article.self, 1))
    let expected = Second.Article(
      id: 1, title: "a", stars: 0, price: 0, notes: "", image: Data(), seen: false, mood: .odd,
      day: Date(timeIntervalSince1970: 1), level: 7)
    #expect(found == expected)
    #expect(try db.migrationPlan(for: models).steps.isEmpty)
    // The added column's foreign key is enforced.
    var article = found
    article.parentID = 99
    #expect(throws: DatabaseError.self) { try db.update(article) }
  }

  @Test("an index is added to an existing table, and a query uses it")
  func addIndex() throws {
    struct Album: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      static var schema: Schema<Album> {
        Index(\.$name)
        Index(\.$name)
      }
    }
    let music = try Music()
    #expect(
      try music.db.migrate([Album.self]).description == """
        Album
          + create the index Album_on_name: the schema declares it
              CREATE INDEX "Album_on_name" ON "Album" ("name")
        """)
    let plan = try music.plan(of: Album.where { $0.$name == "One" })
    #expect(plan == ["SEARCH Album USING COVERING INDEX Album_on_name (name=?)"])
    #expect(try music.db.count(Album.all) == 3)
  }

  @Test("an index over a_b and an index over a and b get different names")
  func indexNames() throws {
    struct Names: Model {
      @PrimaryKey var id: Int
      @Column var a: Int
      @Column var b: Int
      @Column var a_b: Int
      static var schema: Schema<Names> {
        Index(\.$a_b)
        Index(\.$a, \.$b)
      }
    }
    let db = try Specification.database(models: [Names.self])
    #expect(try db.migrationPlan(for: [Names.self]).steps.isEmpty)
    #expect(try db.rows("SELECT name FROM pragma_index_list('Names')").count == 2)
  }

  @Test("a column that no model declares stays, and the plan lists it as kept")
  func kept() throws {
    let db = try Specification.database(models: [Second.Article.self])
    try db.execute("ALTER TABLE Article ADD COLUMN extra TEXT NOT NULL DEFAULT 'x'")
    let plan = try db.migrationPlan(for: [Second.Article.self])
    #expect(
      plan.description == """
        Article
          = keep the column extra: no model declares it
              Dropped("extra")  // loses the values of Article.extra
        """)
    #expect(plan.isEmpty && plan.steps.map(\.action) == [.keepColumn("extra")])
    try db.migrate([Second.Article.self])
    #expect(try db.columnNames(of: "Article").contains("extra"))
  }

  @Test("undeclared generated columns, triggers and indexes stay unchanged")
  func unknown() throws {
    let db = try Specification.database(models: [First.Article.self])
    try db.execute(
      """
      ALTER TABLE Article ADD COLUMN shout TEXT AS (upper(title)) VIRTUAL;
      CREATE INDEX mine ON Article (text) WHERE text IS NOT NULL;
      CREATE TRIGGER t AFTER INSERT ON Article BEGIN SELECT 1; END
      """)
    let plan = try db.migrationPlan(for: [First.Article.self])
    #expect(plan.isEmpty)
    #expect(
      plan.description == """
        Article
          = keep the trigger t: no model declares it
              Dropped(trigger: "t")
          = keep the index mine: no model declares it
              Dropped(index: "mine")
        """)
    try db.migrate([Second.Article.self], Self.zeros)
    let names = try db.rows("SELECT name FROM sqlite_schema").map { try $0[0, as: String.self] }
    #expect(names.contains("mine") && names.contains("t"))
    try db.insert(First.Article(id: 1, title: "a"))
    #expect(try db.row("SELECT shout FROM Article")?[0] == "A")
  }

  @Test(
    "any model can drop a trigger of another table, which is dropped once",
    arguments: [true, false])
  func foreignTrigger(_ isThere: Bool) throws {
    struct One: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<One> { Dropped(trigger: "t") }
    }
    struct Two: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Two> { Dropped(trigger: "T") }
    }
    let db = try Specification.database(models: [First.Article.self])
    if isThere {
      try db.execute("CREATE TABLE One (id INTEGER PRIMARY KEY NOT NULL) STRICT")
      try db.execute("CREATE TABLE Two (id INTEGER PRIMARY KEY NOT NULL) STRICT")
    }
    try db.execute("CREATE TRIGGER t AFTER INSERT ON Article BEGIN SELECT 1; END")
    let plan = try db.migrate([One.self, Two.self])
    #expect(plan.steps.filter { $0.action == .dropTrigger("t") }.count == 1)
    #expect(try db.migrationPlan(for: [One.self, Two.self]).steps.isEmpty)
    #expect(try db.rows("SELECT 1 FROM sqlite_schema WHERE name = 't'").isEmpty)
  }

  @Test("a table name with quotes and SQL in it is only a name")
  func hostileNames() throws {
    struct Hostile: Model, Equatable {
      static let tableName = #"a"; DROP TABLE Album; --'.[x] ü"#
      @PrimaryKey var id: Int
      @Column var name: String?
      static var schema: Schema<Hostile> {
        Index(\.$name)
        ForeignKey(\.$parentID, references: \Hostile.$id)
      }
      @Column var parentID: Int?
    }
    let music = try Music()
    try music.db.migrate([Hostile.self])
    #expect(try music.db.migrationPlan(for: [Hostile.self]).steps.isEmpty)
    let row = Hostile(id: 1, name: "x", parentID: 1)
    try music.db.insert(row)
    #expect(try music.db.fetch(Hostile.where { $0.$name == "x" }) == [row])
    try music.db.save(Hostile(id: 1, name: "y"))
    let join = Query { (one: Columns<Hostile>, album: Columns<Album>) in
      From(one)
      Join(album, on: album.$id == one.$id)
      Select(one, album.$name)
    }
    #expect(try music.db.fetch(join).map(\.1) == ["One"])
    let error = #expect(throws: DatabaseError.self) {
      try music.db.insert(Hostile(id: 2, parentID: 9))
    }
    #expect(error?.constraint?.table == Hostile.tableName)
    #expect(error?.constraint?.columns == ["parentID"])
    #expect(try music.db.delete(Hostile.self, 1))
  }

  @Test("a file opened read-only is not migrated")
  func readOnly() throws {
    let db = try Specification.database(models: [First.Article.self])
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try Specification.reopen(
      db, models: [Second.Article.self, Album.self], configuration: configuration)
    #expect(try reader.count(First.Article.all) == 0)
    #expect(try reader.migrationPlan(for: [Album.self]).steps.count == 1)
    #expect(throws: DatabaseError.self) { try reader.migrate([Album.self]) }
  }
}
