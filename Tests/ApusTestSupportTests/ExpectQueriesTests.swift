import Apus
import ApusTestSupport
import Testing

private struct Writer: Model {
  @PrimaryKey var id: Int
  @Column var name: String
}

private struct Story: Model {
  @PrimaryKey var id: Int
  @Column var writerID: Int
  @Column var title: String

  static var schema: Schema<Story> {
    ForeignKey(\.$writerID, references: \Writer.$id)
    Index(\.$writerID)
  }
}

@Suite("Counted statements")
struct ExpectQueriesTests {
  private let db: Database

  init() throws {
    db = try Database.temporary(models: [Writer.self, Story.self])
    try db.insert((1...20).map { Writer(id: $0, name: "writer \($0)") })
    try db.insert((1...40).map { Story(id: $0, writerID: $0 % 20 + 1, title: "story \($0)") })
  }

  @Test("`including` over 1,000 parents with 10,000 children is two statements")
  func including() async throws {
    let db = try Database.temporary(models: [Writer.self, Story.self])
    try await db.insert((1...1_000).map { Writer(id: $0, name: "") })
    try await db.insert((0..<10_000).map { Story(id: $0, writerID: $0 % 1_000 + 1, title: "") })
    let query = Writer.order(by: \.$id).including(Story.order(by: \.$id))
    let rows = try await expectQueries(2, in: db) { try await db.fetch(query) }
    #expect(rows.count == 1_000 && rows.allSatisfy { $0.1.count == 10 })
    #expect(try expectQueries(2, in: db) { try db.fetch(query) }.count == 1_000)
  }

  @Test("a query for each row is reported with the number of its runs")
  func queryForEachRow() throws {
    let error = #expect(throws: UnexpectedQueries.self) {
      try expectQueries(2, in: db) {
        for writer in try db.fetch(Writer.order(by: \.$id)) {
          _ = try db.fetch(Story.where { $0.$writerID == writer.id })
        }
      }
    }
    #expect(error?.expectedCount == 2 && error?.statements.count == 21)
    let lines = error.map { $0.description.split(separator: "\n") } ?? []
    #expect(lines.count == 3)
    #expect(lines.first?.hasSuffix("expected 2 statements, but 21 ran") == true)
    #expect(lines.first?.hasPrefix("ApusTestSupportTests/ExpectQueriesTests.swift:") == true)
    #expect(lines.last?.hasPrefix("  20 × SELECT ") == true)
  }

  @Test("fewer statements than expected throw as well, and zero may be expected")
  func fewer() throws {
    let error = #expect(throws: UnexpectedQueries.self) {
      try expectQueries(1, in: db) {}
    }
    #expect(error?.description.hasSuffix("expected 1 statement, but 0 ran") == true)
    try expectQueries(0, in: db) {}
  }

  @Test("a statement whose SQL begins with a comment counts")
  func comments() throws {
    let sql: SQL = """
      -- all of them
      SELECT * FROM Writer
      """
    #expect(try expectQueries(1, in: db) { try db.rows(sql) }.count == 20)
  }

  @Test("transactions, savepoints, PRAGMA and triggers do not count, and writes do")
  func notCounted() throws {
    try db.execute(
      """
      CREATE TABLE log (text TEXT);
      CREATE TRIGGER logging AFTER INSERT ON Writer BEGIN INSERT INTO log VALUES (new.name); END
      """)
    try expectQueries(3, in: db) {
      try db.write { connection in
        try connection.savepoint { _ = try $0.insert(Writer(id: 100, name: "x")) }
        try connection.execute("PRAGMA user_version = 3")
        try connection.delete(Writer.self, 100)
        _ = try connection.count(Writer.all)
      }
    }
    #expect(
      try queries(in: db) { try db.delete(Writer.self, 100) }
        == [#"DELETE FROM "Writer" WHERE "id" = ?"#])
  }

  @Test("the statements of asynchronous code are counted in their order")
  func asynchronous() async throws {
    let statements = try await queries(in: db) {
      try await db.delete(Writer.self, 100)
      _ = try await db.count(Writer.all)
    }
    #expect(
      statements == [
        #"DELETE FROM "Writer" WHERE "id" = ?"#, #"SELECT count(*) FROM "Writer""#,
      ])
  }

  @Test("a statement on an access's connection counts each time that it runs")
  func onConnection() throws {
    try db.read { connection in
      try expectQueries(3, on: connection) {
        for id in 1...3 { _ = try connection.find(Writer.self, id) }
      }
      // The connection is not traced any more.
      _ = try connection.find(Writer.self, 1)
    }
  }

  @Test("statements on threads of the database count, and an error is rethrown")
  func concurrent() async throws {
    struct Mine: Error {}
    try await expectQueries(8, in: db) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for id in 1...8 {
          group.addTask { [db] in _ = try await db.find(Writer.self, id) }
        }
        try await group.waitForAll()
      }
    }
    await #expect(throws: Mine.self) {
      try await expectQueries(0, in: db) {
        _ = try await db.find(Writer.self, 1)
        throw Mine()
      }
    }
  }
}
