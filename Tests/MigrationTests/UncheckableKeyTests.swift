import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("References in a file with a foreign key that SQLite cannot check")
struct ForeignKeyMismatchTests {
  struct Parent: Model {
    @PrimaryKey var id: Int
    @Column var size: Int
  }

  @Test("a deletion of rows to which others refer is refused", arguments: [false, true])
  func refused(hasMismatch: Bool) throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Parent (id INTEGER PRIMARY KEY, size TEXT NOT NULL);
      CREATE TABLE Child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES Parent (id));
      INSERT INTO Parent VALUES (1, '5'), (2, 'big');
      INSERT INTO Child VALUES (1, 2)
      """)
    if hasMismatch {
      // Another program's tables: Other.code is not unique, so foreign_key_check fails as a whole.
      try db.execute(
        "CREATE TABLE Other (code TEXT); CREATE TABLE Third (other TEXT REFERENCES Other (code))")
    }
    #expect(throws: MigrationError.self) {
      try db.migrate([Parent.self], MigrationOptions(invalidValues: .deleted(in: "Parent.size")))
    }
    let found = try db.row("SELECT count(*) FROM Parent")?[0]
    #expect(found == 2)
  }
}
