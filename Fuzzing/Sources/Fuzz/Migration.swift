import Apus
import Foundation

struct Author: Model {
  @PrimaryKey var id: Int
  @Column var name: String
  @Column var born: Date?
  static var schema: Schema<Author> { Unique(\.$name) }
}

struct Book: Model {
  @PrimaryKey var id: Int
  @Column var authorID: Int
  @Column var title: String
  @Column var pages: Int
  @Column var rating: Double?
  static var schema: Schema<Book> {
    ForeignKey(\.$authorID, references: \Author.$id, onDelete: .cascade)
    Index(\.$title, \.$pages)
    Renamed(\.$pages, from: "size")
    Dropped("old")
  }
}

/// Runs an input as SQL, and migrates the resulting schema to the models. Fails unless one of two
/// things is true: the migration has succeeded, and a second migration would change nothing, or it
/// has thrown an error, and the schema is unchanged.
func migrateAnything(_ bytes: [UInt8]) {
  mayThrow {
    let db = try Database.inMemory()
    let steps = Steps()
    try db.onProgress(every: 1_000) { try steps.take() }
    try db.onTrace(.statement) { _ in steps.begin() }
    mayThrow { try db.writeWithoutTransaction { try $0.execute(SQL(unsafe: text(bytes))) } }
    let before = try schema(of: db)
    do {
      try db.migrate([Author.self, Book.self])
    } catch {
      try expect(schema(of: db) == before, "a migration that failed changed something")
      return
    }
    let plan = try db.migrationPlan(for: [Author.self, Book.self])
    expect(plan.isEmpty, "there is something left to do: \(plan)")
  }
}

private func schema(of db: Database) throws -> [[DatabaseValue]] {
  try db.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").map(\.values)
}
