import Apus
import ApusLogging
import InMemoryLogging
import Synchronization
import Testing

@Suite struct LogTests {
  struct Person: Model {
    @PrimaryKey var id: Int64?
    @Column var name: String
  }

  /// A database, and the messages that it has logged.
  private static func open(
    level: Logger.Level, _ configuration: Configuration = Configuration(),
    _ change: (inout DatabaseLogOptions) -> Void = { _ in }
  ) throws -> (Database, InMemoryLogHandler) {
    let handler = InMemoryLogHandler()
    var logger = Logger(label: "db") { _ in handler }
    logger.logLevel = level
    var configuration = configuration
    configuration.log(to: logger) { options in
      // On a slow machine, any statement may be slow.
      options.slowStatements = nil
      change(&options)
    }
    return (try Database.temporary(models: [Person.self], configuration: configuration), handler)
  }

  private static func statements(_ handler: InMemoryLogHandler) -> [String] {
    handler.entries.compactMap { $0.metadata["duration_ms"] == nil ? nil : $0.metadata["sql"] }
      .map { "\($0)" }
  }

  @Test func `Statements are logged with their duration, and without values`() async throws {
    let (db, handler) = try Self.open(level: .debug)
    try await db.write { try $0.insert(Person(name: "Ada")) }
    _ = try await db.fetch(Person.where { $0.$name == "Ada" })
    let statements = Self.statements(handler)
    #expect(statements.contains { $0.hasPrefix(#"INSERT INTO "Person""#) })
    #expect(statements.contains { $0.hasSuffix(#"WHERE "name" = ?"#) })
    #expect(!"\(handler.entries)".contains("Ada"))
    let entry = try #require(handler.entries.first { $0.message == "a statement ended" })
    #expect(entry.level == .debug)
    let duration = try #require(entry.metadata["duration_ms"].map { "\($0)" })
    #expect(duration.wholeMatch(of: /\d+\.\d{3}/) != nil)
  }

  @Test func `Values are logged only if that is asked for`() async throws {
    let (db, handler) = try Self.open(level: .debug) { $0.showsValues = true }
    try await db.write { try $0.insert(Person(name: "Ada")) }
    #expect(Self.statements(handler).contains { $0.contains("'Ada'") })
  }

  @Test func `A level that is off logs nothing`() async throws {
    let (db, handler) = try Self.open(level: .info)
    _ = try await db.fetch(Person.all)
    #expect(Self.statements(handler).isEmpty)
    let (other, otherHandler) = try Self.open(level: .trace) {
      $0.statements = nil
      $0.migrations = nil
    }
    _ = try await other.fetch(Person.all)
    #expect(otherHandler.entries.isEmpty)
    #expect(other.configuration.onStatement == nil)
  }

  @Test func `A slow statement has a level of its own`() async throws {
    let (db, handler) = try Self.open(level: .info) { $0.slowStatements = .nanoseconds(-1) }
    _ = try await db.fetch(Person.all)
    let entry = try #require(handler.entries.last)
    #expect(entry.level == .warning)
    #expect(entry.message == "a statement was slow")
  }

  @Test func `Migrations and scans are logged, and earlier closures still run`() async throws {
    final class Calls: Sendable {
      let names = Mutex<[String]>([])
      func add(_ name: String) { names.withLock { $0.append(name) } }
    }
    let made = Calls()
    var configuration = Configuration()
    configuration.maximumScannedRows = 10
    configuration.onMigration = { _ in made.add("migration") }
    configuration.onTableScan = { _ in made.add("scan") }
    configuration.onStatement = { event in
      if event.sql?.hasPrefix("SELECT") == true { made.add("statement") }
    }
    let (db, handler) = try Self.open(level: .info, configuration)
    let migration = try #require(handler.entries.first)
    #expect(migration.level == .info)
    #expect(migration.message == "migrated the database")
    #expect("\(try #require(migration.metadata["statements"]))".contains("CREATE TABLE"))
    #expect(migration.metadata["steps"] == nil)
    try await db.write { tx in for _ in 1...50 { try tx.insert(Person(name: "Ada")) } }
    _ = try await db.fetch(Person.where { $0.$name == "Ada" })
    let scan = try #require(handler.entries.last)
    #expect(scan.level == .notice)
    #expect("\(try #require(scan.metadata["missing_indexes"]))".contains("Person_on_name"))
    #expect(!"\(scan)".contains("Ada"))
    let names = made.names.withLock { $0 }
    #expect(names.contains("migration") && names.contains("scan") && names.contains("statement"))
  }
}
