import Foundation
import Testing

@Suite("The differences of virtual tables")
struct VirtualTableTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Makes two files by a script, and changes the second one by another script.
  func files(_ script: String, changedBy changes: String) async throws -> (old: URL, new: URL) {
    (
      try await folder.database(named: "old.sqlite", script),
      try await folder.database(named: "new.sqlite", script + changes)
    )
  }

  /// Makes a table of a module that SQLite lacks.
  static let missingModule = """
    .dbconfig defensive off
    PRAGMA writable_schema = ON;
    INSERT INTO sqlite_schema VALUES
      ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING missing_module(e)');

    """

  @Test("the text that a full-text table stores is compared")
  func ownText() async throws {
    let (old, new) = try await files(
      """
      CREATE VIRTUAL TABLE search USING fts5(title, body);
      INSERT INTO search VALUES ('one', 'a'), ('two', 'b'), ('three', 'c');

      """,
      changedBy: """
        UPDATE search SET body = 'A' WHERE rowid = 1;
        DELETE FROM search WHERE rowid = 2;
        INSERT INTO search VALUES ('four', NULL);
        """)
    let expected = """
      search_content
      ~ 1  c1: 'a' → 'A'
      - 2  id: 2, c0: 'two', c1: 'b'
      + 4  id: 4, c0: 'four', c1: NULL

      """
    let run = try await Command.apus("diff", old.path, new.path)
    #expect(run.status == 3 && run.output == expected, "\(run.output)")
    let named = try await Command.apus("diff", old.path, new.path, "--tables", "Search")
    #expect(named.status == 3 && named.output == expected, "\(named.output)")
    // The index changes, and the text does not.
    let rebuilt = folder.file("rebuilt.sqlite")
    try await Command.sqlite(old, "VACUUM INTO '\(rebuilt.path)';")
    try await Command.sqlite(
      rebuilt, "UPDATE search SET title = title; INSERT INTO search (search) VALUES ('optimize');")
    let same = try await Command.apus("diff", old.path, rebuilt.path)
    #expect(same.status == 0 && same.output == "no difference was found\n", "\(same.output)")
  }

  @Test("FTS3 and FTS4 store their text, and the language of a row, in the same way")
  func olderModules() async throws {
    let (old, new) = try await files(
      """
      CREATE VIRTUAL TABLE three USING fts3(a);
      CREATE VIRTUAL TABLE four USING fts4(a, languageid="lid");
      INSERT INTO four (a, lid) VALUES ('x', 1);

      """, changedBy: "INSERT INTO three VALUES ('y'); UPDATE four SET lid = 2;")
    let run = try await Command.apus("diff", old.path, new.path)
    #expect(
      run.output == """
        three_content
        + 1  docid: 1, c0a: 'y'
        four_content
        ~ 1  langid: 1 → 2

        """)
  }

  @Test(
    "of external content, the table that has it is compared",
    arguments: ["fts5(title, content='Post', content_rowid='id')", "fts4(title, content=\"Post\")"])
  func externalContent(module: String) async throws {
    let (old, new) = try await files(
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY, title TEXT, views INTEGER);
      CREATE VIRTUAL TABLE search USING \(module);
      CREATE VIRTUAL TABLE words USING \(module.hasPrefix("fts5") ? "fts5vocab" : "fts4aux")\
      (search\(module.hasPrefix("fts5") ? ", row" : ""));

      """,
      changedBy: """
        INSERT INTO Post VALUES (1, 'one', 0); INSERT INTO search (rowid, title) VALUES (1, 'one');
        """)
    let run = try await Command.apus("diff", old.path, new.path)
    #expect(run.status == 3 && run.output == "Post\n+ 1  id: 1, title: 'one', views: 0\n")
  }

  @Test("a table of external content is compared whole, also if it is named like a shadow table")
  func contentTable() async throws {
    let (old, new) = try await files(
      """
      CREATE TABLE search_content (id INTEGER PRIMARY KEY, title TEXT, views INTEGER);
      CREATE VIRTUAL TABLE search USING fts5(title, content='search_content', content_rowid='id');
      INSERT INTO search_content VALUES (1, 'one', 0);

      """, changedBy: "UPDATE search_content SET views = 1;")
    let run = try await Command.apus("diff", old.path, new.path)
    #expect(run.status == 3 && run.output == "search_content\n~ 1  views: 0 → 1\n")
  }

  @Test(
    "a contentless full-text table is named, because its rows cannot be read",
    arguments: ["fts5(a, content='')", "fts5(a, content = \"\")", "fts4(a, content='')"])
  func contentless(module: String) async throws {
    let (old, new) = try await files(
      "CREATE VIRTUAL TABLE search USING \(module);\n",
      changedBy: "INSERT INTO search (rowid, a) VALUES (1, 'x');")
    let run = try await Command.apus("diff", old.path, new.path)
    #expect(run.status == 0)
    #expect(
      run.output == """
        search is not compared: it stores an index, and not the indexed text
        no difference was found in the other tables

        """)
  }

  @Test("a table whose module is missing is named, and the other tables are compared")
  func unknownModule() async throws {
    let (old, new) = try await files(
      "CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE v_chunks (id INTEGER PRIMARY KEY);\n"
        + Self.missingModule,
      changedBy: "INSERT INTO t VALUES (1); INSERT INTO v_chunks VALUES (2);")
    let run = try await Command.apus("diff", old.path, new.path)
    #expect(run.status == 3)
    #expect(
      run.output == """
        t
        + 1  id: 1
        v_chunks
        + 2  id: 2
        v is not compared: no such module: missing_module

        """)
    let same = try await Command.apus("diff", old.path, old.path)
    #expect(same.status == 0)
    #expect(
      same.output == """
        v is not compared: no such module: missing_module
        no difference was found in the other tables

        """)
    let json = try await Command.apus("diff", old.path, old.path, "--json")
    #expect(
      json.output == """
        [
          {"change": "unknown", "table": "v", "reason": "no such module: missing_module"}
        ]

        """)
    let csv = try await Command.apus("diff", old.path, old.path, "--csv")
    #expect(csv.output == "change,table,key,column,old,new\r\nunknown,v,,,,\r\n")
    let other = try await Command.apus("diff", old.path, old.path, "--tables", "t")
    #expect(other.output == "no difference was found\n")
  }

  @Test("a full-text table whose tokenizer is missing is compared")
  func unknownTokenizer() async throws {
    // The definition is changed last: from then on, the shell cannot use the table.
    let tokenizer = """
      .dbconfig defensive off
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE search USING fts5(a, tokenize=missing)'
      WHERE name = 'search';
      """
    let schema = "CREATE VIRTUAL TABLE search USING fts5(a);\n"
    let old = try await folder.database(named: "old.sqlite", schema + tokenizer)
    let new = try await folder.database(
      named: "new.sqlite", schema + "INSERT INTO search VALUES ('new');\n" + tokenizer)
    let run = try await Command.apus("diff", old.path, new.path)
    #expect(run.status == 3 && run.output == "search_content\n+ 1  id: 1, c0: 'new'\n")
  }

  @Test("an R*Tree is compared by its first column")
  func tree() async throws {
    let (old, new) = try await files(
      """
      CREATE VIRTUAL TABLE box USING rtree(id, low, high, +label);
      INSERT INTO box VALUES (1, 0, 1, 'a'), (2, 0, 1, 'b'), (10, 0, 1, 'c');

      """,
      changedBy: """
        UPDATE box SET high = 2.5, label = 'A' WHERE id = 1; DELETE FROM box WHERE id = 2;
        INSERT INTO box VALUES (3, -1, 1, NULL);
        """)
    let run = try await Command.apus("diff", old.path, new.path)
    #expect(run.status == 3)
    #expect(
      run.output == """
        box
        ~ 1  high: 1.0 → 2.5, label: 'a' → 'A'
        - 2  id: 2, low: 0.0, high: 1.0, label: 'b'
        + 3  id: 3, low: -1.0, high: 1.0, label: NULL

        """)
  }

  @Test("watch shows the rows that virtual tables store, and names what it cannot compare")
  func watching() async throws {
    let temporary = folder.file("temporary")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let file = try await folder.database(
      """
      CREATE VIRTUAL TABLE search USING fts5(a);
      CREATE VIRTUAL TABLE box USING rtree(id, low, high);
      INSERT INTO search VALUES ('one');

      """ + Self.missingModule)
    let watch = try RunningCommand("watch", file.path, "--json", temporary: temporary)
    try await watch.wait(for: "watching 2 tables with 1 row;")
    try await Command.sqlite(
      file, "BEGIN; INSERT INTO search VALUES ('two'); INSERT INTO box VALUES (7, 0, 1); COMMIT;")
    try await watch.wait(for: #""table": "box""#)
    try await Command.sqlite(
      file,
      """
      BEGIN; UPDATE search SET a = 'three' WHERE rowid = 2; UPDATE box SET high = 2; COMMIT;
      """)
    try await watch.wait(for: #""new": {"high": 2.0}"#)
    try await Command.sqlite(file, "CREATE VIRTUAL TABLE late USING fts5(a, content='');")
    try await watch.wait(for: #""table": "late""#)
    #expect(try await watch.interrupt() == 0)
    // Without the changes of the schema.
    let lines = watch.output.split(separator: "\n").filter { !$0.contains(#""type": "table""#) }
    #expect(
      lines.joined(separator: "\n") == #"""
        {"change": "unknown", "table": "v", "reason": "no such module: missing_module"}
        {"change": "insert", "table": "search_content", "key": [2], "old": null, \#
        "new": {"id": 2, "c0": "two"}}
        {"change": "insert", "table": "box", "key": [7], "old": null, \#
        "new": {"id": 7, "low": 0.0, "high": 1.0}}
        {"change": "update", "table": "search_content", "key": [2], "old": {"c0": "two"}, \#
        "new": {"c0": "three"}}
        {"change": "update", "table": "box", "key": [7], "old": {"high": 1.0}, \#
        "new": {"high": 2.0}}
        {"change": "unknown", "table": "late", \#
        "reason": "it stores an index, and not the indexed text"}
        """#)
  }
}
