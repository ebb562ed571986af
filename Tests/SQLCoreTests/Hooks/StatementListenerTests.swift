import SQLCore
import TestRun
import Testing

@Suite("Configuration.onStatement")
struct StatementListenerTests {
  private static func record(into seen: Shared<[String]>) -> Configuration {
    var configuration = Configuration()
    configuration.onStatement = { event in
      guard event.kind == .profile, event.duration != nil, let sql = event.sql else { return }
      seen.change { $0.append(sql) }
    }
    return configuration
  }

  @Test("statements of every connection are reported with their duration and without values")
  func reports() async throws {
    let seen = Shared<[String]>([])
    let db = try Database.temporary(configuration: Self.record(into: seen))
    try await db.execute("CREATE TABLE t (n TEXT)")
    try await db.write { try $0.execute("INSERT INTO t VALUES (\("secret"))") }
    _ = try await db.rows("SELECT n FROM t WHERE n = \("secret")")
    for try await _ in db.stream("SELECT n || 'x' FROM t") {}
    let statements = seen.current
    #expect(statements.contains("CREATE TABLE t (n TEXT)"))
    #expect(statements.contains("INSERT INTO t VALUES (?)"))
    #expect(statements.contains("SELECT n FROM t WHERE n = ?"))
    #expect(statements.contains("SELECT n || 'x' FROM t"))
    #expect(statements.contains { $0.hasPrefix("COMMIT") })
    #expect(!statements.contains { $0.contains("secret") })
  }

  @Test(
    "statements of reads, writes and streams name the task that asked for them",
    arguments: [true, false])
  func origins(inMemory: Bool) async throws {
    let seen = Shared<[String: Set<String>]>([:])
    var configuration = Configuration()
    configuration.maximumReaders = 20
    configuration.onStatement = { event in
      let (origin, sql) = (TraceEvent.origin as? String ?? "none", event.sql ?? "")
      seen.change { $0[origin, default: []].insert(sql) }
    }
    let db =
      try inMemory
      ? Database.inMemory(configuration: configuration)
      : Database.temporary(configuration: configuration)
    try await db.execute("CREATE TABLE t (n INTEGER)")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for request in 1...20 {
        group.addTask {
          try await TraceEvent.$origin.withValue("\(request)") {
            try await db.write { try $0.execute("INSERT INTO t SELECT \(unsafe: "\(request)")") }
            try await db.write(alone: true) {
              try $0.execute("UPDATE t SET n = n WHERE n = \(unsafe: "\(request)")")
            }
            _ = try await db.read(on: .background) {
              try $0.rows("SELECT n FROM t WHERE n = \(unsafe: "\(request)")")
            }
            for try await _ in db.stream("SELECT n + 0 FROM t WHERE n = \(unsafe: "\(request)")") {}
          }
        }
      }
      try await group.waitForAll()
    }
    for request in 1...20 {
      // Statements that begin and end transactions may belong to several tasks.
      let own = seen.current["\(request)"]?.filter { $0.contains(" t ") }
      #expect(
        own == [
          "INSERT INTO t SELECT \(request)", "UPDATE t SET n = n WHERE n = \(request)",
          "SELECT n FROM t WHERE n = \(request)", "SELECT n + 0 FROM t WHERE n = \(request)",
        ])
    }
    #expect(try await db.fetch(Int.self, "SELECT count(*) FROM t") == [20])
  }

  @Test("what the library runs on databases of its own is not reported")
  func ownDatabases() throws {
    let seen = Shared<[String]>([])
    let scans = Shared(0)
    var configuration = Self.record(into: seen)
    configuration.maximumScannedRows = 10
    configuration.onTableScan = { _ in scans.change { $0 += 1 } }
    let db = try Database.temporary(configuration: configuration)
    try db.execute(
      "CREATE TABLE t (n INTEGER); INSERT INTO t SELECT value FROM generate_series(1, 99)")
    let before = seen.current.filter { $0.hasPrefix("CREATE") }.count
    _ = try db.rows("SELECT n FROM t WHERE n = 5")
    #expect(scans.current == 1)
    // To find the index, the library creates the table again in memory.
    #expect(seen.current.filter { $0.hasPrefix("CREATE") }.count == before)
  }

  @Test("a connection without a pool is traced as well")
  func connection() throws {
    let seen = Shared<[String]>([])
    let connection = try Connection(configuration: Self.record(into: seen))
    try connection.execute("SELECT 1")
    #expect(seen.current == ["SELECT 1"])
  }
}
