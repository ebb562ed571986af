import Apus
@_spi(Tools) import SQLCore

/// The standard output of a command, in the form that the caller chose.
///
/// In texts of a file, control characters are escaped before they reach a terminal.
package final class Output {
  /// The format in which results are written.
  package let format: OutputFormat
  private let layout: TableLayout
  /// The width of tables in columns of the terminal; nil if it is not limited.
  package let width: Int?
  private let isColored: Bool
  private let isTerminal: Bool
  private let write: (String) -> Void
  private var buffer = ""

  /// Makes an output.
  ///
  /// - Parameter write: the closure that writes the text; by default, it writes to the standard
  ///   output.
  package init(
    format: OutputFormat, layout: TableLayout = TableLayout(), width: Int? = Terminal.width,
    isColored: Bool = Terminal.wantsColor,
    isTerminal: Bool = Terminal.isOutput,
    write: @escaping (String) -> Void = StandardOutput.write
  ) {
    self.format = format
    self.layout = layout
    self.width = width
    self.isColored = isColored
    self.isTerminal = isTerminal
    self.write = write
  }

  deinit { flush() }

  /// Writes the text that has been collected.
  package func flush() {
    guard !buffer.isEmpty else { return }
    write(buffer)
    buffer = ""
  }

  /// Appends text without escaping it. If its control characters must be escaped, the caller has
  /// already done so.
  package func put(_ text: String) {
    buffer += text
    if buffer.utf8.count > 1 << 16 { flush() }
  }

  /// Writes a line of text for people. Control characters, such as line breaks in names, are
  /// escaped.
  ///
  /// - Parameter isCut: whether the line is cut at the width of tables.
  package func line(_ text: String, _ style: TextStyle? = nil, isCut: Bool = false) {
    var safe = text.escapedForTerminal()
    if isCut, let width { safe = safe.cut(toTerminalWidth: width) }
    put((isColored ? style.map(safe.styled) ?? safe : safe) + "\n")
  }

  /// Writes a text of several lines that a file contains, such as SQL. Control characters are
  /// escaped only on a terminal; another program gets the text unchanged.
  package func text(_ text: String) {
    put((isTerminal ? text.escapedForTerminal(keepingLineBreaks: true) : text) + "\n")
  }

  /// Writes a line of CSV.
  package func csv(_ values: [DatabaseValue]) {
    put(CSVLine.text(of: values, isTerminal: isTerminal))
  }

  /// Writes rows in the format of this output. In JSON and CSV, throws for a text that is not
  /// UTF-8, because these formats cannot hold such a text.
  ///
  /// - Parameters:
  ///   - limit: the largest number of rows that a table shows; JSON and CSV contain all rows.
  ///   - rows: a closure that calls its first argument with the names of the columns, and then its
  ///     second argument with each row, until the second argument returns false.
  /// - Returns: whether a table was cut at the limit.
  @discardableResult
  package func rows(
    limit: Int = .max,
    _ rows: (_ columns: ([String]) -> Void, _ row: ([DatabaseValue]) throws -> Bool) throws -> Void
  ) throws -> Bool {
    switch format {
    case .table:
      var table = TextTable(layout, names: [])
      var isCut = false
      try rows({ table = TextTable(layout, names: $0) }) { values in
        isCut = table.rowCount == limit
        if !isCut { table.append(values) }
        return !isCut
      }
      let (lines, leftOut) = table.lines(width: width)
      for line in lines {
        put((isColored ? line.style.map(line.text.styled) ?? line.text : line.text) + "\n")
      }
      if !leftOut.isEmpty {
        let names = leftOut.joined(separator: ", ")
        line("… and columns for which there is no room: \(names); see --vertical", .dim)
      }
      if isCut { line("… and more rows: see --limit", .dim) }
      return isCut
    case .json:
      var writer = JSONRows()
      var check = TextCheck()
      try rows({
        writer.names($0)
        check.names = $0
      }) { values in
        try check.next(values)
        put(writer.row(values))
        return true
      }
      put(writer.end + "\n")
    case .csv:
      var check = TextCheck()
      try rows({
        csv($0.map(DatabaseValue.text))
        check.names = $0
      }) { values in
        try check.next(values)
        csv(values)
        return true
      }
    }
    return false
  }

  /// Runs a statement, and writes its rows.
  ///
  /// - Parameters:
  ///   - limit: the largest number of rows.
  ///   - progress: called from time to time with the number of rows and the number of bytes.
  /// - Returns: the number of rows that were written.
  @discardableResult
  package func rows(
    of sql: SQL, in connection: Connection, limit: Int = .max,
    progress: (_ rows: Int, _ bytes: Int) -> Void = { _, _ in }
  ) throws -> Int {
    // `RowText` escapes no control characters in CSV, so it is not used for CSV on a terminal.
    guard format == .json || format == .csv && !isTerminal else {
      var count = 0
      try rows(limit: limit) { names, row in
        try connection.forEachRow(of: sql, names: names) { values in
          // A table takes one row more than the limit, to know whether rows are left out.
          if format != .table, count == limit { return false }
          let isTaken = try row(values)
          if isTaken { count += 1 }
          return isTaken
        }
      }
      return count
    }
    flush()
    let statement = try connection.prepare(sql)
    var text = RowText(names: try statement.columnNames, isJSON: format == .json)
    var byteCount = 0
    while text.count < limit, try statement.step() {
      try Interruption.check()
      try statement.withRow { try text.append($0) }
      guard text.count == 1 || text.byteCount > 1 << 16 else { continue }
      byteCount += text.byteCount
      write(text.take())
      progress(text.count, byteCount)
    }
    text.end()
    write(text.take())
    return text.count
  }

  /// Writes rows that are already in memory.
  package func rows(_ columns: [String], _ rows: [[DatabaseValue]]) throws {
    try self.rows { names, row in
      names(columns)
      for values in rows { _ = try row(values) }
    }
  }
}

/// A check of rows for texts that JSON and CSV cannot hold.
struct TextCheck {
  var names: [String] = []
  private var count = 0

  /// Throws if the row has a text that is not UTF-8. The error names the column, and the number of
  /// the row, counted from 1.
  mutating func next(_ values: [DatabaseValue]) throws {
    count += 1
    for (name, value) in zip(names, values) {
      if case .invalidText = value { throw Self.failure(row: count, name) }
    }
  }

  static func failure(row: Int, _ name: String) -> ReadableError {
    ReadableError(
      "row \(row), \(name): the text is not UTF-8, so it has no form in JSON and CSV; a statement "
        + "that selects CAST(\(name) AS BLOB) writes its bytes in base64")
  }
}

extension Output {
  /// Writes several results as one JSON object: a member for each, whose value is an array of rows.
  package func object(
    _ results: [(name: String, columns: [String], rows: [[DatabaseValue]])]
  ) throws {
    for (index, result) in results.enumerated() {
      put((index == 0 ? "{" : ", ") + result.name.jsonLiteral + ": ")
      var writer = JSONRows()
      writer.names(result.columns)
      for row in result.rows { put(writer.row(row)) }
      put(writer.end)
    }
    put("}\n")
  }
}
