import Foundation
import Testing

@Suite("Ctrl-C and SIGTERM")
struct InterruptionTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  static let signals: [Int32] = [SIGINT, SIGTERM]

  /// Returns whether another program holds the lock for writing.
  func isLocked(_ file: URL) async throws -> Bool {
    let shell = try await Command.run(
      URL(filePath: "/usr/bin/env"), ["sqlite3", "-batch", "-bail", file.path],
      input: "BEGIN IMMEDIATE; ROLLBACK;")
    return shell.status != 0
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  @Test(
    "an import is rolled back, and leaves nothing behind", arguments: signals, ["delete", "wal"])
  func imports(signal: Int32, mode: String) async throws {
    for format in ["--csv", "--json"] {
      let file = folder.file("test.sqlite")
      try await Command.sqlite(
        file,
        """
        PRAGMA journal_mode = \(mode); CREATE TABLE t (id INTEGER PRIMARY KEY, a);
        INSERT INTO t VALUES (0, 'kept');
        """)
      let count = TestSize.count(small: 20_000, full: 100_000)
      let run = try RunningCommand(
        Command.product("apus"), ["import", file.path, "t", "-", format])
      let rows = (1...count).map { format == "--csv" ? "\($0),a" : #"{"id": \#($0), "a": "a"}"# }
      // The input never ends, so that the signal comes in the middle.
      try run.type((format == "--csv" ? "id,a\n" : "") + rows.joined(separator: "\n") + "\n")
      try await run.wait(until: { try await isLocked(file) }, "the file was locked")
      #expect(try await run.end(by: signal) == 128 + signal)
      #expect(run.errors == "apus: interrupted; nothing was imported\n")
      #expect(try names() == ["test.sqlite"])
      #expect(
        try await Command.sqlite(file, "SELECT * FROM t; PRAGMA journal_mode; PRAGMA quick_check;")
          == "0|kept\n\(mode)\nok\n")
      try FileManager.default.removeItem(at: file)
    }
  }

  @Test("an import that a kill ended is rolled back by the next command")
  func killed() async throws {
    let file = folder.file("test.sqlite")
    // The journal of a transaction that goes on, copied as a power cut would leave it.
    try await Command.sqlite(
      file,
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a);
      INSERT INTO t SELECT value, hex(zeroblob(500)) FROM generate_series(1, 500);
      PRAGMA cache_size = 5; BEGIN; UPDATE t SET a = 'new' || a;
      .shell cp '\(file.path)' '\(folder.file("left.sqlite").path)'
      .shell cp '\(file.path)-journal' '\(folder.file("left.sqlite-journal").path)'
      ROLLBACK;
      """)
    let left = folder.file("left.sqlite")
    let journal = try Data(contentsOf: folder.file("left.sqlite-journal"))
    let damaged = try Data(contentsOf: left)
    let sql = "SELECT count(*) AS n FROM t WHERE a LIKE 'new%'"
    let run = try await Command.apus("query", left.path, sql, "--csv")
    #expect(run.status == 0 && run.output == "n\r\n0\r\n", "\(run.errors)")
    #expect(
      run.errors.contains("was left in the middle of a transaction, which has been rolled back"))
    #expect(try await Command.apus("query", left.path, sql, "--csv").errors == "")
    #expect(try names() == ["left.sqlite", "test.sqlite"])
    #expect(try Data(contentsOf: left)[18] == 1, "the journal mode is the same")
    // A journal of several files names one that SQLite would delete.
    try damaged.write(to: left)
    let mark = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    try (journal + mark).write(to: folder.file("left.sqlite-journal"))
    let refused = try await Command.apus("tables", left.path)
    #expect(
      refused.status == 1 && refused.errors.contains("transaction of several files")
        && refused.errors.contains("sqlite3"), "\(refused.errors)")
    #expect(try Data(contentsOf: left) == damaged)
  }

  @Test("the log of a program that a kill ended is read")
  func killedLog() async throws {
    let file = try await folder.database("CREATE TABLE t (a); PRAGMA journal_mode = WAL;")
    try await Command.sqlite(
      file,
      """
      PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (1), (2);
      .shell cp '\(file.path)' '\(folder.file("left.sqlite").path)'
      .shell cp '\(file.path)-wal' '\(folder.file("left.sqlite-wal").path)'
      """)
    let run = try await Command.apus("show", folder.file("left.sqlite").path, "t", "--csv")
    #expect(run.output == "a\r\n1\r\n2\r\n", "\(run.errors)")
  }

  @Test("an export leaves no file", arguments: signals)
  func export(signal: Int32) async throws {
    let file = try await folder.database("CREATE TABLE t (a);")
    let endless =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    for query in [endless, "SELECT count(*) FROM (\(endless))"] {
      let run = try RunningCommand(
        Command.product("apus"),
        ["export", file.path, "--query", query, "--output", folder.file("rows.csv").path])
      try await run.wait(until: { try names().contains { $0.hasSuffix(".part") } }, "a file")
      #expect(try await run.end(by: signal) == 128 + signal)
      #expect(run.errors == "apus: interrupted; nothing was written\n")
      #expect(try names().allSatisfy { !$0.contains("rows") })
    }
  }

  @Test(
    "every command that reads ends", .enabled(if: RunningCommand.knowsHandlers),
    arguments: signals)
  func reading(signal: Int32) async throws {
    let count = TestSize.count(small: 300_000, full: 1_000_000)
    let file = folder.file("large.sqlite")
    try await Command.sqlite(
      file,
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT);
      INSERT INTO t SELECT value, 'text ' || value, hex(zeroblob(30)) FROM generate_series(1, \(count));
      CREATE TABLE u AS SELECT * FROM t; CREATE VIRTUAL TABLE search USING fts5 (b);
      INSERT INTO search SELECT a FROM t LIMIT 10000;
      """)
    let copy = folder.file("copy.sqlite")
    let temporary = folder.file("temporary")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let path = file.path
    for arguments in [
      ["query", path, "SELECT count(*) FROM t a, t b, t c"], ["query", path, "-"],
      ["export", path, "--query", "SELECT a.id FROM t a, t b"], ["check", path],
      ["diff", path, path],
      ["backup", path, copy.path], ["generate", path], ["watch", path],
      ["show", path, "t", "--order", "(SELECT count(*) FROM t x WHERE x.b > t.a)"],
    ] {
      let run = try RunningCommand(
        Command.product("apus"), arguments, environment: ["TMPDIR": temporary.path])
      try await run.wait(untilHandling: signal)
      let status = try await run.end(by: signal)
      #expect(status == 128 + signal, "\(arguments)")
      let consequence = arguments[0] == "backup" ? "; no copy was made" : ""
      #expect(run.errors == "apus: interrupted\(consequence)\n", "\(arguments)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    #expect(try names() == ["large.sqlite", "temporary"])
  }

  @Test("a migration is rolled back")
  func migration() async throws {
    let file = folder.file("blog.sqlite")
    let schema = """
      CREATE TABLE Author (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE Post (id INTEGER PRIMARY KEY, title TEXT NOT NULL, author INTEGER REFERENCES Author (id));
      """
    // The migration must go on while a busy machine finds that the file is locked.
    let count = TestSize.count(small: 2_000_000, full: 4_000_000)
    try await Command.sqlite(
      file,
      """
      PRAGMA journal_mode = WAL; \(schema)
      INSERT INTO Author SELECT value, 'name' || value FROM generate_series(1, \(count));
      """)
    let before = try await Command.sqlite(file, ".schema")
    let run = try RunningCommand(Command.product("SampleTool"), ["migrate", file.path])
    try await run.wait(until: { try await isLocked(file) }, "the file was locked")
    #expect(try await run.interrupt() == 130)
    #expect(run.errors.hasSuffix("interrupted; nothing was migrated\n"), "\(run.errors)")
    #expect(try await Command.sqlite(file, ".schema") == before)
    #expect(try names() == ["blog.sqlite"])
  }
}
