import Foundation
import Testing

@testable import ToolOutput

@Suite("The tool on a terminal")
struct TerminalTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  func file() async throws -> String {
    try await folder.database(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
      INSERT INTO t SELECT value, printf('%.100c', 'x') FROM generate_series(1, 50);
      """
    ).path
  }

  @Test("a table has colours and the width of the terminal; JSON and pipes have neither")
  func colors() async throws {
    let file = try await file()
    let shown = try await Command.apusOnTerminal("show", file, "t", columns: 60)
    #expect(shown.status == 0)
    #expect(shown.output.contains("\u{1B}[1m"))
    let plain = shown.output.replacing(/\u{1B}\[[0-9]*m/, with: "")
    #expect(plain.split(separator: "\n").allSatisfy { $0.count <= 60 }, "\(plain)")
    let gray = try await Command.apusOnTerminal("show", file, "t", environment: ["NO_COLOR": "1"])
    #expect(!gray.output.contains("\u{1B}"))
    let json = try await Command.apusOnTerminal("show", file, "t", "--json")
    #expect(!json.output.contains("\u{1B}"))
  }

  @Test("a table on a terminal goes through the pager; nothing else does")
  func pager() async throws {
    let file = try await file()
    let pager = ["PAGER": "sed 's/^/page: /'"]
    let paged = try await Command.apusOnTerminal("show", file, "t", environment: pager)
    #expect(paged.output.contains("page: "))
    #expect(paged.output.contains("50 rows, 2 columns"), "the pager has shown all when apus ends")
    for arguments in [["--no-pager"], ["--json"]] {
      let run = try await Command.run(
        URL(filePath: "/usr/bin/env"),
        [
          "script", "-qec",
          "'\(try Command.product("apus").path)' show '\(file)' t \(arguments[0])", "/dev/null",
        ],
        environment: pager)
      #expect(!run.output.contains("page: "))
    }
    #expect(
      try await !Command.apus("show", file, "t", environment: pager).output.contains("page: "))
    let left = try await Command.apusOnTerminal(
      "query", file, "SELECT * FROM generate_series(1, 1000000)", "--limit", "1000000",
      environment: ["PAGER": "head -n 1 >/dev/null"])
    #expect(!left.output.contains("apus:"), "leaving the pager is no error")
  }

  @Test("progress appears on a terminal only, and leaves no line")
  func progress() async throws {
    let file = try await file()
    let copy = folder.file("copy.sqlite").path
    let run = try await Command.apusOnTerminal("backup", file, copy)
    #expect(run.output.contains("copying: 100 %, ") && run.output.contains("\r\u{1B}[K"))
    let rows = folder.file("rows.csv").path
    let export = try await Command.apusOnTerminal("export", file, "t", "--output", rows)
    #expect(
      export.output.contains("exporting: 2 %, ") && export.output.contains(", 1 of 50 rows"),
      "\(export.output)")
    try await Command.sqlite(URL(filePath: copy), "DELETE FROM t;")
    let entry = try await Command.apusOnTerminal("import", copy, "t", rows)
    #expect(entry.output.contains(", 1 rows") && entry.output.contains("50 rows were imported"))
    #expect(try await !Command.apus("backup", file, copy, "--force").errors.contains("\u{1B}"))
  }

  @Test("a check says how much of the file, of the index and of a table it has read")
  func progressOfChecks() async throws {
    let file = try await folder.database(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, next INTEGER REFERENCES t);
      CREATE INDEX byText ON t (a);
      INSERT INTO t SELECT value, printf('%.20c', 'x') || value, value FROM generate_series(1, 300000);
      CREATE VIRTUAL TABLE search USING fts5(a, content='t', content_rowid='id');
      INSERT INTO search (search) VALUES ('rebuild');
      """
    ).path
    let run = try await Command.apusOnTerminal("check", file)
    #expect(run.output.contains("no fault was found"))
    let lines = run.output.split(separator: "\r\u{1B}[K")
    let parts = lines.compactMap { line in
      (try? /^(checking .*): (\d+) %, ([\d,]+) of [\d,]+ rows/.firstMatch(in: line)).map {
        (verb: String($0.1), percent: Int($0.2) ?? -1, rows: $0.3)
      }
    }
    for verb in ["checking the file", "checking the index search"] {
      let percents = parts.filter { $0.verb == verb }.map(\.percent)
      #expect(percents == percents.sorted() && percents.allSatisfy { (0...99).contains($0) })
    }
    // How many lines there are depends on the speed of the machine. The first has read some rows.
    #expect(parts.contains { $0.verb == "checking the file" && $0.rows != "0" }, "\(lines)")
  }

  @Test("a disk that is full is an error, and never a crash")
  func fullDisk() async throws {
    let file = try await file()
    for command in [
      "show '\(file)' t", "show '\(file)' t --json", "export '\(file)' t", "generate '\(file)'",
    ] {
      let run = try await Command.run(
        URL(filePath: "/bin/sh"),
        ["-c", "'\(try Command.product("apus").path)' \(command) >/dev/full"])
      #expect(run.status == 1, "\(command)")
      #expect(run.errors.contains("the output cannot be written: No space left on device"))
    }
  }
}
