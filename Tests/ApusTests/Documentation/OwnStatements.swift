import Apus
import Foundation
import Testing

/// A file whose statements are compared with those that `Documentation/OwnStatements.md` lists.
///
/// It belongs to a process of its own, which `StatementTrace` traces: use it in the body of an exit
/// test.
struct OwnStatements {
  struct Author: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
  }

  struct Post: Model {
    @PrimaryKey var id: Int
    @Column var authorID: Int
    @Column var title: String
    static var schema: Schema<Post> { ForeignKey(\.$authorID, references: \Author.$id) }
  }

  /// The tables that `Migrations` begins with, and what hangs on them.
  static let samples = """
    CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, size TEXT NOT NULL,
      old TEXT);
    CREATE TABLE Part (id INTEGER PRIMARY KEY NOT NULL,
      itemID INTEGER NOT NULL REFERENCES Item (id) ON DELETE CASCADE);
    CREATE INDEX mine ON Item (size) WHERE size <> '';
    CREATE TABLE log (text);
    CREATE TRIGGER t AFTER DELETE ON Item WHEN old.id > 0 BEGIN
      INSERT INTO log VALUES (old.name); END;
    CREATE VIEW v AS SELECT id, size FROM Item;
    INSERT INTO Item VALUES (1, 'one', '1', 'old'), (2, 'two', '2', 'old'), (3, 'invalid', '3', 'old');
    INSERT INTO Part VALUES (1, 1);
    CREATE VIRTUAL TABLE search USING fts5(text);
    ANALYZE
    """

  /// Two foreign keys: which of them is violated, only the rows tell.
  struct Review: Model {
    @PrimaryKey var id: Int
    @Column var authorID: Int
    @Column var reviewerID: Int
    static var schema: Schema<Review> {
      ForeignKey(\.$authorID, references: \Author.$id)
      ForeignKey(\.$reviewerID, references: \Author.$id)
    }
  }

  /// Rows that refer to later ones.
  struct Chain: Model {
    @PrimaryKey var id: Int
    @Column var next: Int?
    static var schema: Schema<Chain> { ForeignKey(\.$next, references: \Chain.$id) }
  }

  struct Event: Model {
    @PrimaryKey var id = Unique64()
    @Column var date: Date
    @Column var size: Int
  }

  struct Tag: Model {
    @PrimaryKey var id: Int64?
    @Column var name: String
    @Column var size: Int
    static var schema: Schema<Tag> {
      Unique(\.$name)
      Check("positive") { $0.$size > 0 }
    }
  }

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    StatementTrace.shared.clear()
  }

  /// Runs a test, and removes the files. Records what it throws, which would end the process.
  static func run(_ test: (OwnStatements) throws -> Void) throws {
    let statements = try OwnStatements()
    defer { try? FileManager.default.removeItem(at: statements.folder) }
    do { try test(statements) } catch { Issue.record(error) }
  }

  /// Runs an asynchronous test, and removes the files.
  static func runAsync(_ test: (OwnStatements) async throws -> Void) async throws {
    let statements = try OwnStatements()
    defer { try? FileManager.default.removeItem(at: statements.folder) }
    do { try await test(statements) } catch { Issue.record(error) }
  }

  /// The path of the file that is traced.
  var path: String { path(StatementTrace.fileName) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Opens the file, migrates it and inserts rows; what that runs is not looked at.
  func open(rows: Int = 0, configuration: Configuration = Configuration()) throws -> Database {
    let db = try Database(
      path: path, models: [Author.self, Post.self], configuration: configuration)
    if rows > 0 {
      try db.insert((1...rows).map { Author(id: $0, name: "name \($0)") })
      try db.insert((1...rows).map { Post(id: $0, authorID: $0, title: "title") })
    }
    forget()
    return db
  }

  /// Opens another file of the same name, and runs SQL; what that runs is not looked at.
  func open(_ path: String, sql: String) throws -> Database {
    try FileManager.default.createDirectory(
      at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    let db = try Database(path: path)
    try db.execute(SQL(unsafe: sql))
    forget()
    return db
  }

  /// Forgets what ran so far.
  func forget() { StatementTrace.shared.clear() }

  /// The statements of a section of the page, one a line; `…` stands for any text.
  private func listed(_ section: String) throws -> [String] {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Documentation/OwnStatements.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let part = try #require(
      text.components(separatedBy: "\n## \(section)\n").dropFirst().first?
        .components(separatedBy: "\n## ").first, "no section \(section)")
    let block = part.components(separatedBy: "```")
    try #require(block.count == 3, "\(section) has one block of code")
    return block[1].split(separator: "\n").dropFirst().map(String.init)
  }

  /// Expects that what ran since the last call is what the sections list and what the test itself
  /// asked for, and that the latter ran.
  ///
  /// - Parameters:
  ///   - otherFiles: The sections that list what ran in files other than the traced one.
  ///   - memory: The sections that list what ran in databases in memory.
  ///   - count: The number of statements that ran; nil where threads decide it. `…` in a line stands for
  ///     many statements, and this is what sees one of them too often. BEGIN, COMMIT and what is listed as
  ///     opening and reading do not count: a reader may end its transaction after it has returned the
  ///     result, and another one is opened if none is free.
  func expect(
    _ sections: String..., asked: [String] = [], otherFiles: [String] = [], memory: [String] = [],
    count: Int? = nil, at location: SourceLocation = #_sourceLocation
  ) throws {
    var all: [String] = []
    for (place, sections) in [
      (StatementTrace.Place.database, sections), (.otherFile, otherFiles), (.memory, memory),
    ] {
      let ran = StatementTrace.shared.take(place)
      let own = try sections.flatMap(listed)
      for statement in ran where !(own + asked).contains(where: { Self.matches(statement, $0) }) {
        Issue.record(
          "\(sections) does not list, in \(place): \(statement)", sourceLocation: location)
      }
      all += ran
    }
    // Whether SQLite checks a table after it has added a column depends on its version.
    let uncounted =
      try ["BEGIN DEFERRED", "BEGIN IMMEDIATE", "COMMIT", "PRAGMA '…'.quick_check='…'"]
      + listed("Opening") + listed("Reading")
    let counted = all.filter { statement in
      !uncounted.contains { Self.matches(statement, $0) }
    }
    if let count, count != counted.count {
      Issue.record(
        "\(counted.count) statements ran, not \(count): \(counted)", sourceLocation: location)
    }
    for line in asked where !all.contains(where: { Self.matches($0, line) }) {
      Issue.record("it did not run: \(line)", sourceLocation: location)
    }
  }

  /// Whether a statement is the one of a line, in which `…` stands for any text.
  private static func matches(_ statement: String, _ line: String) -> Bool {
    var parts = line.components(separatedBy: "…")
    let last = parts.removeLast()
    guard !parts.isEmpty else { return statement == line }
    var rest = statement[...]
    guard rest.hasPrefix(parts[0]) else { return false }
    rest = rest.dropFirst(parts[0].count)
    for part in parts.dropFirst() {
      guard let found = rest.range(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(last)
  }
}
