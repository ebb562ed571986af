import Apus
import Foundation
import Testing

/// The library's own statements are those of `Documentation/OwnStatements.md`.
@Suite("The library runs only the statements that its documentation lists", .serialized)
struct OwnStatementsTests {
  struct Author: Model {
    @PrimaryKey var id: Int
    @Column var name: String
  }

  struct Post: Model {
    @PrimaryKey var id: Int
    @Column var authorID: Int
    @Column var title: String
    static var schema: Schema<Post> { ForeignKey(\.$authorID, references: \Author.$id) }
  }

  private let folder: URL
  private let trace: StatementTrace

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    trace = StatementTrace(path: "\(folder.lastPathComponent)/blog.sqlite")
  }

  private var path: String { folder.appending(path: "blog.sqlite").path }

  /// Returns the statements of a section of the page, one a line. A `…` stands for the rest of its
  /// line.
  private func listed(_ section: String) throws -> [String] {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Documentation/OwnStatements.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let part = try #require(text.components(separatedBy: "\n## \(section)\n").dropFirst().first)
    let block = part.components(separatedBy: "```")
    try #require(block.count > 2)
    return block[1].split(separator: "\n").dropFirst().map(String.init)
  }

  /// Expects that only statements of the sections and of the test ran, and that the test's own did.
  private func expect(_ sections: String..., asked: [String] = []) throws {
    let ran = trace.take()
    let own = try sections.flatMap(listed)
    for statement in ran {
      let isListed = (own + asked).contains { line in
        line.hasSuffix("…") ? statement.hasPrefix(line.dropLast()) : statement == line
      }
      #expect(isListed, "\(sections) does not list: \(statement)")
    }
    for statement in asked {
      #expect(ran.contains { $0.hasPrefix(statement.prefix { $0 != "…" }) }, "\(statement)")
    }
  }

  @Test("opening, reading, writing and closing run only listed statements")
  func access() throws {
    let db = try Database(path: path)
    try expect("Opening")
    try db.execute("CREATE TABLE Author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    try expect(
      "Writing",
      asked: ["CREATE TABLE Author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"])
    try db.insert(Author(id: 1, name: "Jane"))
    try expect("Writing", asked: [#"INSERT INTO "Author" ("id", "name") VALUES (?, ?)"#])
    #expect(try db.fetch(Author.all).count == 1)
    try expect("Opening", "Reading", asked: [#"SELECT "id", "name" FROM "Author""#])
    let count = try db.read { try $0.count(Author.all) }
    #expect(count == 1)
    try expect("Reading", asked: [#"SELECT count(*) FROM "Author""#])
    try db.write { connection in
      try connection.savepoint { try $0.execute("DELETE FROM Author") }
    }
    try expect("Writing", asked: ["DELETE FROM Author"])
    try db.close()
    try expect("Closing")
  }

  @Test("migrating a new, a fitting and a changed file runs only listed statements")
  func migrating() throws {
    var db = try Database(path: path, models: [Author.self])
    try expect("Opening", "Migrating")
    try db.close()
    _ = trace.take()
    db = try Database(path: path, models: [Author.self])
    try expect("Opening", "Migrating")
    try db.close()
    _ = trace.take()
    db = try Database(path: path, models: [Author.self, Post.self])
    try expect("Opening", "Migrating")
    try db.close()
    try expect("Closing")
  }

  @Test("observing runs only listed statements")
  func observing() async throws {
    let db = try Database(path: path, models: [Author.self, Post.self])
    _ = trace.take()
    var results = db.observe(Author.all).makeAsyncIterator()
    #expect(try await results.next()?.count == 0)
    try await db.insert(Author(id: 1, name: "Jane"))
    #expect(try await results.next()?.count == 1)
    try expect(
      "Opening", "Reading", "Writing", "Observing",
      asked: [
        // Also the key of the table, and in its order.
        #"SELECT "id", "name", "id" FROM "Author" ORDER BY "id""#,
        #"INSERT INTO "Author" ("id", "name") VALUES (?, ?)"#,
      ])
  }
}
