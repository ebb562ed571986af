import Foundation
import Testing

@Suite("Watching a file")
struct WatchTests {
  let folder: TestFolder
  let temporary: URL

  init() throws {
    folder = try TestFolder()
    temporary = folder.file("temporary")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
  }

  func temporaryFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: temporary.path)
  }

  @Test("beside a writer in another process it misses nothing", arguments: ["wal", "delete"])
  func random(mode: String) async throws {
    var script = RandomScript(seed: TestSeed.draw())
    let file = folder.file("test.sqlite")
    let tables = RandomScript.tables + ["late"]
    try await Command.sqlite(
      file,
      "PRAGMA journal_mode = \(mode);\n" + RandomScript.schema
        + (0..<5).map { _ in script.transaction() }.joined())
    var rows = try await ReplayedRows(of: file, tables: RandomScript.tables)
    let watch = try RunningCommand(
      "watch", file.path, "--json", "--interval", "0.001", temporary: temporary)
    try await watch.wait(for: "watching 5 tables")
    // The table that appears last also says that all that was written before has been seen.
    try await Command.sqlite(
      file,
      ".timeout 60000\nPRAGMA synchronous = OFF;\n"
        + (0..<TestSize.count(small: 300, full: 1_000)).map { _ in script.transaction() }.joined()
        + "CREATE TABLE late (a); INSERT INTO late VALUES ('the end');")
    try await watch.wait(for: "the end")
    #expect(try await watch.interrupt() == 0)
    try rows.apply(lines: watch.output)
    #expect(rows.misfits == [])
    #expect(try await rows == ReplayedRows(of: file, tables: tables))
    #expect(try temporaryFiles() == [])
  }

  @Test("people see a sign, the key and the values; a new schema is a change, too")
  func text() async throws {
    let file = try await folder.database(
      "CREATE TABLE Post (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO Post VALUES (1, 'a');")
    let watch = try RunningCommand("watch", file.path, "--limit", "5", temporary: temporary)
    try await watch.wait(for: "watching 1 table with 1 row;")
    try await Command.sqlite(
      file,
      """
      BEGIN; UPDATE Post SET title = 'b'; INSERT INTO Post VALUES (2, NULL);
      ALTER TABLE Post ADD COLUMN views; COMMIT;
      """)
    try await watch.wait(for: "+ 2")
    try await Command.sqlite(
      file, "UPDATE Post SET views = 7 WHERE id = 2; DELETE FROM Post WHERE id = 1;")
    try await watch.wait(for: "- 1")
    for line in [
      "~ table Post", "~ 1  title: 'a' → 'b'", "+ 2  id: 2, title: NULL",
      "~ 2  views: NULL → 7", "- 1  id: 1, title: 'b', views: NULL",
    ] {
      #expect(watch.output.contains("\(line)\n"), "\(line) in \(watch.output)")
    }
  }

  @Test("a file that takes the place of the watched one is compared with it")
  func replaced() async throws {
    let file = try await folder.database(
      "CREATE TABLE t (a PRIMARY KEY); INSERT INTO t VALUES (1), (2);")
    try await Command.sqlite(file, "PRAGMA journal_mode = DELETE;")
    let other = try await folder.database(
      named: "other.sqlite", "CREATE TABLE t (a PRIMARY KEY); INSERT INTO t VALUES (2), (3);")
    try await Command.sqlite(other, "PRAGMA journal_mode = DELETE;")
    let watch = try RunningCommand("watch", file.path, "--csv", temporary: temporary)
    try await watch.wait(for: "watching")
    // A rename, so that at each moment there is a file.
    _ = try await Command.run(URL(filePath: "/bin/mv"), [other.path, file.path])
    try await watch.wait(for: "insert,t,3,a,,3")
    #expect(watch.output.contains("delete,t,1,a,1,") && !watch.output.contains(",t,2,"))
    try FileManager.default.removeItem(at: file)
    while !watch.errors.contains("was removed") {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try await watch.interrupt() == 1)
  }
}
