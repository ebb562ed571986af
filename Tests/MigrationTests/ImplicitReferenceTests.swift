import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("References without columns to a table whose key changes")
struct ImplicitReferenceTests {
  struct Author: Model {
    @PrimaryKey var id: Int
    @Column var number: Int
    static var schema: Schema<Author> { Unique(\.$number) }
  }

  struct Renamed: Model {
    static let tableName = "Author2"
    @PrimaryKey var id: Int
    @Column var number: Int
    static var schema: Schema<Renamed> { Unique(\.$number) }
  }

  @Test("the migration is refused, with a line that leaves both tables as they are")
  func keeps() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Author (number INTEGER PRIMARY KEY, id INTEGER NOT NULL);
      CREATE TABLE Post (id INTEGER PRIMARY KEY, author INTEGER REFERENCES Author);
      INSERT INTO Author VALUES (1, 2), (2, 1);
      INSERT INTO Post VALUES (1, 1)
      """)
    #expect(throws: MigrationError.self) { try db.migrate([Author.self]) }
    let refused = try db.migrationPlan(for: [Author.self]).steps.first { $0.action == .refuse }
    let step = try #require(refused)
    #expect(
      step.reason == "the primary key is (number) in the database and (id) in Author, and Post "
        + "refers to the key without naming its columns, so it would refer to the new key")
    #expect(step.lines == [#"static let tableName = "Author2"  // Author stays as it is"#])
    try db.migrate([Renamed.self])
    let row = try db.row("SELECT number FROM Author JOIN Post ON author = number")?.values
    #expect(row == [1])
    #expect(throws: DatabaseError.self) { try db.execute("INSERT INTO Post VALUES (2, 3)") }
  }
}
