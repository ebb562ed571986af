import Apus

/// The standard output of a command, in the form that the caller chose.
///
/// Nothing that a file contains reaches a terminal unescaped.
package final class Output {
  /// The form of results.
  package let format: OutputFormat
  /// The width of tables in columns of the terminal; nil if it is not limited.
  package let width: Int?
  private let isColored: Bool
  private let isTerminal: Bool
  private let write: (String) -> Void
  private var buffer = ""

  /// Makes an output.
  ///
  /// - Parameter write: what takes the text; the standard output unless a test says otherwise.
  package init(
    format: OutputFormat, width: Int? = Terminal.width, isColored: Bool = Terminal.wantsColor,
    isTerminal: Bool = Terminal.isOutput,
    write: @escaping (String) -> Void = StandardOutput.write
  ) {
    self.format = format
    self.width = width
    self.isColored = isColored
    self.isTerminal = isTerminal
    self.write = write
  }

  deinit { flush() }

  /// Writes what has been collected.
  package func flush() {
    guard !buffer.isEmpty else { return }
    write(buffer)
    buffer = ""
  }

  /// Appends text that is safe already.
  package func put(_ text: String) {
    buffer += text
    if buffer.utf8.count > 1 << 16 { flush() }
  }

  /// Writes a line of text for people, with all line breaks of names escaped.
  package func line(_ text: String, _ style: TextStyle? = nil) {
    let safe = text.escapedForTerminal()
    put((isColored ? style.map(safe.styled) ?? safe : safe) + "\n")
  }

  /// Writes a text of several lines that a file contains, such as SQL. Only on a terminal are its
  /// control characters escaped: another program gets it as it is.
  package func text(_ text: String) {
    put((isTerminal ? text.escapedForTerminal(keepingLineBreaks: true) : text) + "\n")
  }

  /// Writes a line of CSV.
  package func csv(_ values: [DatabaseValue]) {
    put(CSVLine.text(of: values, isTerminal: isTerminal))
  }

  /// Writes rows as the format says. Throws for a text that is not UTF-8 in JSON and CSV, which cannot
  /// have its bytes.
  ///
  /// - Parameters:
  ///   - columns: the names of the columns.
  ///   - types: the types that a table shows below the names.
  ///   - limit: the largest number of rows that a table shows; JSON and CSV have all.
  ///   - rows: calls its argument with each row, until that returns false.
  /// - Returns: whether a table was cut at the limit.
  @discardableResult
  package func rows(
    limit: Int = .max,
    _ rows: (_ columns: ([String]) -> Void, _ row: ([DatabaseValue]) throws -> Bool) throws -> Void
  ) throws -> Bool {
    switch format {
    case .table:
      var table = ResultTable(columns: [], rows: [])
      var isCut = false
      try rows({ names in
        table.columns = names.map { ResultTable.Column(name: $0.excerpt(80), type: "") }
      }) { values in
        isCut = table.rows.count == limit
        guard !isCut else { return false }
        for (index, value) in values.enumerated() where index < table.columns.count {
          let type = value.storageClass.rawValue
          let known = table.columns[index].type
          guard !value.isNull, known != type, known != "ANY" else { continue }
          table.columns[index].type = known.isEmpty ? type : "ANY"
        }
        table.rows.append(values.map(\.shown))
        return true
      }
      put(table)
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

  /// Writes rows that are known already.
  package func rows(_ columns: [String], _ rows: [[DatabaseValue]]) throws {
    try self.rows { names, row in
      names(columns)
      for values in rows { _ = try row(values) }
    }
  }

  private func put(_ table: ResultTable) {
    let text = width.map(table.description(width:)) ?? table.description
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      let style: TextStyle? = number == 1 ? .bold : number == lines.count - 1 ? .dim : nil
      put((isColored ? style.map(String(line).styled) ?? String(line) : String(line)) + "\n")
    }
  }
}

/// The search of rows for texts that JSON and CSV cannot hold.
private struct TextCheck {
  var names: [String] = []
  private var count = 0

  /// Throws for a text that is not UTF-8, with its column and the number of the row, from 1.
  mutating func next(_ values: [DatabaseValue]) throws {
    count += 1
    for (name, value) in zip(names, values) {
      guard case .invalidText = value else { continue }
      throw ReadableError(
        "row \(count), \(name): the text is not UTF-8, so it has no form in JSON and CSV; a statement "
          + "that selects CAST(\(name) AS BLOB) writes its bytes in base64")
    }
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
