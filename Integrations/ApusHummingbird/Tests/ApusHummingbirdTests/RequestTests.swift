import Apus
import ApusHummingbird
import Foundation
import Hummingbird
import InMemoryLogging
import Logging
import Testing

struct Author: Model, Codable {
  @PrimaryKey var id: Int
  @Column var name: String
  @Column var age = 0

  static var schema: Schema<Author> {
    Unique(\.$name)
    Check { $0.$age >= 0 }
    Trigger("keep", before: .delete) { _ in
      Raise(.abort, "author 1 is kept in /var/secret")
    } when: { old in
      old.$id == 1
    }
  }
}

struct Book: Model, Codable {
  @PrimaryKey var id: Int
  @Column var authorID: Int

  static var schema: Schema<Book> { ForeignKey(\.$authorID, references: \Author.$id) }
}

@Suite struct RequestTests {
  private static func database(_ configuration: Configuration = .init()) async throws -> Database {
    let db = try Database.temporary(
      models: [Author.self, Book.self], configuration: configuration)
    try await db.insert((1...50).map { Author(id: $0, name: "Author \($0)", age: $0 / 7) })
    return db
  }

  // MARK: Errors

  /// A request whose handler throws, and the answer.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var status: Int
    /// The members of the error; nil if the body is empty.
    var body: String?
    var retryAfter: String?
    var fail: @Sendable (Database) async throws -> Void

    init(
      _ name: String, _ status: Int, _ body: String?, retryAfter: String? = nil,
      _ fail: @escaping @Sendable (Database) async throws -> Void
    ) {
      testDescription = name
      (self.status, self.body, self.retryAfter, self.fail) = (status, body, retryAfter, fail)
    }
  }

  static let cases = [
    Case("row not found", 404, "not_found Author there is no such row") {
      try await $0.update(Author.self, 77) { $0.name = "x" }
    },
    Case("unique", 409, "unique Author(name) another row has the same name") {
      try await $0.insert(Author(id: 60, name: "Author 1"))
    },
    Case("key", 409, "unique Author(id) another row has the same id") {
      try await $0.insert(Author(id: 1, name: "x"))
    },
    Case(
      "foreign key", 409,
      "foreign_key Book(authorID) a row that this one refers to is missing, or others refer to it"
    ) { try await $0.insert(Book(id: 1, authorID: 77)) },
    Case("check", 422, "invalid Author(age) age: not allowed") {
      try await $0.insert(Author(id: 60, name: "x", age: -1))
    },
    Case("not null", 422, "invalid Author(name) name: a value is missing") {
      try await $0.execute("INSERT INTO Author (id, age) VALUES (60, 1)")
    },
    Case("raise", 409, "conflict the change is not allowed") {
      try await $0.run(Author.where { $0.$id == 1 }.delete())
    },
    Case("busy", 503, "busy the service is busy", retryAfter: "1") { _ in
      throw DatabaseError(code: .busy, message: "database is locked", sql: "SELECT secret")
    },
    Case("deadline", 503, "busy the service is busy", retryAfter: "1") {
      try await $0.read(deadline: .zero) { _ in }
    },
    Case("read-only", 503, "read_only nothing can be written at present") {
      try await $0.read { try $0.execute("DELETE FROM Author") }
    },
    Case("disk full", 507, "full there is no space left") { _ in
      throw DatabaseError(code: .full, message: "/var/secret is full")
    },
    Case("bad SQL", 500, nil) { try await $0.execute("SELECT secret FROM Nothing") },
    Case("damaged file", 500, nil) { _ in
      throw DatabaseError(code: .corrupt, message: "/var/secret")
    },
    Case("mistake in a query", 500, nil) { _ = try await $0.fetch(Author.all.limit(-1)) },
    Case("an answer of its own", 418, "tea") { _ in
      throw HTTPError(.init(code: 418), message: "tea")
    },
  ]

  @Test(arguments: cases)
  func `An error of the database is an answer without paths and SQL`(_ example: Case) async throws {
    let db = try await Self.database()
    let router = Router()
    let logs = InMemoryLogHandler()
    router.add(middleware: DatabaseFailureMiddleware())
    router.get("fail") { _, _ in
      try await example.fail(db)
      return "no error"
    }
    try await TestServer.run(router, logger: Logger(label: "test") { _ in logs }) { server in
      let answer = try await server.get("/fail")
      #expect(answer.status == example.status)
      #expect(try Self.described(answer.body) == example.body)
      #expect(answer.header("retry-after") == example.retryAfter)
    }
    // The details of what the client cannot know are in the log.
    #expect(logs.entries.contains { $0.message == "a request failed" } == (example.status >= 500))
  }

  /// The members of an error in a body: its code, table, columns and message, and nothing else.
  private static func described(_ body: String) throws -> String? {
    struct Document: Decodable {
      struct Failure: Decodable {
        var code: String?
        var message: String
        var table: String?
        var columns: [String]?
      }
      var error: Failure
    }
    guard !body.isEmpty else { return nil }
    let failure = try JSONDecoder().decode(Document.self, from: Data(body.utf8)).error
    let columns = failure.columns.map { "(\($0.joined(separator: ", ")))" }
    let place = failure.table.map { $0 + (columns ?? "") }
    return [failure.code, place, failure.message].compactMap(\.self).joined(separator: " ")
  }

  // MARK: Pages

  @Test func `Links lead through all pages, and a wrong cursor is the client's mistake`()
    async throws
  {
    let db = try await Self.database()
    let byAge = PageOrder<Author>.descending(\.$age)
    let router = Router()
    router.add(middleware: DatabaseFailureMiddleware())
    router.get("authors") { request, context in
      let cursor = try request.pageCursor(of: Author.self)
      let authors = try await db.fetch(Author.page(after: cursor, by: byAge).limit(20))
      var response = try context.responseEncoder.encode(authors, from: request, context: context)
      if authors.count == 20, let last = authors.last {
        response.headers.append(request.nextPage(after: try byAge.cursor(after: last)))
      }
      return response
    }
    try await TestServer.run(router) { server in
      var (next, found): (String?, [Int]) = ("/authors?size=20&after=", [])
      while let path = next {
        let answer = try await server.get(path)
        found += try JSONDecoder().decode([Author].self, from: Data(answer.body.utf8)).map(\.id)
        next = answer.header("link").map { link in
          #expect(link.hasPrefix("</authors?size=20&after=") && link.hasSuffix(">; rel=\"next\""))
          return String(link.dropFirst().prefix { $0 != ">" })
        }
      }
      let all = Author.order(by: \.$age, .descending).order(by: \.$id, .descending)
      #expect(try await db.fetch(all).map(\.id) == found)
      let other = try PageOrder<Author>.ascending(\.$name)
        .cursor(after: Author(id: 1, name: "Author 1"))
      for cursor in ["x", "AQ", "%00", other.description] {
        let answer = try await server.get("/authors?after=\(cursor)")
        #expect(answer.status == 400, "\(cursor)")
        #expect(answer.body.contains(#""code":"page_cursor""#))
      }
    }
  }

  // MARK: Deadlines

  private static let endless = SQL(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")

  @Test func `A request that takes too long is ended, and nothing of its write is kept`()
    async throws
  {
    let db = try await Self.database()
    let router = Router()
    router.add(middleware: DeadlineMiddleware(.milliseconds(20)))
    router.get("read") { _, _ in "\(try await db.rows(Self.endless).count)" }
    router.get("write") { _, _ in
      try await db.write { tx in
        try tx.insert(Author(id: 60, name: "x"))
        _ = try tx.rows(Self.endless)
      }
      return "written"
    }
    router.get("late") { _, _ in
      while !Task.isCancelled { await Task.yield() }
      return "done all the same"
    }
    router.get("own") { _, _ -> String in
      while !Task.isCancelled { await Task.yield() }
      throw HTTPError(.badRequest)
    }
    try await TestServer.run(router) { server in
      for path in ["/read", "/write"] {
        let answer = try await server.get(path)
        #expect(answer.status == 503)
        #expect(answer.header("retry-after") == "1")
      }
      #expect(try await server.get("/late").body == "done all the same")
      #expect(try await server.get("/own").status == 400)
      #expect(try await db.count(Author.all) == 50)
    }
  }

  // MARK: Slow statements

  @Test func `Slow statements are logged with their own request`() async throws {
    let logs = InMemoryLogHandler()
    var configuration = Configuration()
    // SQLite measures whole milliseconds, so that every statement counts as slow.
    configuration.reportSlowStatements(over: .milliseconds(-1))
    let db = try await Self.database(configuration)
    let router = Router()
    router.add(middleware: SlowStatementMiddleware())
    router.get("authors/:id") { _, context in
      let id = try context.parameters.require("id", as: Int.self)
      try await db.write {
        try $0.execute("UPDATE Author SET age = \(id) WHERE id = \(unsafe: "\(id)")")
      }
      return
        "\(try await db.fetch(Int.self, "SELECT age FROM Author WHERE id = \(unsafe: "\(id)")"))"
    }
    try await TestServer.run(router, logger: Logger(label: "test") { _ in logs }) { server in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for id in 1...30 {
          group.addTask {
            let answer = try await server.get("/authors/\(id)")
            #expect(answer.body == "[\(id)]")
          }
        }
        try await group.waitForAll()
      }
    }
    var found: [String: Set<String>] = [:]
    for entry in logs.entries where entry.message == "a statement was slow" {
      #expect(entry.level == .warning && entry.metadata["hb.request.id"] != nil)
      let (path, sql) = ("\(entry.metadata["path"] ?? "")", "\(entry.metadata["sql"] ?? "")")
      if sql.contains("Author") { found[path, default: []].insert(sql) }
    }
    #expect(found.count == 30)
    for id in 1...30 {
      #expect(
        found["/authors/\(id)"] == [
          "UPDATE Author SET age = ? WHERE id = \(id)", "SELECT age FROM Author WHERE id = \(id)",
        ])
    }
  }
}
