import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Tables, views and facets of files that a newer program migrated")
struct NewerTablesTests {
  private let shared: SharedFile

  init() throws {
    shared = try SharedFile()
  }

  @Test("an older program does not create a table again that a newer program renamed")
  func renamed() throws {
    struct Article: Model {
      @PrimaryKey var id: Int
      @Column var url: String
      @Column var views: Int
      static var schema: Schema<Article> { RenamedTable(from: "Post") }
    }
    try shared.open(FirstVersion.Post.self)
    try shared.file.execute("INSERT INTO Post VALUES (1, 'a', 1)")
    try shared.open(Article.self)
    let error = #expect(throws: MigrationError.self) { try shared.open(FirstVersion.Post.self) }
    #expect(error?.description.contains("as it is: the table does not exist") == true)
    #expect(try !shared.has("Post"))
    #expect(try shared.value("SELECT count(*) FROM Article") == 1)
  }

  @Test("a table that a newer program created again is not dropped by an older program")
  func droppedTable() throws {
    struct Old: Model { @PrimaryKey var id: Int }
    struct Note: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Note> { Dropped(table: "Old") }
    }
    struct NewOld: Model {
      static let tableName = "Old"
      @PrimaryKey var id: Int
      @Column var text: String?
    }
    try shared.open(Old.self)
    try shared.open(Note.self)
    #expect(try !shared.has("Old"))
    try shared.open(NewOld.self)
    try shared.file.execute("INSERT INTO Old VALUES (1, 'a')")
    try shared.open(Note.self)
    #expect(try shared.value("SELECT count(*) FROM Old") == 1)
    // The very first program would create its own table again.
    try shared.open(Old.self)
    #expect(try shared.value("SELECT text FROM Old") == "a")
  }

  @Test("facets of one table that open a file in turn add their parts and undo nothing")
  func facets() throws {
    struct Name: Model {
      static let tableName = "person"
      @PrimaryKey var id: Int
      @Column var name: String?
    }
    struct Mail: Model {
      static let tableName = "person"
      @PrimaryKey var id: Int
      @Column var mail: String?
      static var schema: Schema<Mail> { Unique(\.$mail) }
    }
    struct IndexedName: Model {
      static let tableName = "person"
      @PrimaryKey var id: Int
      @Column var name: String?
      static var schema: Schema<IndexedName> { Index(\.$name) }
    }
    var last: [[DatabaseValue]] = []
    for round in 0..<3 {
      for model in [Name.self, Mail.self, IndexedName.self, Name.self] as [any Model.Type] {
        try shared.open(model)
      }
      #expect(try round == 0 || shared.schema == last)
      #expect(try shared.has("person_unique_mail") && shared.has("person_on_name"))
      last = try shared.schema
    }
  }

  @Test("a view stays as a newer program defined it")
  func views() throws {
    let sql: SQL = "SELECT sql FROM sqlite_schema WHERE name = 'popular'"
    try shared.open(FirstVersion.Post.self, Popular.self)
    try shared.open(FirstVersion.Post.self, VeryPopular.self)
    let before = try shared.value(sql)
    try shared.open(FirstVersion.Post.self, Popular.self)
    #expect(try shared.value(sql) == before)
    #expect(before?.description.contains("1000") == true)
  }
}

private struct Popular: Model, SQLView {
  static let tableName = "popular"
  @PrimaryKey var id: Int
  @Column var url: String

  static var definition: some Fetchable {
    FirstVersion.Post.where { $0.$views > 10 }.select(\.$id, \.$url)
  }
}

private struct VeryPopular: Model, SQLView {
  static let tableName = "popular"
  @PrimaryKey var id: Int
  @Column var url: String

  static var definition: some Fetchable {
    FirstVersion.Post.where { $0.$views > 1000 }.select(\.$id, \.$url)
  }
}
