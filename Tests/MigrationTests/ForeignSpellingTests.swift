import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Definitions in the spelling of other programs")
struct ForeignSpellingTests {
  struct Book: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var pages: Int
    @Column var note: String?
  }

  @Test(
    "brackets, comments, parentheses and numbers of any form are read, and their meaning is kept")
  func spelling() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE [Book] ( -- the books, each one's "title", and (more
        [id] INTEGER PRIMARY KEY NOT NULL, `title` TEXT NOT NULL
          CHECK (((length([title]) < 1e2) AND [title] <> 'x')), /* ' kept ( */
        pages TEXT NOT NULL DEFAULT '7', [its weight] REAL DEFAULT 1.5e-3,
        mask INTEGER DEFAULT (0x1F), mark BLOB DEFAULT x'0aFF' -- at the end
      );
      INSERT INTO Book (id, title, pages) VALUES (1, 'one', '10'), (2, 'two', 20);
      """)
    let plan = try db.migrate([Book.self])
    #expect(!plan.isEmpty)
    #expect(
      try db.fetch(Book.order(by: \.$id)) == [
        Book(id: 1, title: "one", pages: 10, note: nil),
        Book(id: 2, title: "two", pages: 20, note: nil),
      ])
    #expect(try db.migrate([Book.self]).isEmpty)
    try db.insert(Book(id: 3, title: "three", pages: 30, note: "new"))
    let others = try db.rows("SELECT [its weight], mask, hex(mark) FROM Book ORDER BY id")
    #expect(others.map(\.values) == Array(repeating: [0.0015, 31, "0AFF"], count: 3))
    for title in ["x", String(repeating: "y", count: 100)] {
      let error = #expect(throws: DatabaseError.self) {
        try db.insert(Book(id: 4, title: title, pages: 1, note: nil))
      }
      #expect(error?.code.primary == .constraint)
    }
  }

  struct Built: Model {
    @PrimaryKey var id: Int
    @Column var first: Int
    @Column var second: String
    @Column var third: String

    static let isIndexed = true
    static var schema: Schema<Built> {
      if isIndexed { Index(\.$first) }
      if !isIndexed { Index(\.$second) } else { Unique(\.$second) }
      if isIndexed { Index(\.$third) } else { Unique(\.$third) }
      for name in ["one", "two"] { Index(\.$first, \.$third, name: "Built_\(name)") }
    }
  }

  @Test("a schema block takes `if`, `else` and `for`")
  func built() throws {
    let db = try Specification.database(models: [Built.self])
    let names = try db.fetch(
      String.self, "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name")
    #expect(
      names == [
        "Built_on_first", "Built_on_third", "Built_one", "Built_two", "Built_unique_second",
      ])
    #expect(try db.migrate([Built.self]).isEmpty)
  }
}
