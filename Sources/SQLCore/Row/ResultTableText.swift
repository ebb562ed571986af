/// The text of a table. While the table is laid out, this value has the text of each cell and the
/// width of each column.
struct ResultTableText {
  private var names: [String]
  private var types: [String]
  private var cells: [[String]]
  /// The width of each column, in characters of a terminal. The first element is for the row
  /// numbers.
  private var widths: [Int]
  private let summary: String

  init(_ table: ResultTable) {
    let count = table.rows.reduce(table.columns.count) { max($0, $1.count) }
    let blank = Array(repeating: "", count: count - table.columns.count)
    names = [""] + table.columns.map { Self.escaped($0.name) } + blank
    types =
      [""] + table.columns.map { $0.type.isEmpty ? "" : "<\(Self.escaped($0.type))>" } + blank
    cells = table.rows.enumerated().map { number, row in
      [String(number)] + row.map { $0.map(Self.escaped) ?? "nil" }
        + Array(repeating: "", count: count - row.count)
    }
    let rows = "\(table.rows.count) \(table.rows.count == 1 ? "row" : "rows")"
    summary = "\(rows), \(count) \(count == 1 ? "column" : "columns")"
    // A column is at least one character wide, so that the frame of an empty table keeps its shape.
    widths = Array(repeating: 1, count: count + 1)
    for line in [names, types] + cells {
      for (index, cell) in line.enumerated() {
        widths[index] = max(widths[index], cell.terminalWidth)
      }
    }
  }

  var text: String {
    var text = ""
    text += rule("┏", "━", "┳", "┓")
    text += line("┃", names)
    text += line("┃", types)
    text += rule("┡", "━", "╇", "┩")
    for cells in cells { text += line("│", cells) }
    text += rule("└", "─", "┴", "┘")
    return text + summary
  }

  private func rule(_ left: String, _ fill: String, _ joint: String, _ right: String) -> String {
    let segments = widths.map { String(repeating: fill, count: $0 + 2) }
    return left + segments.joined(separator: joint) + right + "\n"
  }

  private func line(_ bar: String, _ cells: [String]) -> String {
    var line = bar
    for (cell, width) in zip(cells, widths) {
      let blank = String(repeating: " ", count: width - cell.terminalWidth + 1)
      line += " " + cell + blank + bar
    }
    return line + "\n"
  }

  // MARK: Cutting

  /// The least width of a truncated column: two characters and `…`.
  private static let leastWidth = 3

  /// Returns the width of a line with columns of these widths.
  private static func lineWidth(_ widths: some Sequence<Int>) -> Int {
    widths.reduce(1) { $0 + $1 + 3 }
  }

  mutating func cut(to width: Int) {
    guard Self.lineWidth(widths) > width else { return }
    let least = [widths[0]] + widths.dropFirst().map { min($0, Self.leastWidth) }
    if Self.lineWidth(least) > width, least.count > 2 {
      // As many columns are kept as fit, together with a column of `…` that stands for the omitted
      // columns.
      var kept = least.count - 1
      while kept > 2, Self.lineWidth(least.prefix(kept) + [1]) > width { kept -= 1 }
      leaveOut(from: kept)
    }
    shrink(to: width)
  }

  /// Replaces all columns from `index` on by one column of `…`.
  private mutating func leaveOut(from index: Int) {
    names = names.prefix(index) + ["…"]
    types = types.prefix(index) + [""]
    cells = cells.map { $0.prefix(index) + ["…"] }
    widths = widths.prefix(index) + [1]
  }

  /// Narrows the widest columns until a line fits.
  private mutating func shrink(to width: Int) {
    let room = width - Self.lineWidth(widths.map { _ in 0 }) - widths[0]
    let natural = widths.dropFirst()
    func sum(_ bound: Int) -> Int { natural.reduce(0) { $0 + min($1, bound) } }
    var bound = Self.leastWidth
    let widest = natural.max() ?? 0
    while bound < widest, sum(bound + 1) <= room { bound += 1 }
    // If the line has room for more characters, the first truncated columns get one character each.
    var left = max(0, room - sum(bound))
    for index in widths.indices.dropFirst() where widths[index] > bound {
      widths[index] = bound + (left > 0 ? 1 : 0)
      left -= 1
    }
    for index in widths.indices.dropFirst() {
      names[index] = names[index].cut(toTerminalWidth: widths[index])
      types[index] = types[index].cut(toTerminalWidth: widths[index])
      for row in cells.indices {
        cells[row][index] = cells[row][index].cut(toTerminalWidth: widths[index])
      }
    }
  }

  // MARK: Escapes

  /// Returns the text as a single line. Characters that would move the cursor or change the
  /// direction of writing are replaced by escapes.
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

// The width of a text in terminal columns: two for an East Asian character or an emoji, none for a
// combining accent, one for most others.

extension StringProtocol {
  /// The width in terminal columns.
  @_spi(Tools)
  public var terminalWidth: Int {
    // The caller has already escaped control characters, so each ASCII byte takes one column.
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(0) { $0 + $1.terminalWidth }
  }

  /// Returns the text if it takes at most `width` columns. Otherwise, returns its beginning and
  /// `…`.
  @_spi(Tools)
  public func cut(toTerminalWidth width: Int) -> String {
    guard terminalWidth > width else { return String(self) }
    var left = width - 1
    let start = prefix { character in
      left -= character.terminalWidth
      return left >= 0
    }
    return start + "…"
  }
}

extension Character {
  /// The width in terminal columns: the sum of the widths of the character's scalars. An emoji is
  /// always two columns wide, even if it consists of several scalars.
  fileprivate var terminalWidth: Int {
    guard let first = unicodeScalars.first?.properties else { return 0 }
    if first.isEmojiPresentation { return 2 }
    var width = 0
    for scalar in unicodeScalars {
      // The variation selector U+FE0F selects the emoji form of a character whose default form is
      // text.
      if scalar.value == 0xFE0F, first.isEmoji { return 2 }
      width += scalar.terminalWidth
    }
    return width
  }
}

extension Unicode.Scalar {
  fileprivate var terminalWidth: Int {
    if isASCII { return 1 }
    if isWide || properties.isEmojiPresentation { return 2 }
    return isWithoutWidth ? 0 : 1
  }

  /// Whether the scalar takes no column of its own. Terminals draw such a scalar over the character
  /// before it, or do not draw it.
  private var isWithoutWidth: Bool {
    // Hangul vowels and final consonants join the consonant before them.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return true }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return true
    // A soft hyphen is visible in terminals.
    case .format: return value != 0xAD
    default: return false
    }
  }

  /// Whether Unicode's property East Asian Width is W (wide) or F (fullwidth) for the scalar. Emoji
  /// are not included, because `terminalWidth` recognises them by another property.
  ///
  /// - SeeAlso: <https://www.unicode.org/reports/tr11/>
  private var isWide: Bool {
    guard value >= 0x1100 else { return false }
    return Self.wide.contains { $0.contains(value) }
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
    0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x16FF1, 0x17000...0x18D08,
    0x1AFF0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}
