import Testing

@_spi(Tools) @testable import SQLCore

@Suite("Result tables cut to a width")
struct ResultTableWidthTests {
  private let table = ResultTable(
    columns: [
      .init(name: "id", type: "Int64"), .init(name: "title", type: "String"),
      .init(name: "body", type: "String"),
    ],
    rows: [
      ["1", "A title of some length", "A body that is longer than the title, by far"],
      ["2", "日本語の長い題名です", nil],
    ])

  @Test("the widest columns are cut first, with an ellipsis")
  func widestFirst() {
    #expect(
      table.description(width: 60) == """
        ┏━━━┳━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━┓
        ┃   ┃ id      ┃ title                ┃ body                ┃
        ┃   ┃ <Int64> ┃ <String>             ┃ <String>            ┃
        ┡━━━╇━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━┩
        │ 0 │ 1       │ A title of some len… │ A body that is lon… │
        │ 1 │ 2       │ 日本語の長い題名です │ nil                 │
        └───┴─────────┴──────────────────────┴─────────────────────┘
        2 rows, 3 columns
        """)
    // A wide character without enough room is left out entirely.
    #expect(
      table.description(width: 32) == """
        ┏━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━┓
        ┃   ┃ id     ┃ title  ┃ body   ┃
        ┃   ┃ <Int6… ┃ <Stri… ┃ <Stri… ┃
        ┡━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━┩
        │ 0 │ 1      │ A tit… │ A bod… │
        │ 1 │ 2      │ 日本…  │ nil    │
        └───┴────────┴────────┴────────┘
        2 rows, 3 columns
        """)
  }

  @Test("a table that fits is not cut")
  func fits() {
    let full = table.description
    let width = full.split(separator: "\n")[0].terminalWidth
    #expect(table.description(width: width) == full)
    #expect(table.description(width: .max) == full)
    #expect(table.description(width: width - 1) != full)
  }

  @Test("columns without room are left out and still counted")
  func manyColumns() {
    let wide = ResultTable(
      columns: (0..<20).map { .init(name: "column\($0)", type: "Int") },
      rows: [(0..<20).map(String.init)])
    #expect(
      wide.description(width: 24) == """
        ┏━━━┳━━━━━━━┳━━━━━━┳━━━┓
        ┃   ┃ colu… ┃ col… ┃ … ┃
        ┃   ┃ <Int> ┃ <In… ┃   ┃
        ┡━━━╇━━━━━━━╇━━━━━━╇━━━┩
        │ 0 │ 0     │ 1    │ … │
        └───┴───────┴──────┴───┘
        1 row, 20 columns
        """)
  }

  @Test("no line is wider than requested, down to the narrowest table", arguments: 0..<5)
  func everyWidth(columns: Int) {
    let cells = ["", "a", "日本語日本語", "👩‍👩‍👧👩‍👩‍👧", "e\u{301}e\u{301}e\u{301}", "a\nb", "plain text"]
    let table = ResultTable(
      columns: (0..<columns).map { .init(name: cells[($0 + 3) % 7], type: cells[$0]) },
      rows: (0..<11).map { row in (0..<columns).map { cells[(row + $0) % 7] } })
    for width in -1...80 {
      let lines = table.description(width: width).split(separator: "\n").dropLast()
      let widths = Set(lines.map(\.terminalWidth))
      #expect(widths.count == 1, "at \(width)")
      #expect(widths.max() ?? 0 <= max(width, 16), "at \(width)")
    }
  }
}
