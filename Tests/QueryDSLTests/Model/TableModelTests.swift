import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Tables without a key")
struct TableModelTests {
  struct Line: TableModel, Equatable {
    @Column var level: Int
    @Column var text: String
    @Column var at: Int?

    static var schema: Schema<Line> {
      Index(\.$level)
      Default(\.$level, 3)
    }
  }

  struct Level: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
  }

  static let lines = [
    Line(level: 1, text: "a", at: nil), Line(level: 2, text: "b", at: nil),
    Line(level: 2, text: "b", at: nil),
  ]

  func database(_ lines: [Line] = lines) throws -> Database {
    let db = try Specification.database(models: [Line.self, Level.self])
    try db.insert(lines)
    return db
  }

  @Test("the table is created without a key, and equals its declaration afterwards")
  func creation() throws {
    let db = try database()
    #expect(
      try db.row("SELECT sql FROM sqlite_schema WHERE name = 'Line'")?["sql", as: String.self]
        == """
        CREATE TABLE "Line" (
          "level" INTEGER NOT NULL DEFAULT 3,
          "text" TEXT NOT NULL,
          "at" INTEGER
        ) STRICT
        """)
    #expect(try db.migrationPlan(for: [Line.self, Level.self]).isEmpty)
  }

  @Test("rows are inserted, one or many, and read; equal rows stay apart")
  func reading() throws {
    let db = try database()
    #expect(try db.insert(Self.lines[0]) == Self.lines[0])
    #expect(try db.count(Line.all) == 4)
    #expect(
      try db.fetch(Line.where { $0.$level == 2 }.order(by: \.$text)) == Array(Self.lines[1...]))
    #expect(
      try Line.where { $0.$level == 2 }.sql.text == #"""
        SELECT "level", "text", "at" FROM "Line" WHERE "level" = ?
        """#)
    #expect(try db.fetch(Line.select(\.$text).distinct().order(by: \.$text)) == ["a", "b"])
    try db.insert((0..<100).map { Line(level: $0, text: "many", at: nil) })
    #expect(try db.count(Line.where { $0.$text == "many" }) == 100)
    try db.run(Line.insert(\.$text, values: ["x", "y"]))
    #expect(try db.count(Line.where { $0.$level == 3 && $0.$text != "many" }) == 2)
    #expect(
      try db.fetch(Line.self, "SELECT * FROM \(Line.self) WHERE \(\Line.$text) = 'a' LIMIT 1")
        == [Self.lines[0]])
  }

  @Test("rows are updated and deleted by conditions, and returned")
  func commands() throws {
    let db = try database()
    let update = Line.update { $0.$level += 1 }.where { $0.$text == "b" }
    #expect(try update.sql.text == #"UPDATE "Line" SET "level" = "level" + ? WHERE "text" = ?"#)
    #expect(try db.run(update) == 2)
    #expect(try db.fetch(Line.delete().where { $0.$level == 3 }.returning(\.$text)) == ["b", "b"])
    #expect(try db.fetch(Line.all) == [Self.lines[0]])
    #expect(try db.run(Line.delete().order(by: \.$text).limit(1)) == 1)
    #expect(try db.fetch(Line.all) == [])
  }

  @Test("a table without a key is joined, and its row may be missing")
  func joins() throws {
    let db = try database()
    try db.insert([Level(id: 1, name: "one"), Level(id: 9, name: "nine")])
    let query = Query { (level: Columns<Level>, line: OptionalColumns<Line>) in
      From(level)
      LeftJoin(line, on: line.$level == level.$id.optional)
      OrderBy(level.$id)
      Select(level.$name, line)
    }
    let found = try db.fetch(query)
    #expect(found.map(\.0) == ["one", "nine"])
    #expect(found.map(\.1) == [Self.lines[0], nil])
  }

  @Test("a unique constraint is a target of ON CONFLICT, and `run` counts the written rows")
  func conflicts() throws {
    struct Setting: TableModel, Equatable {
      @Column var name: String
      @Column var value: Int
      static var schema: Schema<Setting> { Unique(\.$name) }
    }
    let db = try Specification.database(models: [Setting.self])
    func set(_ value: Int) -> Insert<Setting> {
      Setting.insert(Setting(name: "a", value: value)).onConflictUpdate(\.$name)
    }
    #expect(try db.run(set(1)) == 1)
    #expect(try db.run(set(2)) == 1)
    #expect(try db.run(set(2)) == 0)
    #expect(try db.fetch(Setting.all) == [Setting(name: "a", value: 2)])
  }

  @Test("generated columns are read back after an insert")
  func generated() throws {
    struct Box: TableModel, Equatable {
      @Column var width: Int
      @Column var area: Int = 0
      static var schema: Schema<Box> { Generated(\.$area, .virtual) { $0.$width * $0.$width } }
    }
    let db = try Specification.database(models: [Box.self])
    #expect(try db.insert([Box(width: 2), Box(width: 3)]).map(\.area) == [4, 9])
    #expect(try db.fetch(Box.order(by: \.$width)).map(\.area) == [4, 9])
  }

  @Test("a migration adds columns, rebuilds the table and keeps equal rows")
  func migration() throws {
    struct Longer: TableModel, Equatable {
      static var tableName: String { "Line" }
      @Column var level: Int
      @Column var text: String
      @Column var at: Int?
      @Column var place: String?
      static var schema: Schema<Longer> {
        Collated(\.$text, .noCase)
        Check("level") { $0.$level > 0 }
        Unique(\.$place)
      }
    }
    let db = try database()
    let plan = try db.migrate([Longer.self, Level.self])
    #expect(plan.steps.contains { $0.action == .rebuildTable }, "\(plan)")
    #expect(try db.migrationPlan(for: [Longer.self, Level.self]).isEmpty)
    #expect(try db.fetch(Longer.where { $0.$text == "B" }).map(\.level) == [2, 2])
    #expect(throws: DatabaseError.self) {
      try db.insert(Longer(level: 0, text: "", at: nil, place: nil))
    }
  }

  @Test("a table of another program keeps a key that the type does not declare")
  func existingKey() throws {
    struct Part: TableModel, Equatable {
      @Column var name: String
      @Column var size: Int?
      static var schema: Schema<Part> { Collated(\.$name, .noCase) }
    }
    for key in ["id INTEGER PRIMARY KEY", "id TEXT DEFAULT 'x' PRIMARY KEY"] {
      let db = try Specification.database()
      try db.execute("CREATE TABLE Part (\(unsafe: key), name TEXT NOT NULL)")
      try db.execute("INSERT INTO Part (name) VALUES ('a')")
      let plan = try db.migrate([Part.self])
      #expect(!plan.isEmpty)
      #expect(try db.migrationPlan(for: [Part.self]).isEmpty, "\(plan)")
      #expect(
        try db.read { try $0.columns(ofTable: "Part") }
          .map { "\($0.name) \($0.primaryKeyPosition)" }
          == ["id 1", "name 0", "size 0"])
      #expect(try db.fetch(Part.where { $0.$name == "A" }) == [Part(name: "a", size: nil)])
    }
  }

  @Test("a type may share the table of a model, whose key it does not declare")
  func facet() throws {
    struct Name: TableModel, Equatable {
      static var tableName: String { "Level" }
      @Column var name: String
    }
    let db = try Specification.database(models: [Name.self, Level.self])
    try db.insert(Level(id: 1, name: "one"))
    #expect(try db.insert(Name(name: "two")) == Name(name: "two"))
    #expect(
      try db.fetch(Level.order(by: \.$id)) == [
        Level(id: 1, name: "one"), Level(id: 2, name: "two"),
      ]
    )
    #expect(try db.migrationPlan(for: [Level.self]).isEmpty)
  }

  @Test("a joining table declares a key of two columns without an ID, and relations go through it")
  func joiningTable() throws {
    struct Tag: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var name: String
    }
    struct Tagging: TableModel {
      @PrimaryKey var level: Int
      @PrimaryKey var tag: Int
      static var schema: Schema<Tagging> {
        ForeignKey(\.$level, references: \Level.$id)
        ForeignKey(\.$tag, references: \Tag.$id)
        WithoutRowID()
      }
    }
    let db = try Specification.database(models: [Level.self, Tag.self, Tagging.self])
    try db.insert(Level(id: 1, name: "one"))
    try db.insert([Tag(id: 1, name: "x"), Tag(id: 2, name: "y")])
    try db.run(Tagging.insert(\.$level, \.$tag, values: [(1, 2), (1, 1)]))
    #expect(throws: DatabaseError.self) { try db.insert(Tagging(level: 1, tag: 1)) }
    let found = try db.fetch(
      Level.all.including(Tag.order(by: \.$name), through: Tagging.self))
    #expect(found.map { $0.1.map(\.name) } == [["x", "y"]])
    #expect(try db.run(Tagging.delete().order(by: \.$tag).limit(1)) == 1)
    #expect(try db.fetch(Tagging.select(\.$tag)) == [2])
  }

  @Test("a table WITHOUT ROWID needs a key, and so does a model")
  func refused() throws {
    struct Bare: TableModel {
      @Column var a: Int
      static var schema: Schema<Bare> { WithoutRowID() }
    }
    #expect(throws: ModelError.self) { try Specification.database(models: [Bare.self]) }
    struct Empty: TableModel {}
    #expect(throws: ModelError.self) { try Specification.database(models: [Empty.self]) }
  }
}
