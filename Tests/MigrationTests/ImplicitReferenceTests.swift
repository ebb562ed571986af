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

  @Test("the reference keeps its row, or the migration is refused")
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
  }
}
