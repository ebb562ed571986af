import Foundation
import QueryDSL
import SQLCore
import Testing

@Suite("Changed Swift types of stored values, which an opening notices")
struct ChangedTypeTests {
  enum V1 {
    enum Status: String, ColumnValue { case draft, published, archived }
    enum Level: Int, ColumnValue { case low = 1, high = 5 }
    struct Tag: Codable { var text: String }
    struct Author: Codable {
      var name: String
      var tags: [Tag] = []
    }

    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var status: Status
      @Column var level: Level?
      @Column var author: JSON<Author>
      @Column var price: String
    }
  }

  enum V2 {
    enum Status: String, ColumnValue { case draft, published }
    enum Level: Int, ColumnValue { case low = 1, high = 6 }
    struct Tag: Codable {
      var text: String
      var color: String
    }
    struct Author: Codable {
      var name: String
      var tags: [Tag] = []
    }
  }

  struct FewerCases: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var status: V2.Status
    @Column var level: V1.Level?
    @Column var author: JSON<V1.Author>
    @Column var price: String
  }

  struct OtherRawValues: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var status: V1.Status
    @Column var level: V2.Level?
    @Column var author: JSON<V1.Author>
    @Column var price: String
  }

  struct OtherStruct: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var status: V1.Status
    @Column var level: V1.Level?
    @Column var author: JSON<V2.Author>
    @Column var price: String
  }

  struct DecimalPrice: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var status: V1.Status
    @Column var level: V1.Level?
    @Column var author: JSON<V1.Author>
    @Column var price: Decimal
  }

  static let options = MigrationOptions(checksChangedTypes: true)

  private func file() throws -> Database {
    let db = try Specification.database()
    try Specification.reopen(db, models: [V1.Post.self], migration: Self.options).close()
    let author = V1.Author(name: "Jane", tags: [V1.Tag(text: "a")])
    try db.insert([
      V1.Post(id: 1, status: .draft, level: nil, author: JSON(author), price: "1.50"),
      V1.Post(id: 7, status: .archived, level: .high, author: JSON(author), price: "cheap"),
    ])
    return db
  }

  private func notesTypes(_ db: Database) throws -> Bool {
    try db.row("SELECT 1 FROM sqlite_schema WHERE name = 'apus_types'") != nil
  }

  static let changes: [(any Model.Type, String)] = [
    (FewerCases.self, "status"), (OtherRawValues.self, "level"), (OtherStruct.self, "author"),
    (DecimalPrice.self, "price"),
  ]

  @Test("a value that the changed type cannot read refuses the opening", arguments: 0..<4)
  func refused(index: Int) throws {
    let (model, column) = Self.changes[index]
    let db = try file()
    // Without the option, the file looks the same.
    #expect(try Specification.reopen(db, models: [model]).migrationPlan(for: [model]).isEmpty)
    let error = #expect(throws: MigrationError.self) {
      try Specification.reopen(db, models: [model], migration: Self.options)
    }
    let refusal = try #require(error?.plan.refusals.first)
    #expect(error?.plan.refusals.count == 1)
    #expect(refusal.reason.hasPrefix("\(column) holds values that"), "\(refusal.reason)")
    #expect(refusal.lines.last?.contains(".deleted(in: \"Post.\(column)\")") == true)
    // The earlier program still opens the file.
    let before = try Specification.reopen(db, models: [V1.Post.self], migration: Self.options)
    #expect(try before.count(V1.Post.all) == 2)
    try before.close()
    try db.execute("DELETE FROM Post")
    try Specification.reopen(db, models: [model], migration: Self.options).close()
    #expect(throws: Never.self) {
      try Specification.reopen(db, models: [model], migration: Self.options).close()
    }
  }

  @Test("only the columns whose types have changed are read, once, with progress")
  func onlyChanges() throws {
    let db = try file()
    try db.execute("UPDATE Post SET status = 'draft', price = '2'")
    let seen = Lock<[String]>([])
    var options = Self.options
    options.progress = { progress in seen.withLock { $0.append(progress.sql) } }
    func open(_ model: any Model.Type) throws -> [String] {
      seen.withLock { $0 = [] }
      try Specification.reopen(db, models: [model], migration: options).close()
      return seen.withLock { Array(Set($0)) }
    }
    #expect(try open(V1.Post.self) == [])
    #expect(try open(FewerCases.self) == ["-- check the values of status"])
    #expect(try open(FewerCases.self) == [])
    #expect(try open(V1.Post.self) == ["-- check the values of status"])
    #expect(try open(DecimalPrice.self) == ["-- check the values of price"])
    // A type that reads every value needs no check, but the file notes that it was there.
    #expect(try open(V1.Post.self) == [])
    #expect(try open(DecimalPrice.self) == ["-- check the values of price"])
  }

  @Test("the first opening with the option reads the columns, and the plan writes nothing")
  func first() throws {
    let db = try Specification.database(models: [V1.Post.self])
    let plan = try db.migrationPlan(for: [V1.Post.self], Self.options)
    #expect(plan.isEmpty)
    #expect(try !notesTypes(db))
    try db.execute(
      "INSERT INTO Post VALUES (3, 'asleep', NULL, '{\"name\":\"x\",\"tags\":[]}', '')")
    let error = #expect(throws: MigrationError.self) {
      try Specification.reopen(db, models: [V1.Post.self], migration: Self.options)
    }
    #expect(error?.plan.refusals.first?.reason.contains("as in row 3: 'asleep'") == true)
    #expect(try !notesTypes(db))
    try db.execute("UPDATE Post SET status = 'draft'")
    try Specification.reopen(db, models: [V1.Post.self], migration: Self.options).close()
    #expect(try db.fetch(String.self, "SELECT name FROM apus_types") == ["Post"])
  }

  @Test("the notes follow renamings, and the models of a table each have theirs")
  func names() throws {
    struct Page: Model {
      @PrimaryKey var id: Int
      @Column var state: V1.Status
      @Column var author: JSON<V1.Author>
      @Column var price: String
      static var schema: Schema<Page> {
        RenamedTable(from: "Post")
        Renamed(\.$state, from: "status")
      }
    }
    struct Levels: Model {
      static let tableName = "Page"
      @PrimaryKey var id: Int
      @Column var level: V2.Level?
      @Column var state: V1.Status
      @Column var author: JSON<V1.Author>
      @Column var price: String
    }
    let db = try file()
    let options = Self.options
    try Specification.reopen(db, models: [Page.self], migration: options).close()
    #expect(try db.fetch(String.self, "SELECT name FROM apus_types") == ["Page"])
    // Row 7 has the level 5.
    #expect(throws: MigrationError.self) {
      try Specification.reopen(db, models: [Levels.self], migration: options)
    }
    try db.execute("UPDATE Page SET level = 6 WHERE id = 7")
    try Specification.reopen(db, models: [Levels.self], migration: options).close()
    try Specification.reopen(db, models: [Page.self], migration: options).close()
    let types = try db.fetch(String.self, "SELECT types FROM apus_types")
    #expect(
      types.first?.contains(#""level":"Level(1, 6)","state":"Status(draft, published, archived)""#)
        == true)
  }
}
