import SQLCore
import Testing

@Suite("Result tables as text")
struct ResultTableTests {
  @Test("a column is as wide as its name, type and widest cell")
  func sample() {
    let table = ResultTable(
      columns: [
        .init(name: "id", type: "Int64"), .init(name: "name", type: "String"),
        .init(name: "tag", type: "String"),
      ],
      rows: [["1", "Jane", nil], ["2", "George", "tagged"]])
    #expect(
      table.description == """
        ┏━━━┳━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┓
        ┃   ┃ id      ┃ name     ┃ tag      ┃
        ┃   ┃ <Int64> ┃ <String> ┃ <String> ┃
        ┡━━━╇━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━┩
        │ 0 │ 1       │ Jane     │ nil      │
        │ 1 │ 2       │ George   │ tagged   │
        └───┴─────────┴──────────┴──────────┘
        2 rows, 3 columns
        """)
  }

  @Test("one row and one column are singular, and a wide cell widens its column")
  func singular() {
    let table = ResultTable(
      columns: [.init(name: "n", type: "Int")], rows: [["1234567890"]])
    #expect(
      table.description == """
        ┏━━━┳━━━━━━━━━━━━┓
        ┃   ┃ n          ┃
        ┃   ┃ <Int>      ┃
        ┡━━━╇━━━━━━━━━━━━┩
        │ 0 │ 1234567890 │
        └───┴────────────┘
        1 row, 1 column
        """)
  }

  @Test("a table without rows still shows its columns")
  func noRows() {
    let table = ResultTable(
      columns: [.init(name: "identifier", type: "Int64"), .init(name: "", type: "")], rows: [])
    #expect(
      table.description == """
        ┏━━━┳━━━━━━━━━━━━┳━━━┓
        ┃   ┃ identifier ┃   ┃
        ┃   ┃ <Int64>    ┃   ┃
        ┡━━━╇━━━━━━━━━━━━╇━━━┩
        └───┴────────────┴───┘
        0 rows, 2 columns
        """)
  }

  @Test("a table without columns prints an empty frame")
  func noColumns() {
    #expect(
      ResultTable(columns: [], rows: []).description == """
        ┏━━━┓
        ┃   ┃
        ┃   ┃
        ┡━━━┩
        └───┘
        0 rows, 0 columns
        """)
  }

  @Test("row numbers are padded to one width")
  func rowNumbers() {
    let table = ResultTable(
      columns: [.init(name: "n", type: "Int")], rows: (0...10).map { ["\($0 * $0)"] })
    let lines = table.description.split(separator: "\n")
    #expect(lines[4] == "│ 0  │ 0     │")
    #expect(lines[14] == "│ 10 │ 100   │")
    #expect(Set(lines.dropLast().map(\.count)) == [14])
  }

  @Test("control characters in a cell, a name or a type do not break the frame")
  func controlCharacters() {
    let table = ResultTable(
      columns: [.init(name: "a\nb", type: "T\u{1B}")],
      rows: [
        ["one\ntwo\r\n"], ["\tx\u{0}y\u{7F}"], ["\u{85}\u{2028}\u{2029}"], ["\u{202E}abc"],
        ["C:\\new"],
      ])
    #expect(
      table.description == #"""
        ┏━━━┳━━━━━━━━━━━━━━━━━━━━━━━━┓
        ┃   ┃ a\nb                   ┃
        ┃   ┃ <T\u{1B}>              ┃
        ┡━━━╇━━━━━━━━━━━━━━━━━━━━━━━━┩
        │ 0 │ one\ntwo\r\n           │
        │ 1 │ \tx\u{0}y\u{7F}        │
        │ 2 │ \u{85}\u{2028}\u{2029} │
        │ 3 │ \u{202E}abc            │
        │ 4 │ C:\new                 │
        └───┴────────────────────────┘
        5 rows, 1 column
        """#)
  }

  @Test("characters are as wide as a terminal draws them: accents, East Asian text and emoji")
  func wideCharacters() {
    let table = ResultTable(
      columns: [.init(name: "名前", type: "String")],
      rows: [
        ["e\u{301}é"], ["👩‍👩‍👧"], [""], ["日本語"], ["ｱｲｳ"], ["한국"], ["\u{1112}\u{1161}\u{11AB}"],
        ["🇪🇺🇯🇵"], ["❤\u{FE0F}❤"], ["1\u{FE0F}\u{20E3}"], ["👍🏽"], ["שָׁלוֹם"], ["กำลัง"], ["😀ab"],
      ])
    #expect(
      table.description == """
        ┏━━━━┳━━━━━━━━━━┓
        ┃    ┃ 名前     ┃
        ┃    ┃ <String> ┃
        ┡━━━━╇━━━━━━━━━━┩
        │ 0  │ e\u{301}é       │
        │ 1  │ 👩‍👩‍👧       │
        │ 2  │          │
        │ 3  │ 日本語   │
        │ 4  │ ｱｲｳ      │
        │ 5  │ 한국     │
        │ 6  │ \u{1112}\u{1161}\u{11AB}       │
        │ 7  │ 🇪🇺🇯🇵     │
        │ 8  │ ❤\u{FE0F}❤      │
        │ 9  │ 1\u{FE0F}\u{20E3}       │
        │ 10 │ 👍🏽       │
        │ 11 │ שָׁלוֹם     │
        │ 12 │ กำลัง     │
        │ 13 │ 😀ab     │
        └────┴──────────┘
        14 rows, 1 column
        """)
  }

  @Test("rows that are too short or too long are shown as they are")
  func raggedRows() {
    let table = ResultTable(
      columns: [.init(name: "a", type: "Int"), .init(name: "b", type: "Int")],
      rows: [["1"], ["1", "2", "3"]])
    #expect(
      table.description == """
        ┏━━━┳━━━━━━━┳━━━━━━━┳━━━┓
        ┃   ┃ a     ┃ b     ┃   ┃
        ┃   ┃ <Int> ┃ <Int> ┃   ┃
        ┡━━━╇━━━━━━━╇━━━━━━━╇━━━┩
        │ 0 │ 1     │       │   │
        │ 1 │ 1     │ 2     │ 3 │
        └───┴───────┴───────┴───┘
        2 rows, 3 columns
        """)
  }

  @Test("tables are compared by columns and cells")
  func equality() {
    let table = ResultTable(columns: [.init(name: "a", type: "Int")], rows: [[nil]])
    #expect(table == ResultTable(columns: [.init(name: "a", type: "Int")], rows: [[nil]]))
    #expect(table != ResultTable(columns: [.init(name: "a", type: "Int")], rows: [["nil"]]))
    #expect(table != ResultTable(columns: [.init(name: "a", type: "Text")], rows: [[nil]]))
  }
}
