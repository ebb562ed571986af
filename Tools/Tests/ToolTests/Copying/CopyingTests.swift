import Foundation
import Testing

@Suite("Backup, export and import")
struct CopyingTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, "a b" TEXT, r REAL, n NUMERIC, d BLOB, twice INT AS (id * 2));
    """

  func full() async throws -> URL {
    try await folder.database(
      named: "full.sqlite",
      Self.schema + """
        INSERT INTO t VALUES (1, 'x', 1.5, 2, x'00FF'), (2, '', 9e999, NULL, x''), (3, NULL, -9e999, 1e300, NULL),
          (4, 'a,"b"' || char(13, 10) || 'c', 0.1, -1, x'20'), (9223372036854775807, ' é ', 3, 7.25, NULL),
          (-9007199254740993, 'inf', NULL, 0, NULL);
        """)
  }

  func contents(_ file: URL) async throws -> String {
    try await Command.sqlite(
      file, #"SELECT id, quote("a b"), quote(r), quote(n), quote(d), typeof(n) FROM t ORDER BY id;"#
    )
  }

  @Test("what export writes, import reads back", arguments: ["csv", "json"])
  func roundTrip(format: String) async throws {
    let file = try await full()
    let rows = folder.file("rows.\(format)")
    let export = try await Command.apus("export", file.path, "T", "--output", rows.path)
    #expect(export.status == 0 && export.errors.contains("6 rows were written"))
    let copy = try await folder.database(named: "copy.sqlite", Self.schema)
    let run = try await Command.apus("import", copy.path, "t", rows.path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors
        == "note: twice is calculated by the table, and was left out\n6 rows were imported\n")
    #expect(try await contents(copy) == contents(file))
    let again = try await Command.apus("export", file.path, "T", "--output", rows.path)
    #expect(again.status == 1 && again.errors.contains("--force"))
    let piped = try await Command.apus("export", file.path, "t", "--\(format)")
    #expect(Data(piped.output.utf8) == (try Data(contentsOf: rows)))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy {
        !$0.hasSuffix(".part")
      })
  }

  @Test("one column of NULLs, and the rows of a statement")
  func narrow() async throws {
    let file = try await folder.database(
      "CREATE TABLE one (a TEXT); INSERT INTO one VALUES (NULL), ('x'), (''), (NULL);")
    let csv = try await Command.apus("export", file.path, "--query", "SELECT a AS A FROM one")
    #expect(csv.output == "A\r\n\r\nx\r\n\"\"\r\n\r\n")
    let run = try await Command.apus("import", file.path, "one", "-", input: csv.output)
    #expect(run.status == 0)
    #expect(try await Command.sqlite(file, "SELECT count(*), count(a) FROM one;") == "8|4\n")
    #expect(try await Command.apus("export", file.path).status == 2)
  }

  @Test("a mistake names its line, and nothing is imported")
  func mistakes() async throws {
    let file = try await folder.database(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY);
      CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, d BLOB, p INTEGER REFERENCES p (id));
      INSERT INTO t VALUES (1, 'kept', NULL, NULL);
      CREATE VIEW v AS SELECT * FROM t;
      """)
    for (input, format, message) in [
      ("id,name\n2,a\n1,b\n", "--csv", "line 3: UNIQUE constraint failed: t.id"),
      ("id,name\n2,a\n3\n", "--csv", "line 3: 1 fields, and there are 2 columns"),
      ("id,nmae\n2,a\n", "--csv", "line 1: t has no column nmae; there are: id, name, d, p"),
      ("id,ID\n2,a\n", "--csv", "the column ID occurs twice"),
      ("id,name\n2,\"a\nb\n", "--csv", "line 2: a quoted field has no closing quotation mark"),
      ("id,name\n2,\"a\"b\n", "--csv", "line 2: after a quoted field"),
      ("id,name,d\n2,a,?\n", "--csv", "line 2: d is a BLOB, and the text is not base64"),
      ("id,name,p\n2,a,7\n", "--csv", "FOREIGN KEY constraint failed"),
      ("id,name\n2,\n", "--csv", "line 2: NOT NULL constraint failed: t.name"),
      ("[{\"id\": 2, \"name\": \"a\"}", "--json", "the array has no end"),
      ("[{\"id\": 2, \"name\": \"a\"},\n{\"id\": }]", "--json", "line 2: not a JSON value"),
      (
        "[{\"name\": \"x\"},\n{\"id\": 2,\n \"id\": 3}]", "--json",
        "line 2: the object has the member id twice"
      ),
      ("{\"id\": 2,\n \"name\": \"a\"", "--json", "line 1: the object has no end"),
      ("[1]", "--json", "line 1: this is not an array of objects"),
      ("{\"x\": 1}", "--json", "line 1: t has no column x"),
    ] {
      let run = try await Command.apus("import", file.path, "t", "-", format, input: input)
      #expect(run.status == 1 && run.errors.contains(message), "\(input): \(run.errors)")
      #expect(run.errors.contains("nothing was imported"))
    }
    #expect(try await Command.sqlite(file, "SELECT * FROM t;") == "1|kept||\n")
    let view = try await Command.apus("import", file.path, "v", "-", input: "id\n")
    #expect(view.errors.contains("v is a view"))
    let missing = folder.file("missing.sqlite").path
    #expect(try await Command.apus("import", missing, "t", "-", input: "id\n").status == 1)
    #expect(!FileManager.default.fileExists(atPath: missing))
  }

  @Test("rows that exist are ignored or replaced if that is asked for; other forms of input")
  func options() async throws {
    let file = try await folder.database(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'old');")
    let rows = "1;new\n2;b\n"
    func run(_ conflict: String) async throws -> String {
      let run = try await Command.apus(
        "import", file.path, "t", "-", "--columns", "id,a", "--separator", ";", "--on-conflict",
        conflict, input: rows)
      #expect(run.status == 0, "\(run.errors)")
      return try await Command.sqlite(file, "SELECT * FROM t;")
    }
    #expect(try await run("ignore") == "1|old\n2|b\n")
    #expect(try await run("replace") == "1|new\n2|b\n")
    let lines = "\u{FEFF}{\"id\": 3, \"a\": {\"x\": [\"}\\\"\"]}}\n{\"a\": true}\n"
    #expect(
      try await Command.apus("import", file.path, "t", "-", "--json", input: lines).status == 0)
    #expect(
      try await Command.sqlite(file, "SELECT * FROM t WHERE id > 2;")
        == "3|{\"x\": [\"}\\\"\"]}\n4|1\n")
  }

  @Test("rows that were ignored are not counted as imported, and what a replacement deletes is")
  func counts() async throws {
    let file = try await folder.database(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT UNIQUE, c NOT NULL DEFAULT 1);
      CREATE TABLE note (id INTEGER PRIMARY KEY, t REFERENCES t (id) ON DELETE CASCADE);
      INSERT INTO t VALUES (1, 'a', 'a', 1), (2, 'b', 'b', 1), (3, 'c', 'c', 1);
      INSERT INTO note VALUES (1, 1), (2, 1), (3, 2), (4, 3);
      """)
    func run(_ conflict: String, _ rows: String) async throws -> String {
      let run = try await Command.apus(
        "import", file.path, "t", "-", "--columns", "id,a,b,c", "--on-conflict", conflict,
        input: rows)
      #expect(run.status == 0, "\(run.errors)")
      return run.errors
    }
    #expect(
      try await run("ignore", "1,x,y,1\n9,a,y,1\n8,h,h,\n7,g,g,1\n")
        == "1 row was imported\n3 rows were ignored, because of a constraint\n")
    #expect(try await run("ignore", "6,f,f,1\n") == "1 row was imported\n")
    // One row takes the place of two others, which have three notes; the other one of itself.
    #expect(
      try await run("replace", "10,a,b,1\n7,g,new,1\n")
        == """
        2 rows were imported
        note: 3 rows were deleted, since others replace them
        t: 3 rows were deleted, since others replace them

        """)
    #expect(try await run("replace", "11,i,i,1\n") == "1 row was imported\n")
    #expect(try await Command.sqlite(file, "SELECT count(*) FROM note;") == "1\n")
  }

  @Test("a number keeps its digits, or is refused with its line; a text is never a number")
  func digits() async throws {
    let file = try await folder.database(
      "CREATE TABLE t (i INTEGER, r REAL, n NUMERIC, x TEXT, u, b BLOB);")
    // Refused: too long for the column, and nothing is imported.
    for (column, number) in [
      ("i", "11898508762506083287"), ("n", "11898508762506083287"), ("r", "9007199254740993"),
      ("r", "11898508762506083287"), ("r", "1e400"), ("i", "1e400"), ("n", "-1e400"),
      ("r", "0.1234567890123456789"), ("n", "0.1234567890123456789"), ("r", "1e-400"),
    ] {
      for (format, rows) in [
        ("--csv", "\(column)\n1\n\(number)\n"),
        ("--json", "[{\"\(column)\": 1},\n\n{\"\(column)\": \(number)}]"),
        ("--json", "{\"\(column)\": 1}\n\n{\"\(column)\": \"\(number)\"}"),
      ] {
        let run = try await Command.apus("import", file.path, "t", "-", format, input: rows)
        #expect(
          run.status == 1 && run.errors.contains("line 3: \(column) is ")
            && run.errors.contains("would lose digits of \(number)"), "\(rows): \(run.errors)")
      }
    }
    #expect(try await Command.sqlite(file, "SELECT count(*) FROM t;") == "0\n")
    let csv = """
      i,r,n,x,u
      9007199254740993,0.10000000000000001,1.10,1.10,1.10
      007,1557E9,9007199254740993,11898508762506083287,11898508762506083287
      +5,0.5,1e5,1e400,1e400
       5,-0,0x10,007,0.1234567890123456789
      1.5,inf,1_000,9007199254740993,NaN

      """
    let run = try await Command.apus("import", file.path, "t", "-", input: csv)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      try await Command.sqlite(
        file, "SELECT quote(i), quote(r), quote(n), quote(x), quote(u) FROM t;")
          == """
          9007199254740993|0.1|1.1|'1.10'|'1.10'
          7|1557000000000.0|9007199254740993|'11898508762506083287'|'11898508762506083287'
          5|0.5|100000|'1e400'|'1e400'
          5|0.0|'0x10'|'007'|'0.1234567890123456789'
          1.5|Inf|'1_000'|'9007199254740993'|'NaN'

          """)
    try await Command.sqlite(file, "DELETE FROM t;")
    let json = """
      {"i": 9007199254740993, "r": 1.10, "n": 1e5, "x": 11898508762506083287, "u": 1e400}
      {"i": 1, "r": 3, "n": "1.10", "x": 0.12345678901234567, "u": "1.10"}
      """
    let objects = try await Command.apus("import", file.path, "t", "-", "--json", input: json)
    #expect(objects.status == 0, "\(objects.errors)")
    #expect(
      try await Command.sqlite(file, "SELECT i, r, n, quote(x), quote(u) FROM t;")
        == """
        9007199254740993|1.1|100000|'11898508762506083287'|'1e400'
        1|3.0|1.1|'0.12345678901234567'|'1.10'

        """)
  }

  @Test(
    "a text that is not UTF-8 is no row of a file, and its bytes are", arguments: ["csv", "json"])
  func brokenText(format: String) async throws {
    let file = try await folder.database(
      "CREATE TABLE t (id INTEGER, name TEXT); INSERT INTO t VALUES (1, 'a'), (2, CAST(x'ff41' AS TEXT));"
    )
    let output = folder.file("t.\(format)")
    for arguments in [
      ["export", file.path, "t", "--output", output.path], ["show", file.path, "t", "--\(format)"],
      ["query", file.path, "SELECT * FROM t", "--\(format)"],
    ] {
      let run = try await Command.run(Command.product("apus"), arguments)
      #expect(run.status == 1)
      #expect(run.errors.contains("row 2, name: the text is not UTF-8"), "\(run.errors)")
      #expect(run.errors.contains("CAST(name AS BLOB)"))
      #expect(!run.output.contains("\u{FFFD}"))
    }
    #expect(!FileManager.default.fileExists(atPath: output.path))
    let bytes = try await Command.apus(
      "export", file.path, "--query", "SELECT CAST(name AS BLOB) AS name FROM t", "--\(format)")
    #expect(bytes.status == 0 && bytes.output.contains("/0E="))
    let table = try await Command.apus("show", file.path, "t")
    #expect(table.status == 0 && table.output.contains("\u{FFFD}A"))
  }

  @Test("texts with U+0000, and every REAL, are written and read back", arguments: ["csv", "json"])
  func exact(format: String) async throws {
    let schema = "CREATE TABLE t (a TEXT, \"b'c\" TEXT, r REAL, s REAL, d BLOB, u);"
    let file = try await folder.database(
      named: "exact.sqlite",
      schema + """
        INSERT INTO t VALUES ('x' || char(0) || 'y', char(0), 0.1, 1e-320, x'00', 'é' || char(0)),
          (char(0, 0) || '"', ',' || char(0), 1.7976931348623157e308, 0.30000000000000004, x'', NULL),
          ('', char(10, 0, 13), 9007199254740993.0, 123456789012345680.0, NULL, 'u');
        """)
    let select =
      #"SELECT hex(a), hex("b'c"), printf('%!.17g', r), r = s, hex(d), typeof(d), hex(u) FROM t;"#
    let first = try await Command.apus("export", file.path, "t", "--\(format)")
    let copy = try await folder.database(named: "copy.sqlite", schema)
    let run = try await Command.apus(
      "import", copy.path, "t", "-", "--\(format)", input: first.output)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try await Command.sqlite(copy, select) == Command.sqlite(file, select))
    #expect(try await Command.apus("export", copy.path, "t", "--\(format)").output == first.output)
  }

  @Test(
    "the journal mode of the file stays, and its triggers are trusted only if that is asked for")
  func trust() async throws {
    let file = folder.file("search.sqlite")
    try await Command.sqlite(
      file,
      """
      CREATE TABLE t (a TEXT); CREATE VIRTUAL TABLE search USING fts5 (a);
      CREATE TRIGGER fill AFTER INSERT ON t BEGIN INSERT INTO search VALUES (new.a); END;
      """)
    let refused = try await Command.apus("import", file.path, "t", "-", input: "a\nx\n")
    #expect(refused.status == 1 && refused.errors.contains("--trust"), "\(refused.errors)")
    let run = try await Command.apus("import", file.path, "t", "-", "--trust", input: "a\nx\n")
    #expect(run.status == 0, "\(run.errors)")
    let header = try Data(contentsOf: file)
    #expect(header[18] == 1 && header[19] == 1)
    #expect(try await Command.sqlite(file, "SELECT count(*) FROM search('x');") == "1\n")
  }

  @Test("a backup is the same file, and replaces another one only if that is asked for")
  func backup() async throws {
    let file = try await full()
    let copy = folder.file("copy.sqlite")
    let run = try await Command.apus("backup", file.path, copy.path)
    #expect(run.status == 0 && run.errors.contains("pages were copied"))
    #expect(try await Command.apus("diff", file.path, copy.path).status == 0)
    let again = try await Command.apus("backup", file.path, copy.path)
    #expect(again.status == 1 && again.errors.contains("--force replaces it"), "\(again.errors)")
    #expect(try await Command.apus("backup", file.path, copy.path, "--force").status == 0)
  }
}
