import Apus
import Foundation
import Testing

@testable import ToolOutput

@Suite("Names and values of strangers")
struct HostileTextTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A colour, a bell, a line break, a mark that turns the direction, and a C1 control.
  static let hostile = "red\u{1B}[31m\u{7}\n\u{202E}left\u{9B}2J\u{2028}"

  /// Returns what an output writes to a terminal.
  func written(
    _ format: OutputFormat, isColored: Bool = false, _ body: (Output) throws -> Void
  ) rethrows -> String {
    var text = ""
    let output = Output(
      format: format, width: nil, isColored: isColored, isTerminal: true, write: { text += $0 })
    try body(output)
    output.flush()
    return text
  }

  func isSafe(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { !$0.isUnsafe || ["\n", "\r", "\t"].contains($0) }
  }

  @Test("no format lets a control character or a mark of direction reach the terminal")
  func controls() throws {
    for format in OutputFormat.allCases {
      let text = try written(format) { output in
        try output.rows([Self.hostile, "b"], [[.text(Self.hostile), .null]])
        output.line(Self.hostile)
        output.text("CREATE TABLE \"\(Self.hostile)\"")
      }
      #expect(isSafe(text), "\(format): \(text.debugDescription)")
    }
  }

  @Test("JSON reads back as the same text")
  func json() throws {
    let text = Self.hostile.jsonLiteral
    #expect(isSafe(text))
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    #expect(value as? String == Self.hostile)
  }

  /// Makes a file whose names, values and definitions are hostile.
  func file(_ name: String, rows: Int = 1) throws -> String {
    let path = folder.file(name).path
    let table = Self.hostile
    var configuration = Configuration()
    configuration.enforcesForeignKeys = false
    let database = try Database(path: path, configuration: configuration)
    try database.execute(
      """
      CREATE TABLE \(identifier: table) (\(identifier: table) TEXT, k TEXT PRIMARY KEY);
      CREATE INDEX \(identifier: table + "i") ON \(identifier: table) (\(identifier: table));
      CREATE VIEW \(identifier: table + "v") AS SELECT \(identifier: table) FROM \(identifier: table);
      CREATE TABLE child (a TEXT REFERENCES \(identifier: table) (k));
      INSERT INTO child VALUES (\(table));
      INSERT INTO \(identifier: table) VALUES (\(table), '1'), (CAST(x'41FF42' AS TEXT), '2')
      """)
    if rows > 1 {
      try database.execute(
        "INSERT INTO \(identifier: table) VALUES (\(table), \(table)); DROP TABLE child")
    }
    try database.close()
    return path
  }

  @Test("every command prints hostile names and values safely on a terminal")
  func commands() async throws {
    let first = try file("hostile.sqlite")
    let second = try file("other.sqlite", rows: 2)
    let table = Self.hostile
    let select = "SELECT * FROM \(Identifier(table).quoted)"
    let rows = folder.file("rows.csv")
    try Data("\(table)\nx\n".utf8).write(to: rows)
    var runs: [(String, Command)] = []
    for arguments in [
      ["tables", first], ["schema", first], ["show", first, table],
      ["show", first, table, "--csv"],
      ["show", first, table, "--json"], ["show", first, "x"], ["query", first, select],
      ["query", first, table], ["explain", first, select], ["check", first], ["stats", first],
      ["diff", first, second], ["diff", first, second, "--csv"], ["diff", first, second, "--json"],
      ["export", first, table], ["export", first, table, "--json"],
      ["import", first, table, rows.path], ["import", first, "child", rows.path],
      ["log", first], ["backup", first, folder.file(table).path], ["generate", first],
      ["tables", first, "--\(table)"],
    ] {
      runs.append(
        (
          arguments.joined(separator: " "),
          try await Command.apusOnTerminal(list: arguments, environment: ["NO_COLOR": "1"])
        ))
    }
    for (name, run) in runs {
      let text = run.output.replacing(/\r\u{1B}\[K/, with: "")
      #expect(isSafe(text), "\(name.debugDescription): \(text.debugDescription)")
      #expect(!text.isEmpty, "\(name)")
    }
    #expect(runs[0].1.output.contains("red\\u{1B}[31m\\u{7}\\n\\u{202E}left"))
    #expect(runs[2].1.output.contains("A\u{FFFD}B"))
    let watch = try RunningCommand("watch", first, temporary: folder.url)
    try await watch.wait(for: "watching")
    try await Database(path: first).execute("DELETE FROM child; DELETE FROM \(identifier: table)")
    try await watch.wait(for: "CAST(x'41FF42' AS TEXT)")
    #expect(isSafe(watch.output))
  }

  @Test("a cell of 10 MB takes a line of ordinary length in a table, and is whole in JSON")
  func large() async throws {
    let file = folder.file("large.sqlite")
    try await Command.sqlite(
      file, "CREATE TABLE t (a); INSERT INTO t VALUES (replace(hex(zeroblob(5000000)), '0', 'x'));")
    let table = try await Command.apus("show", file.path, "t")
    #expect(table.status == 0 && table.output.utf8.count < 4_000)
    #expect(table.output.contains("… (10000000 bytes)"))
    let json = try await Command.apus("show", file.path, "t", "--json")
    #expect(json.output.utf8.count > 10_000_000)
    let empty = try await folder.database(named: "empty.sqlite", "CREATE TABLE t (a);")
    let rows = folder.file("rows.csv").path
    let difference = try await Command.apus("diff", empty.path, file.path)
    #expect(difference.status == 3 && difference.output.utf8.count < 4_000)
    #expect(try await Command.apus("generate", file.path).output.utf8.count < 4_000)
    #expect(try await Command.apus("export", file.path, "t", "--output", rows).status == 0)
    #expect(try await Command.apus("import", empty.path, "t", rows).status == 0)
    #expect(try await Command.apus("diff", empty.path, file.path, "--schema-only").status == 0)
    #expect(try await Command.sqlite(empty, "SELECT length(a) FROM t;") == "10000000\n")
  }

  @Test("wide characters are aligned, and a table fits the given width")
  func width() throws {
    let rows: [[DatabaseValue]] = [
      [.text("日本語"), .integer(1)], [.text("e\u{301}"), .integer(22)], [.text("👩‍👩‍👧"), .null],
    ]
    let text = try written(.table) { try $0.rows(["name", "n"], rows) }
    #expect(
      text == """
        ┏━━━━━━━━┳━━━━━━┓
        ┃ name   ┃    n ┃
        ┡━━━━━━━━╇━━━━━━┩
        │ 日本語 │    1 │
        │ e\u{301}      │   22 │
        │ 👩‍👩‍👧     │ NULL │
        └────────┴──────┘
        3 rows, 2 columns

        """)
    var narrow = ""
    let output = Output(format: .table, width: 16, isColored: false, write: { narrow += $0 })
    try output.rows(["name", "n"], rows)
    output.flush()
    let lines: [Substring] = narrow.split(separator: "\n")
    #expect(lines.prefix(7).allSatisfy { $0.count <= 16 })
  }

  @Test("colours are written only where they are wanted")
  func colors() async throws {
    let plain = try written(.table) { try $0.rows(["a"], [[.integer(1)]]) }
    let colored = try written(.table, isColored: true) { try $0.rows(["a"], [[.integer(1)]]) }
    #expect(!plain.contains("\u{1B}"))
    #expect(colored.contains("\u{1B}[1m"))
    #expect(
      colored.replacing(/\u{1B}\[[0-9]+m/, with: "") == plain)
    let file = try await folder.database("CREATE TABLE t (a)")
    #expect(try await !Command.apus("tables", file.path).output.contains("\u{1B}"))
  }
}
