import Apus
@_spi(Tools) import SQLCore

/// Rows that are laid out as text for people.
///
/// Numbers stand at the right of their columns and are never cut. If a frame is too wide, its
/// longest texts are shortened first, then the names of columns of numbers. If there is still no
/// room, columns at the right are left out.
struct TextTable {
  private struct Cell {
    let text: String
    let isNumber: Bool
    var isNull = false
  }

  private struct Column {
    let name: String
    var type = ""
    /// The width of the widest number.
    var numberWidth = 0
    /// The width of the widest value that is neither a number nor NULL.
    var textWidth = 0
    /// The width of NULL; 0 if the column has no NULL.
    var nullWidth = 0

    /// Whether all values are numbers or NULL.
    var isNumeric: Bool { numberWidth > 0 && textWidth == 0 }
  }

  private let layout: TableLayout
  private var columns: [Column]
  private var rows: [[Cell]] = []

  var rowCount: Int { rows.count }

  init(_ layout: TableLayout, names: [String]) {
    self.layout = layout
    columns = names.map { Column(name: $0.excerpt(80).escapedForTerminal()) }
  }

  mutating func append(_ values: [DatabaseValue]) {
    rows.append(
      zip(columns.indices, values).map { index, value in
        let cell = cell(value)
        let width = cell.text.terminalWidth
        note(value.storageClass, in: index)
        if cell.isNull {
          columns[index].nullWidth = width
        } else if cell.isNumber {
          columns[index].numberWidth = max(columns[index].numberWidth, width)
        } else {
          columns[index].textWidth = max(columns[index].textWidth, width, 1)
        }
        return cell
      })
  }

  private func cell(_ value: DatabaseValue) -> Cell {
    let isVertical = layout.form == .vertical
    let isNumber = value.storageClass == .integer || value.storageClass == .real
    return Cell(
      text: value.shown(isVertical ? 2_000 : 200)
        .escapedForTerminal(keepingLineBreaks: isVertical),
      isNumber: isNumber, isNull: value.isNull)
  }

  private mutating func note(_ storageClass: StorageClass, in index: Int) {
    let type = storageClass.rawValue
    let known = columns[index].type
    guard storageClass != .null, known != type, known != "ANY" else { return }
    columns[index].type = known.isEmpty ? type : "ANY"
  }

  /// A line of the text, and its style.
  struct Line {
    let text: String
    var style: TextStyle?
  }

  /// Returns the lines of the table, and the names of the columns that were left out.
  func lines(width: Int?) -> (lines: [Line], leftOut: [String]) {
    switch layout.form {
    case .frame: frame(width)
    case .vertical: (vertical(), [])
    case .markdown: (markdown(), [])
    }
  }

  private var summary: Line {
    let rowText = "\(rows.count) \(rows.count == 1 ? "row" : "rows")"
    let columnText = "\(columns.count) \(columns.count == 1 ? "column" : "columns")"
    return Line(text: "\(rowText), \(columnText)", style: .dim)
  }

  // MARK: Frame

  private func frame(_ width: Int?) -> (lines: [Line], leftOut: [String]) {
    let numberWidth = layout.showsRowNumbers ? String(rows.count).count : nil
    let widths = widths(of: columns, in: width, beside: numberWidth.map { $0 + 3 } ?? 0)
    let isCut = widths.count < columns.count
    let all = (numberWidth.map { [$0] } ?? []) + widths + (isCut ? [1] : [])
    func rule(_ left: String, _ fill: String, _ joint: String, _ right: String) -> Line {
      let parts = all.map { String(repeating: fill, count: $0 + 2) }
      return Line(text: left + parts.joined(separator: joint) + right)
    }
    func line(_ bar: String, _ cells: [Cell], number: String, rest: String) -> String {
      var parts = numberWidth.map { [pad(Cell(text: number, isNumber: true), to: $0)] } ?? []
      for (index, width) in widths.enumerated() {
        let isAtRight = cells[index].isNumber || cells[index].isNull && columns[index].isNumeric
        parts.append(pad(Cell(text: cells[index].text, isNumber: isAtRight), to: width))
      }
      if isCut { parts.append(rest) }
      return "\(bar) " + parts.joined(separator: " \(bar) ") + " \(bar)"
    }
    // The heading of a column of numbers is at the right, above the numbers.
    func heading(_ text: (Column) -> String) -> [Cell] {
      columns.map { Cell(text: text($0), isNumber: $0.isNumeric) }
    }
    var lines = [rule("┏", "━", "┳", "┓")]
    lines.append(Line(text: line("┃", heading(\.name), number: "", rest: "…"), style: .bold))
    if layout.showsTypes {
      lines.append(Line(text: line("┃", heading(\.type), number: "", rest: " "), style: .dim))
    }
    lines.append(rule("┡", "━", "╇", "┩"))
    for (number, row) in rows.enumerated() {
      lines.append(Line(text: line("│", row, number: String(number + 1), rest: "…")))
    }
    lines.append(rule("└", "─", "┴", "┘"))
    return (lines + [summary], columns[widths.count...].map(\.name))
  }

  private func pad(_ cell: Cell, to width: Int) -> String {
    let text = cell.text.cut(toTerminalWidth: width)
    let blank = String(repeating: " ", count: max(0, width - text.terminalWidth))
    return cell.isNumber ? blank + text : text + blank
  }

  /// Returns the widths of the columns that are shown, from the left.
  ///
  /// - Parameter used: the width that the row numbers take beside the columns.
  private func widths(of columns: [Column], in width: Int?, beside used: Int) -> [Int] {
    var widths = columns.map { column in
      max(
        column.name.terminalWidth, layout.showsTypes ? column.type.count : 0, column.numberWidth,
        column.textWidth, column.nullWidth, 1)
    }
    guard let width else { return widths }
    func total(_ widths: some Sequence<Int>) -> Int { widths.reduce(used + 1) { $0 + $1 + 3 } }
    // Each step permits smaller widths than the step before: first only of texts, and at last also
    // of the names of columns of numbers.
    for (least, leastName) in [(24, Int.max), (8, Int.max), (8, 6)] {
      guard total(widths) > width else { return widths }
      let floors = zip(columns, widths).map { column, width in
        max(column.numberWidth, min(width, column.isNumeric ? leastName : least))
      }
      guard total(floors) <= width else {
        widths = floors
        continue
      }
      return narrowed(widths, to: floors, by: total(widths) - width)
    }
    guard total(widths) > width, widths.count > 1 else { return widths }
    // A single column of marks replaces all columns that are left out.
    var count = widths.count - 1
    while count > 1, total(widths.prefix(count)) + 4 > width { count -= 1 }
    return self.widths(of: Array(columns.prefix(count)), in: width - 4, beside: used)
  }

  /// Returns widths whose sum is smaller by `excess`. The widest columns are narrowed first, and no
  /// width becomes smaller than its floor.
  private func narrowed(_ widths: [Int], to floors: [Int], by excess: Int) -> [Int] {
    var bound = widths.max() ?? 0
    func bounded() -> [Int] { zip(widths, floors).map { max($1, min($0, bound)) } }
    let sum = widths.reduce(0, +) - excess
    while bound > 0, bounded().reduce(0, +) > sum { bound -= 1 }
    var result = bounded()
    // The remaining width is given to the first of the narrowed columns.
    for index in result.indices where result[index] == bound && widths[index] > bound {
      guard result.reduce(0, +) < sum else { break }
      result[index] += 1
    }
    return result
  }

  // MARK: Vertical

  private func vertical() -> [Line] {
    let names = columns.map { column in
      layout.showsTypes && !column.type.isEmpty ? "\(column.name) <\(column.type)>" : column.name
    }
    let width = names.map(\.terminalWidth).max() ?? 0
    var lines: [Line] = []
    for (number, row) in rows.enumerated() {
      lines.append(
        Line(text: "── \(number + 1) " + String(repeating: "─", count: 20), style: .bold))
      for (name, cell) in zip(names, row) {
        let indent = String(repeating: " ", count: width - name.terminalWidth)
        let parts = cell.text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
          let head = index == 0 ? indent + name + ": " : String(repeating: " ", count: width + 2)
          lines.append(Line(text: head + part))
        }
      }
    }
    return lines + [summary]
  }

  // MARK: Markdown

  private func markdown() -> [Line] {
    let names = columns.map { column in
      let name = column.name.escapedForMarkdown
      return layout.showsTypes && !column.type.isEmpty ? "\(name) <br>\(column.type)" : name
    }
    let number = layout.showsRowNumbers ? [("", true)] : []
    let head = number + zip(names, columns).map { ($0, $1.isNumeric) }
    var lines = [Line(text: "| " + head.map(\.0).joined(separator: " | ") + " |")]
    lines.append(Line(text: "|" + head.map { $0.1 ? "---:|" : "---|" }.joined()))
    for (index, row) in rows.enumerated() {
      let cells = number.map { _ in String(index + 1) } + row.map(\.text.escapedForMarkdown)
      lines.append(Line(text: "| " + cells.joined(separator: " | ") + " |"))
    }
    return lines
  }
}

extension String {
  /// The text with escapes for the characters that end a cell or begin a mark of Markdown.
  fileprivate var escapedForMarkdown: String {
    escaped(
      ["|": "\\|", "*": "\\*", "`": "\\`", "<": "\\<", "[": "\\[", "\\": "\\\\"],
      where: { _ in false })
  }
}
