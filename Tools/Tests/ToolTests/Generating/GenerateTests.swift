import Foundation
import ModelGenerator
import Testing

@Suite("Models that are written for existing files")
struct GenerateTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  func text(_ script: String) async throws -> String {
    let run = try await Command.apus("generate", try await folder.database(script).path)
    #expect(run.status == 0)
    return run.output
  }

  @Test("a table becomes a model, with all that its definition says")
  func table() async throws {
    let text = try await text(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL);
      CREATE TABLE blog_post (
        post_id TEXT PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author (id) ON DELETE CASCADE,
        title TEXT NOT NULL COLLATE NOCASE UNIQUE, views INTEGER NOT NULL DEFAULT 0 CHECK (views >= 0),
        doubled INTEGER GENERATED ALWAYS AS (views * 2) STORED, "class" REAL);
      CREATE INDEX by_author ON blog_post (author_id, views DESC);
      CREATE INDEX popular ON blog_post (title) WHERE views > 100;
      CREATE TRIGGER noted AFTER DELETE ON author BEGIN SELECT 1; END;
      """)
    let model = """
      /// A row of the table `blog_post`.
      struct BlogPost: Model {
        @PrimaryKey var postID: String
        @Column var authorID: Int
        @Column var title: String
        @Column var views: Int
        @Column var doubled: Int?
        @Column var `class`: Double?

        var id: String { postID }
        static let tableName = "blog_post"

        static var schema: Schema<BlogPost> {
          Named(\\.$postID, "post_id")
          Named(\\.$authorID, "author_id")
          Collated(\\.$title, .noCase)
          Default(\\.$views, sql: "0")
          Generated(\\.$doubled, .stored) { _ in SQLExpression(sql: "views * 2") }
          Unique(\\.$title)
          Index(name: "by_author") { $0.$authorID; $0.$views.descending }
          Index(\\.$title, name: "popular") { _ in SQLPredicate(sql: "views > 100") }
          ForeignKey(\\.$authorID, references: \\Author.$id, onDelete: .cascade)
          Check { _ in SQLPredicate(sql: "views >= 0") }
        }
      }

      """
    #expect(text.contains(model), "\(text)")
    #expect(text.contains("/// Trigger in the file: CREATE TRIGGER noted AFTER DELETE ON author"))
  }

  @Test("types follow the values: dates in their forms, UUIDs, booleans")
  func types() async throws {
    let text = try await text(
      """
      CREATE TABLE t (
        a DATETIME, b TEXT, c TEXT, d INTEGER, e INTEGER, f REAL, g BOOLEAN, h INTEGER, i TEXT, j BLOB,
        k TEXT, l NUMERIC(10, 2), m TEXT, n, created_at INTEGER, is_open INTEGER, day TEXT,
        modified REAL, uuid BLOB);
      INSERT INTO t VALUES (
        '2020-01-02 03:04:05', '2020-01-02T03:04:05.678Z', '2020-01-02 03:04:05.678', 1577934245,
        7, 1577934245.5, 1, 1, '01234567-89ab-cdef-0123-456789abcdef', x'00',
        '01234567-89AB-CDEF-0123-456789ABCDEF', 1.5, '{"a":1}', 'x', 1577934245000, 1, '2020-01-02',
        2458850.5, x'00112233445566778899AABBCCDDEEFF');
      """)
    for line in [
      "a: Date?", "b: Date?", "c: Date?", "d: Int?", "e: Int?", "f: Double?", "g: Bool?", "h: Int?",
      "i: UUID?", "j: Data?", "k: UUID?", "l: Double?", "m: String?", "n: String?",
      "createdAt: Date?", "isOpen: Bool?", "day: String?", "modified: Date?", "uuid: UUID?",
    ] {
      #expect(text.contains("  @Column var \(line)\n"), "\(line)")
    }
    for line in [
      "$a, as: .datetimeSeconds", "$b, as: .iso8601Milliseconds", "$c, as: .datetime",
      "$k, as: .uppercase", "$createdAt, as: .unixMilliseconds", "$modified, as: .julianDay",
      "$uuid, as: .bytes",
    ] {
      #expect(text.contains("Stored(\\.\(line))"), "\(line)")
    }
    for comment in [
      "all values are JSON", "all values are days", "all values are UUIDs; or String",
      "all values are dates as .iso8601Milliseconds; or String", "all values are 0 or 1",
      "all values are dates from 1980 to 2050 as .unixMilliseconds; or Int",
    ] {
      #expect(text.contains("// \(comment)"), "\(comment)")
    }
  }

  @Test("dates that no form writes keep their words, also in a column that prefers numbers")
  func dateTexts() async throws {
    let text = try await text(
      """
      CREATE TABLE t (
        a datetime NOT NULL, b date, c UNSIGNED LONG, d "MONEY", changed_at REAL);
      INSERT INTO t (a, b, changed_at)
        VALUES ('2020-01-02 03:04:05.678901', '2020-01-02', 2461368.09573751222336);
      """)
    for line in [
      "var a: DateText", "var b: DateText?", "var c: Int?", "var d: Double?",
      "var changedAt: Double?",
    ] {
      #expect(text.contains("  @Column \(line)\n"), "\(line) in \(text)")
    }
    #expect(text.contains("struct DateText: ColumnValue, Hashable {"))
    #expect(text.contains("// all values are dates as .julianDay, which Date would round"))
  }

  @Test("a few texts that occur often are suggested as an enumeration")
  func cases() async throws {
    let text = try await text(
      """
      CREATE TABLE t (status TEXT);
      INSERT INTO t SELECT CASE value % 3 WHEN 0 THEN 'draft' WHEN 1 THEN 'in' ELSE 'to_do' END
        FROM generate_series(1, 30);
      """)
    #expect(text.contains("case draft, `in`, toDo = \"to_do\" }"), "\(text)")
  }

  @Test("a table that cannot be a model says why, and its rows can be read")
  func rows() async throws {
    let file = try await folder.database(
      """
      CREATE TABLE mixed (a INTEGER, b TEXT);
      INSERT INTO mixed VALUES (1, 'a'), ('x', 'b');
      CREATE TABLE text (a STRING);
      INSERT INTO text VALUES ('007a');
      CREATE TABLE nullKey (a TEXT PRIMARY KEY);
      INSERT INTO nullKey VALUES (NULL), ('b');
      CREATE TABLE descending (a INTEGER PRIMARY KEY DESC);
      INSERT INTO descending VALUES (NULL), (1);
      CREATE VIEW names AS SELECT b FROM mixed;
      CREATE VIEW broken AS SELECT c FROM missing;
      CREATE VIRTUAL TABLE search USING fts5 (a);
      """)
    let run = try await Command.apus("generate", file.path)
    #expect(run.status == 0)
    for note in [
      "mixed is only read, by Mixed: a holds values of several storage classes: INTEGER, TEXT",
      "text is only read, by Text: a is declared STRING, so SQLite would turn a text",
      "names is only read, by Names: it is a view",
      "descending is only read, by Descending: its key is an integer that is not the rowid",
      "broken has no model: it cannot be read (no such table",
      "search is only read, by Search: it is a virtual table",
      "search_data has no model: a virtual table keeps its content there",
    ] {
      #expect(run.errors.contains("note: \(note)"), Comment(rawValue: run.errors))
    }
    #expect(run.output.contains("struct NullKey: TableModel"))
    #expect(run.output.contains("The key holds NULL"))
  }

  @Test("only of a view are the first rows read, and its comment says so")
  func firstRows() async throws {
    let text = try await text(
      """
      CREATE TABLE mixed (a INTEGER);
      INSERT INTO mixed SELECT iif(value = 1, 'one', value) FROM generate_series(1, 10001);
      CREATE VIEW numbers AS SELECT a FROM mixed WHERE a <> 'one';
      CREATE VIEW many AS SELECT a FROM mixed;
      """)
    let comments = text.components(separatedBy: "\n\n").filter {
      $0.contains("Only its first rows were read, so that types may be too narrow.")
    }
    #expect(comments.count == 1 && comments[0].contains("A row of the view `many`"), "\(text)")
  }

  @Test("names that Swift or Apus needs are given up, and names that collide are numbered")
  func names() async throws {
    let text = try await text(
      """
      CREATE TABLE "column" ("self" TEXT, "a b" TEXT, "a_b" TEXT, "1st" TEXT, "" TEXT, "😀" TEXT,
        id TEXT, "class" TEXT, key INTEGER PRIMARY KEY);
      CREATE TABLE "Column Row" (a);
      CREATE TABLE "String" (a);
      """)
    for line in [
      "struct ColumnRow: Model {", "struct ColumnRow2: TableModel {",
      "struct StringRow: TableModel",
      "var selfColumn: String?", "var aB: String?", "var aB2: String?", "var column1st: String?",
      "var column: String?", "var idColumn: String?", "var `class`: String?",
      "@PrimaryKey var key: Int?", "var id: Int? { key }", "whose name is empty",
    ] {
      #expect(text.contains(line), "\(line) in:\n\(text)")
    }
  }

  @Test("a folder gets one file for each table, and nothing is replaced without --force")
  func files() async throws {
    let file = try await folder.database("CREATE TABLE a (x); CREATE TABLE b (y);").path
    let output = folder.file("Models").path
    #expect(try await Command.apus("generate", file, "--output", output).status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: output).sorted()
    #expect(names == ["A.swift", "AllModels.swift", "B.swift"])
    let again = try await Command.apus("generate", file, "--output", output)
    #expect(again.status == 1 && again.errors.contains("--force"))
    #expect(
      try await Command.apus("generate", file, "--output", output, "--force").status == 0)
    let one = try await Command.apus("generate", file, "--tables", "B")
    #expect(one.output.contains("struct B:") && !one.output.contains("struct A:"))
    #expect(try await Command.apus("generate", file, "--tables", "c").status == 1)
  }
}
