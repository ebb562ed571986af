import QueryDSL
import SQLCore
import SchemaMigration
import Synchronization
import Testing

@testable import QueryFixtures

/// The statements are those of the connection that writes.
@Suite("The statements of an opening with models")
struct OpeningCostTests {
  enum Kind: String, ColumnValue, CaseIterable { case plain, list }

  struct Note: Model {
    @PrimaryKey var id: Int
    @Column var kind: Kind
    @Column var title: String
    @Column var size: String
  }

  struct LongerNote: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var kind: Kind
    @Column var title: String
    @Column var size: String
    @Column var body: String?
  }

  struct SizedNote: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var kind: Kind
    @Column var title: String
    @Column var size: Int
  }

  struct ListNote: Model {
    enum OtherKind: String, ColumnValue { case plain, list }
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var kind: OtherKind
    @Column var title: String
    @Column var size: String
  }

  /// The statements of one opening.
  private struct Opening {
    let statements: [String]

    /// How many of the statements begin with a text.
    func count(_ prefix: String) -> Int { statements.count { $0.hasPrefix(prefix) } }

    var readings: Int { count("SELECT type, name, tbl_name, sql FROM sqlite_schema") }
  }

  private final class Statements: Sendable {
    /// The statements of each connection, in the order in which the connections were opened.
    private let lists = Mutex<[[String]]>([])

    /// The first connection of a database is the one that writes; others are in memory.
    var first: [String] { lists.withLock { $0.first ?? [] } }

    func trace(_ connection: Connection) throws {
      let index = lists.withLock { lists in
        lists.append([])
        return lists.count - 1
      }
      _ = try connection.onTrace(.statement) { [self] event in
        guard let sql = event.sql else { return }
        lists.withLock { $0[index].append(sql) }
      }
    }
  }

  /// Opens a file that has two notes with another model.
  private func opening(with model: any Model.Type) throws -> Opening {
    let db = try Specification.database(models: [Note.self])
    try db.insert([
      Note(id: 1, kind: .list, title: "a", size: "1"),
      Note(id: 2, kind: .plain, title: "b", size: "2"),
    ])
    let statements = Statements()
    var configuration = Configuration()
    configuration.prepareConnection = { try statements.trace($0) }
    let path = try #require(db.path)
    let opened = try Database(path: path, models: [model], configuration: configuration)
    try opened.close()
    return Opening(statements: statements.first)
  }

  @Test("a file that matches is read once, with the types that it notes")
  func matching() throws {
    let opening = try opening(with: Note.self)
    #expect(opening.readings == 1)
    #expect(
      opening.statements.filter { !$0.hasPrefix("PRAGMA") } == [
        "BEGIN DEFERRED", "SELECT type, name, tbl_name, sql FROM sqlite_schema", "COMMIT",
      ])
  }

  @Test("another type is checked for each plan, and noted in the schema that is read anyway")
  func otherType() throws {
    let opening = try opening(with: ListNote.self)
    // Outside the lock, under it, and after the steps.
    #expect(opening.readings == 3)
    #expect(opening.count("SELECT count(*) FROM \"Note\" WHERE NOT apus_reads") == 2)
    #expect(opening.count("CREATE VIEW \"apus_types\"") == 1)
    #expect(opening.statements.count { $0.contains("apus_types") } == 2)
  }

  @Test("one more column is planned twice, and rows are counted only under the lock")
  func column() throws {
    let opening = try opening(with: LongerNote.self)
    // Outside the lock, under it, and after the steps.
    #expect(opening.readings == 3)
    #expect(opening.count("SELECT EXISTS (SELECT 1 FROM \"Note\" WHERE 1)") == 2)
    #expect(opening.count("SELECT count(*) FROM \"Note\"") == 1)
  }

  @Test("a column of another type is planned twice, and its values are examined for each plan")
  func rebuild() throws {
    let opening = try opening(with: SizedNote.self)
    #expect(opening.readings == 3)
    #expect(opening.count("SELECT count(*) FROM \"Note\" WHERE NOT") == 2)
  }

  @Test("a refused plan is made once, and its rows are counted once")
  func refusal() throws {
    let db = try Specification.database(models: [Note.self])
    try db.insert([
      Note(id: 1, kind: .list, title: "a", size: "large"),
      Note(id: 2, kind: .plain, title: "b", size: "2"),
    ])
    let statements = Statements()
    var configuration = Configuration()
    configuration.prepareConnection = { try statements.trace($0) }
    let path = try #require(db.path)
    let error = #expect(throws: MigrationError.self) {
      try Database(path: path, models: [SizedNote.self], configuration: configuration)
    }
    #expect(error?.plan.refusals.first?.rowCount == 2)
    let opening = Opening(statements: statements.first)
    #expect(opening.readings == 1)
    #expect(opening.statements.count { $0 == "SELECT count(*) FROM \"Note\"" } == 1)
  }
}
