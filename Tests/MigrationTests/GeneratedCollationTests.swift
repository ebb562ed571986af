import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("A column with a collation that becomes a generated column")
struct GeneratedNoCaseTests {
  struct Person: Model {
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var nick: String
    static var schema: Schema<Person> {
      Collated(\.$nick, .noCase)
      Generated(\.$nick) { $0.$name.lower() }
    }
  }

  @Test("a value that differs from the calculated one only in case is not lost")
  func keepsCase() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Person (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, nick TEXT NOT NULL COLLATE NOCASE);
      INSERT INTO Person VALUES (1, 'mac', 'MaC')
      """)
    #expect(throws: MigrationError.self) { try db.migrate([Person.self]) }
    let found = try db.row("SELECT nick FROM Person")?[0]
    #expect(found == "MaC")
  }
}
