import Apus
import Foundation

/// The standard output of a command, in the form that the caller chose.
///
/// Nothing that a file contains reaches a terminal unescaped.
public final class Output {
  /// The form of results.
  public let format: OutputFormat
  /// The width of tables in columns of the terminal; nil if it is not limited.
  public let width: Int?
  private let isColored: Bool
  private let isTerminal: Bool
  private let write: (String) -> Void
  private var buffer = ""

  /// Makes an output.
  ///
  /// - Parameter write: what takes the text; the standard output unless a test says otherwise.
  public init(
    format: OutputFormat, width: Int? = Terminal.width, isColored: Bool = Terminal.wantsColor,
    isTerminal: Bool = Terminal.isOutput,
    write: @escaping (String) -> Void = { FileHandle.standardOutput.write(Data($0.utf8)) }
  ) {
    self.format = format
    self.width = width
    self.isColored = isColored
    self.isTerminal = isTerminal
    self.write = write
  }

  deinit { flush() }

  /// Writes what has been collected.
  public func flush() {
    guard !buffer.isEmpty else { return }
    write(buffer)
    buffer = ""
  }

  /// Appends text that is safe already.
  func put(_ text: String) {
    buffer += text
    if buffer.utf8.count > 1 << 16 { flush() }
  }

  /// Writes a line of text for people, with all line breaks of names escaped.
  public func line(_ text: String, _ style: TextStyle? = nil) {
    let safe = text.escapedForTerminal()
    put((isColored ? style.map(safe.styled) ?? safe : safe) + "\n")
  }

  /// Writes a text of several lines that a file contains, such as SQL. Only on a terminal are its
  /// control characters escaped: another program gets it as it is.
  public func text(_ text: String) {
    put((isTerminal ? text.escapedForTerminal(keepingLineBreaks: true) : text) + "\n")
  }

  /// Writes rows as the format says.
  ///
  /// - Parameters:
  ///   - columns: the names of the columns.
  ///   - types: the types that a table shows below the names.
  ///   - limit: the largest number of rows that a table shows; JSON and CSV have all.
  ///   - rows: calls its argument with each row, until that returns false.
  /// - Returns: whether a table was cut at the limit.
  @discardableResult
  public func rows(
    limit: Int = .max,
    _ rows: (_ columns: ([String]) -> Void, _ row: ([DatabaseValue]) -> Bool) throws -> Void
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
      try rows({ writer.names($0) }) { values in
        put(writer.row(values))
        return true
      }
      put(writer.end + "\n")
    case .csv:
      try rows({ put(CSVLine.text(of: $0.map(DatabaseValue.text), isTerminal: isTerminal)) }) {
        put(CSVLine.text(of: $0, isTerminal: isTerminal))
        return true
      }
    }
    return false
  }

  /// Writes rows that are known already.
  public func rows(_ columns: [String], _ rows: [[DatabaseValue]]) throws {
    try self.rows { names, row in
      names(columns)
      for values in rows { _ = row(values) }
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

extension DatabaseValue {
  /// The beginning of the value as a cell of a table shows it.
  fileprivate var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text): text.excerpt(200)
    case .blob(let data): data.count == 1 ? "1 byte" : "\(data.count) bytes"
    }
  }
}

extension Output {
  /// Writes several results as one JSON object: a member for each, whose value is an array of rows.
  public func object(
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
