import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Changed Swift types of stored values, which an opening notices")
struct ChangedTypeTests {
  enum V1 {
    enum Status: String, ColumnValue, CaseIterable { case draft, published, archived }
    enum Level: Int, ColumnValue, CaseIterable { case low = 1, high = 5 }
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
    enum Status: String, ColumnValue, CaseIterable { case draft, published }
    enum Level: Int, ColumnValue, CaseIterable { case low = 1, high = 6 }
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

  private func file() throws -> Database {
    let db = try Specification.database(models: [V1.Post.self])
    let author = V1.Author(name: "Jane", tags: [V1.Tag(text: "a")])
    try db.insert([
      V1.Post(id: 1, status: .draft, level: nil, author: JSON(author), price: "1.50"),
      V1.Post(id: 7, status: .archived, level: .high, author: JSON(author), price: "cheap"),
    ])
    return db
  }

  private func notes(_ db: Database) throws -> String? {
    guard try db.row("SELECT 1 FROM sqlite_schema WHERE name = 'apus_types'") != nil else {
      return nil
    }
    return try db.row("SELECT types FROM apus_types")?.get(String.self, at: 0)
  }

  @Test("the definition of a view notes the types of a new file")
  func noted() throws {
    #expect(
      try notes(file()) == """

        post
        \tauthor\tAuthor{name: String, tags: Tag{text: String} in Array} in JSON
        \tlevel\tLevel(1, 5)
        \tstatus\tStatus(draft, published, archived)

        """)
  }

  static let changes: [(any Model.Type, String)] = [
    (FewerCases.self, "status"), (OtherRawValues.self, "level"), (OtherStruct.self, "author"),
    (DecimalPrice.self, "price"),
  ]

  @Test("a value that the changed type cannot read refuses the opening", arguments: 0..<4)
  func refused(index: Int) throws {
    let (model, column) = Self.changes[index]
    let db = try file()
    let noted = try notes(db)
    let error = #expect(throws: MigrationError.self) {
      try Specification.reopen(db, models: [model])
    }
    let refusal = try #require(error?.plan.refusals.first)
    #expect(error?.plan.refusals.count == 1)
    #expect(refusal.reason.hasPrefix("\(column) holds values that"), "\(refusal.reason)")
    #expect(refusal.reason.contains("fix them in a `MigrationStep`"))
    #expect(refusal.lines.contains { $0.contains("OpenEnum<") } == (index < 2))
    #expect(refusal.lines.contains { $0.hasPrefix("MigrationOptions(checksChangedTypes: false)") })
    #expect(refusal.lines.last?.contains(".deleted(in: \"Post.\(column)\")") == true)
    #expect(try notes(db) == noted)
    // The earlier program still opens the file.
    let before = try Specification.reopen(db, models: [V1.Post.self])
    #expect(try before.count(V1.Post.all) == 2)
    try before.close()
    // So does this one without the check, and one that opens it as read-only. Neither writes.
    let unchecked = MigrationOptions(checksChangedTypes: false)
    try Specification.reopen(db, models: [model], migration: unchecked).close()
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try Specification.reopen(db, models: [model], configuration: configuration)
    #expect(try reader.migrationPlan(for: [model]).refusals.map(\.reason) == [refusal.reason])
    #expect(try reader.migrationPlan(for: [model], unchecked).isEmpty)
    try reader.close()
    #expect(try notes(db) == noted)
    // A step of the program corrects the rows.
    let step = MigrationStep("correct", .before) { try $0.execute("DELETE FROM Post") }
    let options = MigrationOptions(steps: [step])
    try Specification.reopen(db, models: [model], migration: options).close()
    #expect(try notes(db) != noted)
    #expect(throws: Never.self) { try Specification.reopen(db, models: [model]).close() }
  }

  /// The columns whose values an opening checks.
  private func checked(
    by model: any Model.Type, _ db: Database, _ options: MigrationOptions = MigrationOptions(),
    _ configuration: Configuration = Configuration()
  ) throws -> Set<String> {
    let seen = Lock<Set<String>>([])
    var options = options
    options.progress = { progress in
      guard progress.sql.hasPrefix("-- check the values") else { return }
      seen.withLock { _ = $0.insert(progress.sql) }
    }
    try Specification.reopen(
      db, models: [model], configuration: configuration, migration: options
    ).close()
    return seen.withLock { Set($0.map { String($0.dropFirst("-- check the values of ".count)) }) }
  }

  @Test("only the columns whose types have changed are read, once, with progress")
  func onlyChanges() throws {
    let db = try file()
    try db.execute("UPDATE Post SET status = 'draft', price = '2'")
    #expect(try checked(by: V1.Post.self, db) == [])
    #expect(try checked(by: FewerCases.self, db) == ["status"])
    #expect(try checked(by: FewerCases.self, db) == [])
    // More cases need no check, but the file notes them.
    #expect(try checked(by: V1.Post.self, db) == [])
    #expect(try checked(by: FewerCases.self, db) == ["status"])
    #expect(try checked(by: DecimalPrice.self, db) == ["price"])
    // A type that reads every value needs no check, but the file notes that it was there.
    #expect(try checked(by: V1.Post.self, db) == [])
    #expect(try checked(by: DecimalPrice.self, db) == ["price"])
  }

  @Test("a file without notes is neither read nor written until it is migrated")
  func withoutNotes() throws {
    let db = try file()
    try db.execute("DROP VIEW apus_types")
    let before = try db.rows("SELECT * FROM sqlite_schema").map(\.values)
    #expect(try checked(by: FewerCases.self, db) == [])
    #expect(try db.rows("SELECT * FROM sqlite_schema").map(\.values) == before)
    struct Titled: Model {
      static let tableName = "Post"
      @PrimaryKey var id: Int
      @Column var status: V1.Status
      @Column var author: String
      @Column var price: String
      @Column var title: String?
    }
    // The migration notes the types, and reads no value.
    #expect(try checked(by: Titled.self, db) == [])
    #expect(try notes(db) == "\npost\n\tstatus\tStatus(draft, published, archived)\n")
    #expect(throws: MigrationError.self) { try checked(by: FewerCases.self, db) }
  }

  @Test("the notes take any raw value, and another program may have their name")
  func texts() throws {
    enum Odd: String, ColumnValue, CaseIterable {
      case a = "a, b"
      case b = "it's"
      case c = "x\u{0}y\n\tz\\"
    }
    enum Split: String, ColumnValue, CaseIterable {
      case a, b
      case c = "it's"
      case d = "x\u{0}y\n\tz\\"
    }
    struct Odds: Model {
      @PrimaryKey var id: Int
      @Column var odd: Odd
      static var schema: Schema<Odds> { Named(\.$odd, "it's") }
    }
    struct Splits: Model {
      static let tableName = "Odds"
      @PrimaryKey var id: Int
      @Column var odd: Split
      static var schema: Schema<Splits> { Named(\.$odd, "it's") }
    }
    let db = try Specification.database(models: [Odds.self])
    try db.insert(Odds(id: 1, odd: .c))
    #expect(try checked(by: Odds.self, db) == [])
    #expect(try notes(db)?.hasPrefix("\nodds\n\tit's\tOdd(a\\92;c b, it's, x\\0;y\\10;") == true)
    try db.execute("DROP VIEW apus_types; CREATE VIEW apus_types AS SELECT '1' AS types")
    try Specification.reopen(db, models: [Odds.self, V1.Post.self]).close()
    #expect(try notes(db) == "1")
    #expect(try checked(by: Splits.self, db) == [])
  }

  @Test("a case whose raw value has a comma is not taken for two cases")
  func commas() throws {
    enum Whole {
      enum Mood: String, ColumnValue, CaseIterable { case both = "a, b" }
      struct Page: Model {
        @PrimaryKey var id: Int
        @Column var mood: Mood
      }
    }
    enum Parts {
      enum Mood: String, ColumnValue, CaseIterable { case other = "a, c", b }
      struct Page: Model {
        @PrimaryKey var id: Int
        @Column var mood: Mood
      }
    }
    let db = try Specification.database(models: [Whole.Page.self])
    try db.insert(Whole.Page(id: 1, mood: .both))
    #expect(throws: MigrationError.self) { try checked(by: Parts.Page.self, db) }
  }

  @Test("a program with a lower number checks nothing, and leaves the notes")
  func older() throws {
    let db = try file()
    let newer = MigrationOptions(schemaVersion: 2)
    try Specification.reopen(db, models: [V1.Post.self], migration: newer).close()
    struct Extra: Model {
      @PrimaryKey var id: Int
    }
    try Specification.reopen(db, models: [V1.Post.self, Extra.self], migration: newer).close()
    let noted = try notes(db)
    #expect(try checked(by: FewerCases.self, db, MigrationOptions(schemaVersion: 1)) == [])
    #expect(try notes(db) == noted)
    #expect(throws: MigrationError.self) { try checked(by: FewerCases.self, db, newer) }
  }

  @Test("a file that cannot be written is checked, and opens")
  func unwritable() throws {
    let db = try file()
    let noted = try notes(db)
    var configuration = Configuration()
    configuration.prepareConnection = { try $0.execute("PRAGMA query_only = 1") }
    #expect(throws: MigrationError.self) {
      try checked(by: FewerCases.self, db, MigrationOptions(), configuration)
    }
    try db.execute("UPDATE Post SET status = 'draft'")
    #expect(try checked(by: FewerCases.self, db, MigrationOptions(), configuration) == ["status"])
    #expect(try notes(db) == noted)
    #expect(try checked(by: FewerCases.self, db) == ["status"])
    #expect(try checked(by: FewerCases.self, db, MigrationOptions(), configuration) == [])
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
    #expect(try checked(by: Page.self, db) == [])
    #expect(try notes(db)?.hasPrefix("\npage\n") == true)
    #expect(try notes(db)?.contains("status") == false)
    try db.execute("UPDATE Page SET level = 9")
    #expect(throws: MigrationError.self) { try checked(by: Levels.self, db) }
    try db.execute("UPDATE Page SET level = 6")
    #expect(try checked(by: Levels.self, db) == ["level"])
    #expect(try checked(by: Page.self, db) == [])
    #expect(
      try notes(db)?.contains("level\tLevel(1, 6)\n\tstate\tStatus(draft, published, archived)")
        == true)
  }
}
