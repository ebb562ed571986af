import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Columns and tables that exchange their names")
struct ExchangeTests {
  struct Before: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var a: String
    @Column var b: String
    @Column var c: Int
    static var schema: Schema<Before> { Index(\.$a) }
  }

  struct Swapped: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var a: String
    @Column var b: String
    @Column var c: Int
    static var schema: Schema<Swapped> {
      Renamed(\.$a, from: "b")
      Renamed(\.$b, from: "a")
      Index(\.$a)
    }
  }

  struct Circle: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var a: String
    @Column var b: Int
    @Column var c: String
    static var schema: Schema<Circle> {
      Renamed(\.$a, from: "b")
      Renamed(\.$b, from: "c")
      Renamed(\.$c, from: "a")
    }
  }

  /// A second model of the same table, with the same lines.
  struct SwappedTitles: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var a: String
    @Column var b: String
    static var schema: Schema<SwappedTitles> {
      Renamed(\.$b, from: "A")
      Renamed(\.$a, from: "b")
    }
  }

  @Test("two models of a table that declare the same exchange exchange its columns once")
  func twoModels() throws {
    let db = try Specification.database(models: [Before.self])
    try db.insert(Before(id: 1, a: "a", b: "b", c: 3))
    for _ in 1...2 {
      let opened = try Specification.reopen(db, models: [Swapped.self, SwappedTitles.self])
      let found = try opened.row("SELECT a, b FROM Post")?.values
      #expect(found == ["b", "a"])
    }
  }

  @Test("two columns exchange their names exactly once")
  func swap() throws {
    let db = try Specification.database(models: [Before.self])
    try db.insert(Before(id: 1, a: "a", b: "b", c: 3))
    try db.execute("CREATE VIEW both AS SELECT a, b FROM Post")
    let plan = try db.migrationPlan(for: [Swapped.self])
    #expect(
      plan.steps.prefix(2).map(\.action) == [
        .renameColumn(from: "b", to: "a"), .renameColumn(from: "a", to: "b"),
      ])
    for _ in 1...2 {
      let opened = try Specification.reopen(db, models: [Swapped.self])
      #expect(try opened.row("SELECT a, b FROM Post")?.values == ["b", "a"])
      #expect(try opened.row("SELECT * FROM both")?.values == ["a", "b"])
      #expect(try opened.migrationPlan(for: [Swapped.self]).steps.isEmpty)
    }
  }

  @Test("three columns of different types exchange their names in a circle")
  func circle() throws {
    let db = try Specification.database(models: [Before.self])
    try db.insert(Before(id: 1, a: "a", b: "b", c: 3))
    try db.migrate([Circle.self])
    #expect(try db.row("SELECT a, b, c FROM Post")?.values == ["b", 3, "a"])
    #expect(try db.migrate([Circle.self]).isEmpty)
    #expect(try db.row("SELECT a, b, c FROM Post")?.values == ["b", 3, "a"])
  }

  @Test("a table that was created with the renaming lines exchanges nothing")
  func new() throws {
    let db = try Specification.database(models: [Swapped.self])
    try db.insert(Swapped(id: 1, a: "a", b: "b", c: 3))
    #expect(try db.migrate([Swapped.self]).isEmpty)
    #expect(try db.row("SELECT a, b FROM Post")?.values == ["a", "b"])
  }

  enum Old {
    struct First: Model {
      static let tableName = "First"
      @PrimaryKey var id: Int
      @Column var x: String
      static var schema: Schema<First> { Index(\.$x) }
    }
    struct Second: Model {
      static let tableName = "Second"
      @PrimaryKey var id: Int
      @Column var x: String
      static var schema: Schema<Second> { Index(\.$x) }
    }
  }

  enum New {
    struct First: Model {
      static let tableName = "First"
      @PrimaryKey var id: Int
      @Column var x: String
      static var schema: Schema<First> {
        RenamedTable(from: "Second")
        Index(\.$x)
      }
    }
    struct Second: Model {
      static let tableName = "Second"
      @PrimaryKey var id: Int
      @Column var x: String
      static var schema: Schema<Second> {
        RenamedTable(from: "First")
        Index(\.$x)
      }
    }
  }

  @Test("two tables exchange their names exactly once, with their indexes and references")
  func tables() throws {
    let db = try Specification.database(models: [Old.First.self, Old.Second.self])
    try db.insert(Old.First(id: 1, x: "first"))
    try db.insert(Old.Second(id: 2, x: "second"))
    try db.execute(
      "CREATE TABLE Child (id INTEGER REFERENCES First (id)); INSERT INTO Child VALUES (1)")
    for _ in 1...2 {
      try db.migrate([New.First.self, New.Second.self])
      #expect(try db.fetch(New.First.all).map(\.x) == ["second"])
      #expect(try db.fetch(New.Second.all).map(\.x) == ["first"])
      #expect(try db.rows("PRAGMA foreign_key_check").isEmpty)
    }
    #expect(try db.migrationPlan(for: [New.First.self, New.Second.self]).steps.isEmpty)
  }
}
