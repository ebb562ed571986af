import QueryDSL
import SQLCore
import SchemaMigration
import Synchronization
import Testing

@testable import QueryFixtures

@Suite("Configuration.onMigration")
struct MigrationReportTests {
  enum First {
    struct Article: Model {
      @PrimaryKey var id: Int
      @Column var title: String
    }
  }

  enum Second {
    struct Article: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var note: String?
    }
  }

  @Test("a migration is reported once, after its commit, and not if there was nothing to do")
  func reports() throws {
    let reports = Reports()
    var configuration = Configuration()
    configuration.onMigration = { report in reports.list.withLock { $0.append(report) } }
    let db = try Specification.database(models: [First.Article.self], configuration: configuration)
    #expect(reports.list.withLock { $0.count } == 1)
    let report = try #require(reports.list.withLock { $0.first })
    #expect(report.statements.count == 1)
    #expect(report.statements.first?.hasPrefix("CREATE TABLE \"Article\"") == true)
    #expect(report.description.contains("Article"))
    try db.migrate([First.Article.self])
    _ = try Specification.reopen(db, models: [First.Article.self], configuration: configuration)
    #expect(reports.list.withLock { $0.count } == 1)
    try db.migrate([Second.Article.self])
    #expect(
      reports.list.withLock { $0.last?.statements } == [
        "ALTER TABLE \"Article\" ADD COLUMN \"note\" TEXT"
      ])
  }

  @Test("the listener of migrations may use the database, which then has the new tables")
  func usesDatabase() throws {
    let reports = Reports()
    var configuration = Configuration()
    configuration.onMigration = { report in
      guard let db = reports.database.withLock({ $0 }) else { return }
      if (try? db.count(First.Article.all)) == 0 { reports.list.withLock { $0.append(report) } }
    }
    let db = try Specification.database(configuration: configuration)
    reports.database.withLock { $0 = db }
    try db.migrate([First.Article.self])
    #expect(reports.list.withLock { $0.count } == 1)
    reports.database.withLock { $0 = nil }
  }

  private final class Reports: Sendable {
    let list = Mutex<[MigrationReport]>([])
    let database = Mutex<Database?>(nil)
  }
}
