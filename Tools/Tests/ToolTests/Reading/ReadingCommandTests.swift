import Foundation
import Testing

@Suite("The commands that read, beside the sqlite3 shell")
struct ReadingCommandTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  func blog() async throws -> String {
    try await folder.database(
      named: "\(UUID().uuidString).sqlite",
      """
      CREATE TABLE Author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE Post (id INTEGER PRIMARY KEY, author INTEGER REFERENCES Author (id), title TEXT,
        status TEXT, size REAL, data BLOB);
      CREATE INDEX byAuthor ON Post (author);
      CREATE VIEW Titles AS SELECT title FROM Post;
      CREATE TRIGGER noted AFTER INSERT ON Post BEGIN UPDATE Author SET name = name; END;
      INSERT INTO Author VALUES (1, 'Jane'), (2, '日本語');
      INSERT INTO Post SELECT value, 1 + value % 2, 'Post ' || value, 'draft', value / 2.0, x'00FF'
        FROM generate_series(1, 300);
      INSERT INTO Post VALUES (1000, NULL, '', NULL, 9e999, x'');
      """
    ).path
  }

  @Test("tables lists tables and views, with the rows of tables")
  func tables() async throws {
    let run = try await Command.apus("tables", blog(), "--csv")
    #expect(run.status == 0)
    #expect(
      run.output
        == "name,kind,columns,rows\r\nAuthor,table,2,2\r\nPost,table,6,301\r\nTitles,view,1,\r\n")
    let short = try await Command.apus("tables", blog(), "--no-rows", "--json")
    #expect(
      short.output.contains(#"{"name": "Post", "kind": "table", "columns": 6, "rows": null}"#))
  }

  @Test("schema prints what the shell prints, and can be run")
  func schema() async throws {
    let file = try await blog()
    let run = try await Command.apus("schema", file)
    let copy = try await folder.database(named: "copy.sqlite", run.output)
    let sql = "SELECT type, name, sql FROM sqlite_schema ORDER BY name;"
    #expect(
      try await Command.sqlite(copy, sql) == Command.sqlite(URL(filePath: file), sql))
    let one = try await Command.apus("schema", file, "post")
    #expect(one.output.contains("byAuthor") && one.output.contains("noted"))
    #expect(!one.output.contains("CREATE TABLE Author"))
  }

  @Test("show and query give the rows that the shell gives, as JSON and as CSV")
  func rows() async throws {
    let file = try await blog()
    let shown = try await Command.apus("show", file, "Post", "--json")
    let rows = try #require(
      JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [[String: Any]])
    #expect(rows.count == 301)
    #expect(rows[0]["title"] as? String == "Post 1")
    #expect(rows[0]["data"] as? String == "AP8=")
    #expect(rows[300]["author"] is NSNull)
    #expect(rows[300]["size"] as? String == "inf")
    let sql = "SELECT id, title, size FROM Post WHERE id < 300 ORDER BY id DESC"
    let run = try await Command.apus("query", file, sql, "--csv")
    let shell = try await Command.sqlite(URL(filePath: file), ".mode csv\n.headers on\n\(sql);")
    // The shell quotes texts with a space.
    #expect(
      run.output.replacing("\r\n", with: "\n")
        == shell.replacing("\"", with: "").replacing("\r\n", with: "\n"))
  }

  @Test("show takes columns, a condition, an order and a limit")
  func options() async throws {
    let file = try await blog()
    let run = try await Command.apus(
      "show", file, "post", "--columns", "ID, title", "--where", "author = 2", "--order", "id DESC",
      "--limit", "2", "--csv")
    #expect(run.output == "id,title\r\n299,Post 299\r\n297,Post 297\r\n")
    let table = try await Command.apus("show", file, "Post", "--limit", "2")
    #expect(table.output.contains("2 rows, 6 columns") && table.output.contains("--limit"))
    let all = try await Command.apus("show", file, "Author", "--limit", "2")
    #expect(!all.output.contains("--limit"))
  }

  @Test("NULL, an empty text and an empty BLOB differ from each other in CSV")
  func empty() async throws {
    let run = try await Command.apus(
      "query", blog(), "SELECT NULL, '', x'', 'a,\"b\"', ' c'", "--csv")
    #expect(run.output.hasSuffix("\r\n,\"\",\"\",\"a,\"\"b\"\"\",\" c\"\r\n"))
  }

  @Test("columns of the same name have different keys in JSON")
  func keys() async throws {
    let run = try await Command.apus("query", blog(), "SELECT 1 AS a, 2 AS a, 3 AS a_2", "--json")
    #expect(run.output == "[\n  {\"a\": 1, \"a_2\": 2, \"a_2_2\": 3}\n]\n")
  }

  @Test("explain shows the plan as a tree, and the index that is missing")
  func explain() async throws {
    let sql = "SELECT * FROM Post JOIN Author ON Author.id = author WHERE status = 'x'"
    let run = try await Command.apus("explain", blog(), sql)
    #expect(run.status == 0)
    #expect(run.output.contains("├─ SCAN Post\n└─ SEARCH Author USING INTEGER PRIMARY KEY"))
    #expect(run.output.contains("missing index:\n  CREATE INDEX \"Post_on_status"))
    let found = try await Command.apus("explain", blog(), "SELECT * FROM Post WHERE author = 1")
    #expect(found.output == "└─ SEARCH Post USING INDEX byAuthor (author=?)\n")
    let union = try await Command.apus(
      "explain", blog(), "SELECT 1 UNION SELECT id FROM Author", "--json")
    #expect(union.output.contains(#""kind": "step""#))
  }

  @Test("stats gives the sizes that dbstat gives")
  func statistics() async throws {
    let file = try await blog()
    let run = try await Command.apus("stats", file, "--csv")
    let shell = try await Command.sqlite(
      URL(filePath: file),
      "SELECT name || ',' || sum(pgsize) FROM dbstat GROUP BY name ORDER BY name;")
    let sizes = run.output.replacing("\r\n", with: "\n").split(separator: "\n").dropFirst()
      .map { $0.split(separator: ",") }.map { "\($0[0]),\($0[3])" }.sorted()
    #expect(sizes == shell.split(separator: "\n").map(String.init))
    let json = try await Command.apus("stats", file, "--json")
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [[String: Any]]])
    #expect(object["file"]?.first?["journal_mode"] as? String == "wal")
    #expect(object["trees"]?.first?["name"] as? String == "Post")
  }

  @Test("stats counts the rows of each table and index, also those on inner pages")
  func entries() async throws {
    let file = try await folder.database(
      named: "large.sqlite",
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, text TEXT);
      CREATE INDEX byText ON Note (text);
      CREATE TABLE Tag (name TEXT PRIMARY KEY) WITHOUT ROWID;
      INSERT INTO Note SELECT value, 'note ' || value FROM generate_series(1, 20000);
      INSERT INTO Tag SELECT text FROM Note;
      """)
    let run = try await Command.apus("stats", file.path, "--csv")
    let lines = run.output.replacing("\r\n", with: "\n").split(separator: "\n").dropFirst()
    let entries = Dictionary(
      uniqueKeysWithValues: lines.map { $0.split(separator: ",") }.map { ($0[0], $0[5]) })
    for name in ["Note", "byText", "Tag"] { #expect(entries[name[...]] == "20000", "\(name)") }
  }

  @Test("nothing is written, whatever the statement")
  func readOnly() async throws {
    let file = try await blog()
    for sql in [
      "DELETE FROM Post", "PRAGMA user_version = 3", "ATTACH 'other.sqlite' AS other",
      "SELECT 1; DELETE FROM Post", "PRAGMA query_only = 0",
    ] {
      let run = try await Command.apus("query", file, sql)
      #expect(run.status == 1, "\(sql): \(run.output)")
      #expect(run.errors.hasPrefix("apus: "))
      #expect(!run.errors.contains("Configuration."), "\(run.errors)")
    }
    let shell = try await Command.sqlite(
      URL(filePath: file), "SELECT count(*) FROM Post; PRAGMA user_version;")
    #expect(shell == "301\n0\n")
  }

  @Test("a mistake ends with its status, and a message that helps")
  func mistakes() async throws {
    let file = try await blog()
    let table = try await Command.apus("show", file, "Pots")
    #expect(table.status == 1)
    #expect(
      table.errors == "apus: there is no table or view Pots; there are: Author, Post, Titles\n")
    let column = try await Command.apus("show", file, "Author", "--columns", "nmae")
    #expect(column.errors == "apus: Author has no column nmae; there are: id, name\n")
    let missing = try await Command.apus("tables", folder.file("none.sqlite").path)
    #expect(missing.status == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.file("none.sqlite").path))
    #expect(try await Command.apus("tables").status == 2)
    #expect(try await Command.apus("tables", file, "--json", "--csv").status == 2)
    #expect(try await Command.apus("nothing").status == 2)
  }

  @Test("a path that looks like a URI is a path")
  func uri() async throws {
    let run = try await Command.apus("tables", "file::memory:?cache=shared")
    #expect(run.status == 1)
  }

  @Test("a file that cannot be read has a sentence about it, without names of the library")
  func words() async throws {
    let file = try await blog()
    let text = folder.file("text.txt").path
    try Data("This is no database, but a text that is long enough to be one.".utf8)
      .write(to: URL(filePath: text))
    let none = folder.file("none.sqlite").path
    let link = folder.file("link.sqlite").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: none)
    for (path, message) in [
      (text, "\(text) is not an SQLite database"), (none, "\(none) does not exist"),
      (folder.url.path, "\(folder.url.path) is a folder, not a file"),
      (link, "\(link) is a link to \(none), which does not exist"),
    ] {
      for arguments in [
        ["tables"], ["check"], ["schema"], ["stats"], ["log"], ["watch"], ["generate"],
        ["query", "SELECT 1"], ["export", "t"], ["import", "t", "-"], ["backup", "copy.sqlite"],
      ] {
        let run = try await Command.run(
          Command.product("apus"), [arguments[0], path] + arguments.dropFirst())
        #expect(run.status == 1)
        #expect(run.errors == "apus: \(message)\n", "\(arguments)")
      }
    }
    for arguments in [
      ["query", file, "DELETE FROM Post"], ["query", file, "SELECT foo FROM Post"],
      ["query", file, "ATTACH 'x' AS y"], ["backup", file, file], ["log", file],
      ["backup", file, folder.file("missing/copy.sqlite").path],
      ["query", file, "SELECT 1; SELECT 2"],
      ["export", file, "Post", "--output", folder.file("missing/x.csv").path],
      ["import", file, "Author", none], ["query", file, ""], ["explain", file, "SELEC"],
    ] {
      let run = try await Command.run(Command.product("apus"), arguments)
      #expect(run.status == 1 && run.errors.hasPrefix("apus: "), "\(arguments)")
      for name in [
        "Configuration", "isReadOnly", "busyTimeout", "models:", "write {", "SQLite error",
        "createDirectory", "`db.", "connection.", "execute", "overwriting",
      ] {
        #expect(!run.errors.contains(name), "\(arguments): \(run.errors)")
      }
    }
    let column = try await Command.apus("query", file, "SELECT foo FROM Post")
    #expect(
      column.errors == "apus: no such column: foo\n  in: SELECT foo FROM Post\n             ^\n")
    let output = try await Command.apus("export", file, "Post", "--output", "nosuch/x.csv")
    #expect(
      output.errors == "apus: the folder nosuch does not exist; create it first, with "
        + "`mkdir -p 'nosuch'`\n")
  }

  @Test(
    "a file alone shows its tables, a misspelt command has a suggestion, and there is a version")
  func arguments() async throws {
    let file = try await blog()
    let alone = try await Command.apus(file, "--csv")
    #expect(alone.status == 0)
    #expect(try await alone.output == Command.apus("tables", file, "--csv").output)
    for (word, command) in [
      ("tabels", "tables"), ("shwo", "show"), ("quer", "query"), ("dif", "diff"),
    ] {
      let run = try await Command.apus(word, file)
      #expect(run.status == 2)
      #expect(run.errors == "apus: there is no command \(word); did you mean `\(command)`?\n")
    }
    #expect(try await Command.apus("none.sqlite").errors == "apus: none.sqlite does not exist\n")
    #expect(try await Command.apus("frobnicate").errors.contains("`apus --help` lists"))
    let version = try await Command.apus("--version")
    #expect(
      version.output.wholeMatch(of: /apus \d+\.\d+\.\d+(-dev)?, with SQLite 3\.[\d.]+\n/) != nil)
    // The changelog says which version comes after the last one.
    var folder = URL(filePath: #filePath)
    while !FileManager.default.fileExists(atPath: folder.appending(path: "CHANGELOG.md").path) {
      folder.deleteLastPathComponent()
    }
    let log = try String(contentsOf: folder.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let last = try #require(log.firstMatch(of: /\n## \[(\d+\.\d+\.\d+)\]/)).1
    let isNext = log.contains("\n## [Unreleased]")
    #expect(version.output.contains("-dev") == isNext)
    #expect(version.output.contains("apus \(last)") == !isNext)
  }

  @Test("a statement may come from the standard input")
  func standardInput() async throws {
    let file = try await blog()
    let sql = "-- The first post.\nSELECT title\nFROM Post LIMIT 1;\n-- The end.\n"
    #expect(
      try await Command.apus("query", file, "-", "--csv", input: sql).output
        == "title\r\nPost 1\r\n")
    #expect(
      try await Command.apus("export", file, "--query", "-", input: sql).output
        == "title\r\nPost 1\r\n")
    #expect(try await Command.apus("explain", file, "-", input: sql).output == "└─ SCAN Post\n")
  }

  @Test("a table whose name is empty is shown, exported and filled, and messages name it")
  func emptyName() async throws {
    let file = try await folder.database(
      #"CREATE TABLE "" (a, b NOT NULL); INSERT INTO "" VALUES (1, 'x');"#
    ).path
    #expect(try await Command.apus("show", file, "", "--csv").output == "a,b\r\n1,x\r\n")
    #expect(
      try await Command.apus("schema", file, "").output == "CREATE TABLE \"\" (a, b NOT NULL);\n")
    #expect(try await Command.apus("import", file, "", "-", input: "a,b\n2,y\n").status == 0)
    #expect(try await Command.apus("export", file, "").output == "a,b\r\n1,x\r\n2,y\r\n")
    let column = try await Command.apus("import", file, "", "-", input: "c\n2\n")
    #expect(column.errors.contains("line 1: \"\" has no column c"), "\(column.errors)")
    let table = try await Command.apus("show", file, "x")
    #expect(table.errors == "apus: there is no table or view x; there are: \"\"\n")
    #expect(
      try await Command.apus("export", try blog(), "").errors.contains("no table or view \"\""))
  }

  @Test("each command has help with examples")
  func help() async throws {
    let root = try await Command.apus("--help")
    #expect(root.status == 0 && root.output.contains("EXIT STATUS"))
    for command in [
      "tables", "schema", "show", "query", "explain", "check", "stats", "diff", "watch", "log",
      "export", "import", "backup", "generate",
    ] {
      #expect(root.output.contains("  \(command) "))
      let help = try await Command.apus(command, "--help")
      #expect(help.status == 0)
      #expect(help.output.contains("EXAMPLES:\n  apus \(command) "), "\(command)")
    }
    let completions = try await Command.apus("--generate-completion-script", "bash")
    #expect(completions.status == 0 && completions.output.contains("_apus"))
  }
}
