/// The result of a query as text, to be looked at in a console, a log or a test.
///
/// ```swift
/// print(ResultTable(columns: [.init(name: "id", type: "Int64")], rows: [["1"], [nil]]))
/// ```
///
///     ┏━━━┳━━━━━━━━━┓
///     ┃   ┃ id      ┃
///     ┃   ┃ <Int64> ┃
///     ┡━━━╇━━━━━━━━━┩
///     │ 0 │ 1       │
///     │ 1 │ nil     │
///     └───┴─────────┘
///     2 rows, 1 column
public struct ResultTable: Sendable, Equatable {
  /// What stands at the head of a column.
  public struct Column: Sendable, Equatable {
    /// The name of the column; two columns of a result may have the same.
    public var name: String

    /// The name of the type of its values, Swift's or SQLite's; empty if it has none.
    public var type: String

    /// Makes the head of a column.
    public init(name: String, type: String) {
      self.name = name
      self.type = type
    }
  }

  /// The columns, from left to right.
  public var columns: [Column]

  /// The cells, row after row; nil is printed as `nil`.
  ///
  /// A row that has fewer cells than there are columns ends in blanks; one that has more adds
  /// columns without a name, so that all its cells are seen.
  public var rows: [[String?]]

  /// Makes a table of columns and rows.
  public init(columns: [Column], rows: [[String?]]) {
    self.columns = columns
    self.rows = rows
  }
}

extension ResultTable: CustomStringConvertible {
  /// The table in a frame, with the row numbers on the left and the count of rows and columns below.
  ///
  /// A column is as wide as the widest of its name, type and cells, in characters. Line breaks and
  /// other control characters are written as escapes (`\n`, `\t`, `\u{0}`); a backslash that is
  /// in a cell stays as it is. Costs the size of the table; no row or cell is left out.
  public var description: String {
    let width = rows.reduce(columns.count) { max($0, $1.count) }
    let blank = Array(repeating: "", count: width - columns.count)
    let names = [""] + columns.map { Self.escaped($0.name) } + blank
    let types =
      [""] + columns.map { $0.type.isEmpty ? "" : "<\(Self.escaped($0.type))>" } + blank
    let cells = rows.enumerated().map { number, row in
      [String(number)] + row.map { $0.map(Self.escaped) ?? "nil" }
        + Array(repeating: "", count: width - row.count)
    }

    // One character at least, so that the frame of a table without rows keeps its shape.
    var widths = Array(repeating: 1, count: width + 1)
    for line in [names, types] + cells {
      for (index, cell) in line.enumerated() {
        widths[index] = max(widths[index], cell.count)
      }
    }

    var text = ""
    text += Self.rule("┏", "━", "┳", "┓", widths)
    text += Self.line("┃", names, widths)
    text += Self.line("┃", types, widths)
    text += Self.rule("┡", "━", "╇", "┩", widths)
    for line in cells {
      text += Self.line("│", line, widths)
    }
    text += Self.rule("└", "─", "┴", "┘", widths)
    text += "\(rows.count) \(rows.count == 1 ? "row" : "rows"), "
    text += "\(width) \(width == 1 ? "column" : "columns")"
    return text
  }

  private static func rule(
    _ left: String, _ fill: String, _ joint: String, _ right: String, _ widths: [Int]
  ) -> String {
    let segments = widths.map { String(repeating: fill, count: $0 + 2) }
    return left + segments.joined(separator: joint) + right + "\n"
  }

  private static func line(_ bar: String, _ cells: [String], _ widths: [Int]) -> String {
    var line = bar
    for (cell, width) in zip(cells, widths) {
      line += " " + cell + String(repeating: " ", count: width - cell.count + 1) + bar
    }
    return line + "\n"
  }

  /// The text on one line: what would move the cursor or turn the direction of writing, escaped.
  private static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: breaksFrame) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where breaksFrame(scalar):
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func breaksFrame(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: return scalar.properties.isBidiControl
    }
  }
}
