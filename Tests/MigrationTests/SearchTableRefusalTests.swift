import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Refusals of models whose FTS5 table does not exist, or is another table")
struct SearchTableRefusalTests: RefusalExpecting {
  struct Page: Model {
    @PrimaryKey var id: Int64
    @Column var title: String
    @Column var text: String?
    static var schema: Schema<Page> {
      ExistingFullText()
      Named(\.$id, "rowid")
    }
  }

  struct Author: Model {
    @PrimaryKey var id: Int
  }

  // swift-format-ignore
  static let creating = MigrationOptions(steps: [
    MigrationStep("the FTS5 table Page", .before, onNewDatabase: .runs) { try $0.execute("CREATE VIRTUAL TABLE IF NOT EXISTS \"Page\" USING fts5(\"title\", \"text\")") }
  ])

  static let creatingLine =
    #"MigrationStep("the FTS5 table Page", .before, onNewDatabase: .runs) { try $0.execute("#
    + #""CREATE VIRTUAL TABLE IF NOT EXISTS \"Page\" USING fts5(\"title\", \"text\")") }"#

  @Test("a missing table is refused with a step that creates it, also beside other new tables")
  func missing() throws {
    for others in [[], [Author.self]] as [[any Model.Type]] {
      let db = try expectRefused(
        "CREATE TABLE other (a)", Page.self,
        "Page declares `ExistingFullText()`, and the database has no table Page; create it first, "
          + "or declare `FullText(…)` in a model of a table",
        line: Self.creatingLine, pastedInto: Page.self, others: others, options: Self.creating)
      try db.insert(Page(id: 7, title: "Swifts", text: "fly"))
      let found = try db.fetch(Page.search("fly")).map(\.id)
      #expect(found == [7])
    }
  }

  @Test("the step leaves a table alone that another program has created")
  func existing() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE VIRTUAL TABLE Page USING fts5(title, text, tokenize = 'porter');
      INSERT INTO Page (rowid, title, text) VALUES (7, 'Swifts', 'they flew')
      """)
    try db.migrate([Page.self], Self.creating)
    let found = try db.fetch(Page.search("swift")).map(\.id)
    #expect(found == [7])
    let found2 = try db.migrationPlan(for: [Page.self], Self.creating).isEmpty
    #expect(found2)
  }

  struct Other: Model {
    static let tableName = "Page2"  // Page stays as it is
    @PrimaryKey var id: Int64
    @Column var title: String
    @Column var text: String?
    static var schema: Schema<Other> {
      ExistingFullText()
      Named(\.$id, "rowid")
    }
  }

  static let creatingOther = MigrationOptions(steps: [
    MigrationStep("the FTS5 table Page2", .before, onNewDatabase: .runs) { connection in
      try connection.execute("CREATE VIRTUAL TABLE Page2 USING fts5(title, text)")
    }
  ])

  @Test(
    "a table that is no FTS5 table or has other columns is refused with another name for the model",
    arguments: [
      (
        "CREATE TABLE Page (title, text)",
        "Page declares `ExistingFullText()`, but Page is no FTS5 table"
      ),
      (
        "CREATE VIRTUAL TABLE Page USING fts5(text, title)",
        "Page must declare all columns of the FTS5 table Page, in their order: text, title"
      ),
    ])
  func otherTable(sql: String, reason: String) throws {
    _ = try expectRefused(
      "\(unsafe: sql)", Page.self, reason,
      line: #"static let tableName = "Page2"  // Page stays as it is"#, pastedInto: Other.self,
      options: Self.creatingOther)
  }
}
