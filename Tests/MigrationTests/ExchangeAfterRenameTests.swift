import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("An exchange of columns in a table that is renamed later")
struct ExchangeAfterRenameTests {
  struct First: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var a: String
    @Column var b: String
  }

  struct Second: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var a: String
    @Column var b: String
    static var schema: Schema<Second> {
      Renamed(\.$a, from: "b")
      Renamed(\.$b, from: "a")
    }
  }

  /// Keeps the lines of the second version, as Migration.md allows.
  struct Third: Model {
    static let tableName = "Article"
    @PrimaryKey var id: Int
    @Column var a: String
    @Column var b: String
    static var schema: Schema<Third> {
      RenamedTable(from: "Post")
      Renamed(\.$a, from: "b")
      Renamed(\.$b, from: "a")
    }
  }

  @Test("the exchange does not run a second time")
  func once() throws {
    let db = try Specification.database(models: [First.self])
    try db.insert(First(id: 1, a: "a", b: "b"))
    try db.migrate([Second.self])
    let found = try db.row("SELECT a, b FROM Post")?.values
    #expect(found == ["b", "a"])
    try db.migrate([Third.self])
    let found2 = try db.row("SELECT a, b FROM Article")?.values
    #expect(found2 == ["b", "a"])
    let found3 = try db.migrationPlan(for: [Third.self]).isEmpty
    #expect(found3)
  }

  @Test("a file of the first version is exchanged once")
  func skipped() throws {
    let db = try Specification.database(models: [First.self])
    try db.insert(First(id: 1, a: "a", b: "b"))
    for _ in 1...2 {
      try db.migrate([Third.self])
      let found = try db.row("SELECT a, b FROM Article")?.values
      #expect(found == ["b", "a"])
    }
  }
}
