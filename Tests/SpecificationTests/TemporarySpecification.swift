import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Temporary triggers and views, and arrays of joined rows")
struct TemporarySpecification {
  struct Author: Model, Codable, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var changes: Int
  }

  struct Book: Model, Codable, Equatable {
    @PrimaryKey var id: Int
    @Column var authorID: Int
    @Column var title: String
  }

  struct Prolific: SQLView {
    @Column var name: String
    @Column var books: Int

    static var definition: some Fetchable {
      Query { (author: Columns<Author>, book: Columns<Book>) in
        From(author)
        Join(book, on: book.$authorID == author.$id)
        GroupBy(author.$id)
        Having { book.count() > 1 }
        Select(author.$name, book.count())
      }
    }
  }

  private func database(_ configuration: Configuration = Configuration()) throws -> Database {
    let db = try Specification.database(
      models: [Author.self, Book.self], configuration: configuration)
    try db.insert([
      Author(id: 1, name: "Ann", changes: 0), Author(id: 2, name: "Bob", changes: 0),
      Author(id: 3, name: "Cid", changes: 0),
    ])
    try db.insert([
      Book(id: 1, authorID: 1, title: "x"), Book(id: 2, authorID: 1, title: "y"),
      Book(id: 3, authorID: 2, title: "z"),
    ])
    return db
  }

  @Test("a temporary trigger fires for writes of this connection, and is not in the file")
  func triggers() throws {
    guard !Specification.usesEngine else { return }
    let db = try database()
    try db.write { tx in
      try tx.createTemporaryTriggers(of: Book.self) {
        Trigger("Book_count", after: .update(of: \.$title)) { old, new in
          Author.update { $0.$changes += 1 }.where { $0.$id == new.$authorID }
        } when: { old, new in
          old.$title != new.$title
        }
      }
      let sql = try tx.row("SELECT sql FROM temp.sqlite_schema")?.get(String.self, at: 0)
      #expect(sql?.hasPrefix(#"CREATE TRIGGER "Book_count""#) == true)
    }
    try db.run(Book.update { $0.$title = "x" })
    #expect(try db.fetch(Author.order(by: \.$id).select(\.$changes)) == [1, 1, 0])
    #expect(try db.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'").isEmpty)
    #expect(try db.migrationPlan(for: [Author.self, Book.self]).isEmpty)
    #expect(throws: DatabaseError.self) {
      try db.write { tx in
        try tx.createTemporaryTriggers(of: Book.self) {
          Trigger("Book_count", after: .delete) { old in
            Author.delete().where { $0.$id == old.$authorID }
          }
        }
      }
    }
    let error = #expect(throws: ModelError.self) {
      try db.write { try $0.createTemporaryTriggers(of: Book.self) { Index(\.$title) } }
    }
    #expect(error?.description.contains("only a Trigger can be temporary") == true)
  }

  @Test("a temporary view of a database is queried on each of its connections")
  func viewsOfAllConnections() throws {
    guard !Specification.usesEngine else { return }
    let db = try database()
    try db.createTemporaryView(Prolific.self)
    let query = Prolific.where { $0.$books > 1 }.select(\.$name)
    #expect(try query.sql.text == #"SELECT "name" FROM "Prolific" WHERE "books" > ?"#)
    #expect(try db.fetch(query) == ["Ann"])
    try db.write { tx in
      try tx.insert(Book(id: 4, authorID: 2, title: "w"))
      #expect(try tx.fetch(query).sorted() == ["Ann", "Bob"])
    }
    #expect(try db.read { try $0.fetch(query).sorted() } == ["Ann", "Bob"])
    // A connection that reads still writes nothing.
    #expect(throws: DatabaseError.self) { try db.read { try $0.execute("DELETE FROM Book") } }
    #expect(throws: DatabaseError.self) {
      try db.read { try $0.execute("CREATE TEMP TABLE other (id)") }
    }
    #expect(try db.rows("SELECT name FROM main.sqlite_schema WHERE name = 'Prolific'").isEmpty)
    #expect(try db.migrationPlan(for: [Author.self, Book.self]).isEmpty)
    // A second time it replaces the view.
    try db.createTemporaryView(Prolific.self)
    #expect(try db.count(query) == 2)
  }

  @Test("a temporary view of one connection is queried only there, and is not in the file")
  func views() throws {
    guard !Specification.usesEngine else { return }
    let db = try database()
    let counts = try db.write { tx in
      try tx.createTemporaryView(Prolific.self)
      return try tx.fetch(Prolific.all).map { "\($0.name) \($0.books)" }
    }
    #expect(counts == ["Ann 2"])
    let names = try db.rows("SELECT name FROM main.sqlite_schema WHERE name = 'Prolific'")
    #expect(names.isEmpty)
    #expect(try db.write { try $0.fetch(Prolific.all).map(\.books) } == [2])
    // The connections that read do not have it until it is one of the database.
    #expect(throws: DatabaseError.self) { try db.read { try $0.fetch(Prolific.all) } }
    try db.createTemporaryView(Prolific.self)
    #expect(try db.read { try $0.fetch(Prolific.all).map(\.books) } == [2])
  }

  @Test("the rows that a left join finds are an array, which may be empty")
  func arrays() throws {
    let db = try database()
    let query = Query { (author: Columns<Author>, book: OptionalColumns<Book>) in
      From(author)
      LeftJoin(book, on: book.$authorID == author.$id)
      GroupBy(author.$id)
      OrderBy(author.$id)
      Select(author.$name, book.jsonGroupArray(), book.jsonGroupArray(distinct: true))
    }
    let object = """
      json_object('id', "Book"."id", 'authorID', "Book"."authorID", 'title', "Book"."title")
      """
    #expect(
      try query.sql.text == """
        SELECT "Author"."name", json_group_array(\(object)) FILTER (WHERE "Book"."id" IS NOT NULL), \
        json_group_array(DISTINCT \(object)) FILTER (WHERE "Book"."id" IS NOT NULL) FROM "Author" \
        LEFT JOIN "Book" ON "Book"."authorID" = "Author"."id" GROUP BY "Author"."id" \
        ORDER BY "Author"."id"
        """ || query.sql.text.contains("json_group_array(DISTINCT json_object("))
    let rows = try db.fetch(query)
    #expect(rows.map { $0.1.value.map(\.id).sorted() } == [[1, 2], [3], []])
    #expect(rows.map { $0.2.value.map(\.id).sorted() } == [[1, 2], [3], []])
  }
}
