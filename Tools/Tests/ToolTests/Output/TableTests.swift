import Apus
import Foundation
import Testing

@testable import ToolOutput

@Suite("Tables for people")
struct TableTests {
  static let names = ["id", "title", "body", "view_count", "rating", "created_at"]
  static let rows: [[DatabaseValue]] = [
    [
      .integer(1), .text("Post 1"), .text(String(repeating: "long ", count: 30)), .integer(42),
      .real(0.14285714285714285), .integer(1_700_086_400),
    ],
    [.integer(1_000), .text("A title"), .null, .null, .real(2.5), .integer(1_700_090_000)],
  ]

  func text(
    width: Int?, _ change: (inout TableLayout) -> Void = { _ in }, names: [String] = names,
    rows: [[DatabaseValue]] = rows
  ) throws -> String {
    var layout = TableLayout()
    change(&layout)
    var text = ""
    let output = Output(
      format: .table, layout: layout, width: width, isColored: false, isTerminal: false,
      write: { text += $0 })
    try output.rows(names, rows)
    output.flush()
    return text
  }

  @Test("numbers stand at the right, and the longest texts are shortened first")
  func frame() throws {
    let text = try text(width: 80)
    #expect(
      text == """
        ┏━━━━━━┳━━━━━━━━━┳━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┓
        ┃   id ┃ title   ┃ body        ┃ view_count ┃              rating ┃ created_at ┃
        ┡━━━━━━╇━━━━━━━━━╇━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━┩
        │    1 │ Post 1  │ long long … │         42 │ 0.14285714285714285 │ 1700086400 │
        │ 1000 │ A title │ NULL        │       NULL │                 2.5 │ 1700090000 │
        └──────┴─────────┴─────────────┴────────────┴─────────────────────┴────────────┘
        2 rows, 6 columns

        """)
  }

  @Test("rows beyond the limit are not counted", arguments: OutputFormat.allCases)
  func limit(format: OutputFormat) throws {
    let database = try Database.inMemory()
    try database.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
    for isTerminal in [false, true] {
      let output = Output(
        format: format, width: nil, isColored: false, isTerminal: isTerminal, write: { _ in })
      for limit in 0...4 {
        try database.read { connection in
          let count = try output.rows(of: "SELECT a FROM t", in: connection, limit: limit)
          #expect(count == min(limit, 3), "\(isTerminal)")
        }
      }
    }
  }

  @Test("numbers are never cut, whatever the width, and what is left out is named")
  func narrow() throws {
    for width in 1...120 {
      let lines = try text(width: width).split(separator: "\n")
      let cells = lines.filter { $0.hasPrefix("│") }.joined()
      #expect(cells.contains(" 1000 "), "\(width)")
      for (name, number) in [("rating", "0.14285714285714285"), ("created_at", "1700086400")] {
        let isLeftOut =
          lines.last.map { $0.hasPrefix("… and columns") && $0.contains(name) } ?? false
        #expect(isLeftOut != cells.contains(number), "\(width): \(name)")
      }
      guard width >= 20 else { continue }
      #expect(lines.prefix(6).allSatisfy { $0.count <= width }, "\(width)")
    }
    let wide = try text(width: nil)
    #expect(wide.contains(String(repeating: "long ", count: 30)))
  }

  @Test("the numbers of rows and the types are shown if that is asked for")
  func options() throws {
    let text = try text(
      width: nil,
      {
        $0.showsRowNumbers = true
        $0.showsTypes = true
      }, names: ["a", "b"], rows: [[.integer(7), .text("x")], [.null, .real(1)]])
    #expect(
      text == """
        ┏━━━┳━━━━━━━━━┳━━━━━┓
        ┃   ┃       a ┃ b   ┃
        ┃   ┃ INTEGER ┃ ANY ┃
        ┡━━━╇━━━━━━━━━╇━━━━━┩
        │ 1 │       7 │ x   │
        │ 2 │    NULL │ 1.0 │
        └───┴─────────┴─────┘
        2 rows, 2 columns

        """)
  }

  @Test("a line for each value; a text of several lines keeps them")
  func vertical() throws {
    let text = try text(
      width: 20, { $0.form = .vertical }, names: ["id", "title"],
      rows: [
        [.integer(1), .text("a\nb" + String(repeating: "c", count: 30))], [.null, .text("")],
      ])
    #expect(
      text.replacing(/─{3,}/, with: "") == """
        ── 1\u{20}
           id: 1
        title: a
               b\(String(repeating: "c", count: 30))
        ── 2\u{20}
           id: NULL
        title:\u{20}
        2 rows, 2 columns

        """)
  }

  @Test("Markdown escapes what ends a cell or begins a mark")
  func markdown() throws {
    let text = try text(
      width: 20, { $0.form = .markdown }, names: ["n", "a|b"],
      rows: [[.integer(1), .text("x | *y*\n<b>")], [.integer(22), .null]])
    #expect(
      text == #"""
        | n | a\|b |
        |---:|---|
        | 1 | x \| \*y\*\\n\<b> |
        | 22 | NULL |

        """#)
  }

  @Test("progress says the percentage, the size, the rows and the time that is left")
  func progress() {
    func text(
      bytes: (Int, of: Int?)? = nil, rows: (Int, of: Int?)? = nil, seconds: Double
    ) -> String {
      ProgressLine.parts(bytes: bytes, rows: rows, seconds: seconds).joined(separator: ", ")
    }
    #expect(
      text(bytes: (17_300_000, of: 38_600_000), rows: (450_000, of: nil), seconds: 2)
        == "44 %, 17.3 of 38.6 MB, 450000 rows, 0:02 left"
        .replacing("450000", with: "450,000"))
    #expect(
      text(bytes: (500, of: nil), rows: (1, of: 4), seconds: 300)
        == "25 %, 500 bytes, 1 of 4 rows, 15:00 left")
    #expect(text(bytes: (1_234, of: nil), seconds: 0.5) == "1.2 kB")
  }
}
