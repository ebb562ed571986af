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

  @Test("the commands print hostile names and values in one line each")
  func commands() async throws {
    let file = folder.file("hostile.sqlite")
    try await Database(path: file.path).execute(
      """
      CREATE TABLE \(identifier: Self.hostile) (\(identifier: Self.hostile) TEXT);
      INSERT INTO \(identifier: Self.hostile) VALUES (\(Self.hostile)), (CAST(x'41FF42' AS TEXT))
      """)
    let tables = try await Command.apus("tables", file.path)
    #expect(isSafe(tables.output) && tables.output.contains("red\\u{1B}[31m\\u{7}\\n\\u{202E}left"))
    let show = try await Command.apus("show", file.path, Self.hostile)
    #expect(show.status == 0 && isSafe(show.output))
    #expect(show.output.contains("A\u{FFFD}B"))
    let missing = try await Command.apus("show", file.path, "x")
    #expect(isSafe(missing.errors))
    let models = try await Command.apus("generate", file.path)
    #expect(models.status == 0 && isSafe(models.output))
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
  }

  @Test("wide characters are aligned, and a table fits the given width")
  func width() throws {
    let rows: [[DatabaseValue]] = [
      [.text("日本語"), .integer(1)], [.text("e\u{301}"), .integer(22)], [.text("👩‍👩‍👧"), .null],
    ]
    let text = try written(.table) { try $0.rows(["name", "n"], rows) }
    #expect(
      text == """
        ┏━━━┳━━━━━━━━┳━━━━━━━━━━━┓
        ┃   ┃ name   ┃ n         ┃
        ┃   ┃ <TEXT> ┃ <INTEGER> ┃
        ┡━━━╇━━━━━━━━╇━━━━━━━━━━━┩
        │ 0 │ 日本語 │ 1         │
        │ 1 │ e\u{301}      │ 22        │
        │ 2 │ 👩‍👩‍👧     │ NULL      │
        └───┴────────┴───────────┘
        3 rows, 2 columns

        """)
    var narrow = ""
    let output = Output(format: .table, width: 20, isColored: false, write: { narrow += $0 })
    try output.rows(["name", "n"], rows)
    output.flush()
    #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 20 })
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
