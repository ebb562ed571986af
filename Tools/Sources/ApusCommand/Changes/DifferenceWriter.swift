import Apus
import FileInspection
import ToolOutput

/// A writer of differences, in the output format that the caller chose.
final class DifferenceWriter {
  private let output: Output
  /// Whether the output has no end, as in the command `watch`. JSON is then written as one object
  /// on each line, and not as an array.
  private let isEndless: Bool
  private var count = 0
  private var heading: String?

  init(_ output: Output, isEndless: Bool = false) {
    self.output = output
    self.isEndless = isEndless
    if output.format == .csv {
      csv(["change", "table", "key", "column", "old", "new"].map { .text($0) })
    }
  }

  /// Ends the output.
  func end() {
    if output.format == .json, !isEndless { output.put(count == 0 ? "[]\n" : "\n]\n") }
    output.flush()
  }

  /// Begins a section of the text, such as a transaction. Each section repeats the names of its
  /// tables.
  func begin(_ title: String) {
    heading = nil
    if output.format == .table { output.line(title, .dim, isCut: true) }
  }

  /// Writes a remark on a line of its own, below the last difference.
  func note(_ text: String) { output.line(text, .red, isCut: true) }

  // MARK: Differences

  func write(_ difference: SchemaDifference) {
    count += 1
    switch output.format {
    case .table:
      head("schema")
      let name = "\(difference.type) \(difference.name)"
      output.line("\(difference.kind.sign) \(name)", difference.kind.style, isCut: true)
      for (sql, sign, style) in [
        (difference.old, "-", TextStyle.red), (difference.new, "+", .green),
      ] {
        guard let sql, difference.kind == .updated else { continue }
        for line in sql.split(separator: "\n") {
          output.line("    \(sign) \(line)", style, isCut: true)
        }
      }
    case .json:
      object([
        ("change", difference.kind.rawValue.jsonLiteral), ("type", difference.type.jsonLiteral),
        ("name", difference.name.jsonLiteral), ("old", difference.old?.jsonLiteral ?? "null"),
        ("new", difference.new?.jsonLiteral ?? "null"),
      ])
    case .csv:
      csv([
        .text(difference.kind.rawValue), .text("sqlite_schema"), .text(difference.name),
        .text(difference.type), difference.old.map { .text($0) } ?? .null,
        difference.new.map { .text($0) } ?? .null,
      ])
    }
  }

  func write(_ difference: RowDifference) {
    count += 1
    switch output.format {
    case .table:
      head(difference.table)
      output.line(difference.line, difference.kind.style, isCut: true)
    case .json: object(difference.jsonMembers)
    case .csv: for line in difference.csvLines { csv(line) }
    }
  }

  /// Writes that the rows of a table are not compared.
  func write(_ table: UncomparedTable) {
    count += 1
    switch output.format {
    case .table:
      heading = nil
      output.line("\(table.name) is not compared: \(table.reason)", .red)
    case .json:
      object([
        ("change", "unknown".jsonLiteral), ("table", table.name.jsonLiteral),
        ("reason", table.reason.jsonLiteral),
      ])
    case .csv: csv([.text("unknown"), .text(table.name), .null, .null, .null, .null])
    }
  }

  private func head(_ title: String) {
    guard heading != title else { return }
    heading = title
    output.line(title, .bold, isCut: true)
  }

  private func object(_ members: [(name: String, json: String)]) {
    let text =
      "{" + members.map { "\($0.name.jsonLiteral): \($0.json)" }.joined(separator: ", ") + "}"
    if isEndless {
      output.put(text + "\n")
    } else {
      output.put((count == 1 ? "[\n  " : ",\n  ") + text)
    }
  }

  private func csv(_ values: [DatabaseValue]) { output.csv(values) }
}

extension RowDifference {
  /// The difference as a line of text: `+`, `~` or `-`, then the key and the values.
  var line: String {
    let keyText = key.map(\.shownInLine).joined(separator: ", ")
    let values = columns.indices.map { index in
      switch kind {
      case .inserted: "\(columns[index]): \(new[index].shownInLine)"
      case .deleted: "\(columns[index]): \(old[index].shownInLine)"
      case .updated: "\(columns[index]): \(old[index].shownInLine) → \(new[index].shownInLine)"
      }
    }
    return "\(kind.sign) " + (keyText.isEmpty ? "" : keyText + "  ")
      + values.joined(separator: ", ")
  }

  /// The members of the difference as a JSON object.
  var jsonMembers: [(name: String, json: String)] {
    func object(_ values: [DatabaseValue]) -> String {
      values.isEmpty
        ? "null"
        : "{" + zip(columns, values).map { "\($0.jsonLiteral): \($1.json)" }.joined(separator: ", ")
          + "}"
    }
    return [
      ("change", kind.rawValue.jsonLiteral), ("table", table.jsonLiteral), ("key", keyJSON),
      ("old", object(old)), ("new", object(new)),
    ]
  }

  private var keyJSON: String { "[" + key.map(\.json).joined(separator: ", ") + "]" }

  /// The difference as lines of CSV, with a line for each of its columns. A key of several columns
  /// is written as a JSON array.
  var csvLines: [[DatabaseValue]] {
    let keyValue: DatabaseValue = key.count > 1 ? .text(keyJSON) : key.first ?? .null
    return columns.indices.map { index in
      [
        .text(kind.rawValue), .text(table), keyValue, .text(columns[index]),
        old.isEmpty ? .null : old[index], new.isEmpty ? .null : new[index],
      ]
    }
  }
}

extension RowDifference.Kind {
  var sign: String {
    switch self {
    case .inserted: "+"
    case .updated: "~"
    case .deleted: "-"
    }
  }

  var style: TextStyle? {
    switch self {
    case .inserted: .green
    case .updated: nil
    case .deleted: .red
    }
  }
}
