import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Indexes whose declaration is removed")
struct RemovedIndexTests {
  struct Indexed: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var url: String
    @Column var views: Int
    static var schema: Schema<Indexed> {
      Index(\.$views)
      Unique(\.$url)
      Index(\.$url, \.$views, name: "named")
      Unique(\.$url, name: "named unique") { $0.$views > 0 }
      Index(name: "an \"odd\" name /* Apus */") { $0.$views.descending }
      Index(\.$url) { $0.$views > 10 }
    }
  }

  struct Bare: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var url: String
    @Column var views: Int
  }

  private func indexes(_ db: Database) throws -> [String] {
    try db.fetch(
      String.self,
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
  }

  @Test("indexes and unique indexes that a migration made go with their declaration")
  func removed() throws {
    let db = try Specification.database(models: [Indexed.self])
    #expect(try indexes(db).count == 6)
    let plan = try db.migrate([Bare.self])
    #expect(plan.steps.allSatisfy { $0.reason == "the schema no longer declares it" })
    #expect(plan.steps.count == 6)
    #expect(try indexes(db).isEmpty)
    #expect(try db.migrationPlan(for: [Bare.self]).steps.isEmpty)
  }

  @Test("the mark follows a declared name, and such a file matches its models")
  func mark() throws {
    let db = try Specification.database(models: [Indexed.self])
    let sql: SQL = "SELECT sql FROM sqlite_schema WHERE name = 'named'"
    #expect(
      try db.fetch(String.self, sql) == [
        #"CREATE INDEX "named" /* Apus */ ON "Post" ("url", "views")"#
      ])
    #expect(try db.migrationPlan(for: [Indexed.self]).steps.isEmpty)
  }

  @Test("indexes of other programs stay until a line drops them, whatever their names")
  func others() throws {
    let db = try Specification.database(models: [Bare.self])
    try db.execute(
      """
      CREATE INDEX Post_on_views ON Post (views);
      CREATE UNIQUE INDEX "Post_unique_url" ON Post(url);
      CREATE INDEX "named" ON "Post" ("url", "views");
      CREATE INDEX "post_views_index" ON "Post" ("views")
      """)
    let all = try indexes(db)
    try db.migrate([Indexed.self])
    // The declared indexes that are there already are not created again.
    #expect(try indexes(db).count == all.count + 3)
    // The file has had the tables of `Bare` before, so it would count as an older program.
    let plan = try db.migrate([Bare.self], MigrationOptions(newerSchema: .replaced))
    #expect(try indexes(db) == all)
    let kept = plan.steps.compactMap(\.line)
    for name in all {
      #expect(kept.contains("Dropped(index: \(name.debugDescription))"), "\(name)")
    }
  }

  @Test("an index that an earlier version made under a declared name stays until a line drops it")
  func earlier() throws {
    struct Named: Model {
      static let tableName = "Post"
      @PrimaryKey var id: Int
      @Column var url: String
      @Column var views: Int
      static var schema: Schema<Named> { Index(\.$url, \.$views, name: "named") }
    }
    let db = try Specification.database(models: [Bare.self])
    try db.execute(#"CREATE INDEX "named" ON "Post" ("url", "views")"#)
    #expect(try db.migrationPlan(for: [Named.self]).steps.isEmpty)
    try db.migrate([Bare.self])
    #expect(try indexes(db) == ["named"])
  }

  @Test("the indexes of a renamed table and a renamed column go with their declarations")
  func renamed() throws {
    struct Page: Model {
      @PrimaryKey var id: Int
      @Column var address: String
      @Column var views: Int
      static var schema: Schema<Page> {
        RenamedTable(from: "Post")
        Renamed(\.$address, from: "url")
      }
    }
    struct IndexedPage: Model {
      static let tableName = "Page"
      @PrimaryKey var id: Int
      @Column var address: String
      @Column var views: Int
      static var schema: Schema<IndexedPage> {
        RenamedTable(from: "Post")
        Renamed(\.$address, from: "url")
        Unique(\.$address)
        Index(\.$address, \.$views, name: "named")
      }
    }
    let db = try Specification.database(models: [Indexed.self])
    try db.migrate([IndexedPage.self])
    #expect(try indexes(db) == ["Page_unique_address", "named"])
    try db.migrate([Page.self], MigrationOptions(newerSchema: .replaced))
    #expect(try indexes(db).isEmpty)
    let other = try Specification.database(models: [Indexed.self])
    try other.migrate([Page.self])
    #expect(try indexes(other).isEmpty)
  }

  @Test("an index over a column that no model declares stays with the column, and goes with it")
  func columns() throws {
    struct Narrow: Model {
      static let tableName = "Post"
      @PrimaryKey var id: Int
      @Column var url: String?
    }
    struct Dropping: Model {
      static let tableName = "Post"
      @PrimaryKey var id: Int
      static var schema: Schema<Dropping> {
        Dropped("note")
        Dropped("url")
      }
    }
    struct Noted: Model {
      static let tableName = "Post"
      @PrimaryKey var id: Int
      @Column var url: String?
      @Column var note: String?
      static var schema: Schema<Noted> {
        Index(\.$note)
        Index(\.$note, \.$url, name: "named")
      }
    }
    let db = try Specification.database(models: [Noted.self])
    try db.migrate([Narrow.self])
    #expect(try indexes(db) == ["Post_on_note", "named"])
    try db.migrate([Dropping.self])
    #expect(try indexes(db).isEmpty)
  }
}
