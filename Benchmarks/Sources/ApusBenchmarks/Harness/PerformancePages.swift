import Foundation

/// The pages about speed. They are made from the templates in `Benchmarks/Pages` and from the
/// figures of one run, so that the text, the tables and the pictures agree.
///
/// A template has these fields:
///
///     {{W2 apus/c}}         a quotient
///     {{W1 W2 W3 apus/c}}   the smallest and the largest one
///     {{W7f apus}}          a time with its unit
///     {{table W1 W2}}       a table of these workloads; {{table}} of all
///     {{main}}              the table of the twenty workloads that matter most
///     {{notes}}             what was measured beside the times
///     {{instructions}}, {{footprint}}   the tables of what the scripts of these names recorded
///     {{rounds}}, {{day}}, {{machine}}
///     {{picture live}}      a chart with its numbers as text; empty if the run
///                           lacks a point of them
struct PerformancePages {
  private let figures: Figures
  /// The folder of the repository.
  private let root: URL

  init(_ figures: Figures, root: URL) {
    self.figures = figures
    self.root = root
  }

  /// Returns the files to write, each with its path below the folder of the documentation.
  func files() throws -> [(path: String, text: String)] {
    let templates = root.appending(path: "Benchmarks/Pages")
    let pictures = PerformancePictures(figures)
    var files = [
      ("Pictures/performance.svg", pictures.bars(of: Self.main.map { ($0.key, $0.value) }))
    ]
    for growth in Self.growths where pictures.has(growth) {
      files.append(("Pictures/performance-\(growth.name).svg", pictures.lines(of: growth)))
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: templates.path).sorted()
    for name in names where name.hasSuffix(".md.template") {
      let template = try String(contentsOf: templates.appending(path: name), encoding: .utf8)
      let note = "\n<!-- Written by `Scripts/bench --pages` from Benchmarks/Pages/\(name). -->\n"
      let page = String(name.dropLast(".template".count))
      files.append((page, wrapped(try fill(template, of: name)) + note))
    }
    return files
  }

  /// The workloads in the main table and in the first picture, with the labels that they have in
  /// the picture.
  static let main: KeyValuePairs = [
    "W1": "insert an array of models", "W2": "fetch 100,000 models", "W3": "find a model by key",
    "W4": "a query built for each call", "W4p": "a prepared query", "W5": "update a changed column",
    "W6": "the same, observed", "W7": "open a file with 20 models", "W8": "find, from a task",
    "W8m": "find, from the main actor", "W9": "durable inserts of 1,000 tasks",
    "W10b": "live query of 100,000 rows: a change", "W10e": "commit beside 10,000 observers",
    "W11": "stream 10,000,000 models", "W12": "8 readers beside a writer", "W13": "rows of a join",
    "W14": "search 100,000 documents", "W16": "upserts with their outcomes",
    "W18": "find a cached model", "W20": "write to a logged table",
  ]

  /// The charts of times that grow with the number of rows, observers or readers.
  private static let growths = [
    PerformancePictures.liveQueries, PerformancePictures.observers, PerformancePictures.readers,
  ]

  private func fill(_ template: String, of page: String) throws -> String {
    var text = ""
    var rest = template[...]
    while let start = rest.range(of: "{{"), let end = rest.range(of: "}}") {
      text += rest[..<start.lowerBound]
      let field = rest[start.upperBound..<end.lowerBound]
      guard let value = value(of: field.split(whereSeparator: \.isWhitespace)) else {
        throw Options.Invalid(message: "\(page): there is no field {{\(field)}}")
      }
      text += value
      rest = rest[end.upperBound...]
    }
    // A field without content would leave an empty paragraph, which is removed here.
    return (text + rest).replacing(#/\n{3,}/#, with: "\n\n")
  }

  /// Breaks the lines of text that a field has made longer than 100 columns.
  private func wrapped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.count > 100, !"|!#<".contains(line.first ?? " ") else { return String(line) }
      let indent = String(repeating: " ", count: line.prefix { " -".contains($0) }.count)
      var broken = ""
      var length = 0
      for word in line.split(separator: " ", omittingEmptySubsequences: false) {
        if length + word.count > 99 {
          broken += "\n" + indent
          length = indent.count
        } else if length > 0 {
          broken += " "
          length += 1
        }
        broken += word
        length += word.count
      }
      return broken
    }.joined(separator: "\n")
  }

  private func value(of words: [Substring]) -> String? {
    guard let last = words.last else { return nil }
    switch words[0] {
    case "table":
      return table(
        of: words.count == 1 ? figures.figures.map(\.name) : words.dropFirst().map(String.init))
    case "main": return table(of: Self.main.map(\.key))
    case "notes":
      return figures.figures.compactMap { figure in figure.note.map { "- \(figure.name): \($0)." } }
        .joined(separator: "\n")
    case "instructions":
      return recorded("Benchmarks/instructions.tsv") { line in
        guard line.count == 3, let c = Double(line[1]), let apus = Double(line[2]) else {
          return nil
        }
        return [line[0], Self.grouped(c), Self.grouped(apus), format(apus / c)]
      }.map { "| | C | Apus | Apus ÷ C |\n|---|--:|--:|--:|\n" + $0 }
    case "footprint":
      return recorded("Scripts/Measures/footprint.tsv") { line in
        line.count == 2 ? Double(line[1]).map { [line[0], Self.grouped($0)] } : nil
      }.map { "| | |\n|---|--:|\n" + $0 }
    case "picture":
      let pictures = PerformancePictures(figures)
      return Self.growths.first { $0.name == last }.map { growth in
        guard pictures.has(growth) else { return "" }
        let path = "Pictures/performance-\(growth.name).svg"
        return "![\(growth.title.dropLast())](\(path))\n\n\(pictures.numbers(of: growth))"
      }
    case "rounds": return "\(figures.rounds)"
    case "day": return figures.day
    case "machine": return figures.machine
    default: break
    }
    let isQuotient = last.contains("/")
    let known = words.dropLast().map { figures[$0] }
    guard !known.isEmpty, known.allSatisfy({ $0 != nil }) else { return nil }
    let values = known.compactMap { figure in
      isQuotient ? figure?.quotients[String(last)] : figure?.times[String(last)]
    }
    guard let least = values.min(), let most = values.max() else { return "–" }
    let write = isQuotient ? Self.quotient : Self.time
    return least == most ? write(least) : "\(write(least)) to \(write(most))"
  }

  /// Returns the rows of a Markdown table. Each row is made from a line of a file that a script
  /// wrote.
  private func recorded(_ path: String, _ cells: ([String]) -> [String]?) -> String? {
    guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else {
      return nil
    }
    return text.split(separator: "\n").compactMap { line in
      cells(line.split(separator: "\t").map(String.init)).map {
        "| " + $0.joined(separator: " | ") + " |"
      }
    }.joined(separator: "\n")
  }

  private func table(of names: [String]) -> String {
    let head = """
      | | workload | C | Apus ÷ C | half of the rounds | GRDB ÷ C | Codable ÷ C | wanted |
      |---|---|--:|--:|--:|--:|--:|---|
      """
    let rows = names.compactMap { figures[$0] }.map { figure in
      let half = figure.half.map { "\(format($0[0])) to \(format($0[1]))" } ?? ""
      let apus =
        figure.quotients["apus/c"].map(Self.quotient) ?? figure.times["apus"].map(Self.time) ?? ""
      let wanted = (figure.target ?? "") + (figure.isMissed ? ", missed" : "")
      return "| "
        + [
          figure.name, figure.title, figure.times["c"].map(Self.time) ?? "", "**\(apus)**", half,
          figure.quotients["grdb/c"].map(Self.quotient) ?? "",
          figure.quotients["codable/c"].map(Self.quotient) ?? "", wanted,
        ].joined(separator: " | ") + " |"
    }
    return ([head] + rows).joined(separator: "\n")
  }

  /// Returns a quotient with two digits after the point, or with none if it is 10 or more.
  static func quotient(_ value: Double) -> String {
    value < 10 ? format(value) : grouped(value)
  }

  /// Returns a time as a text, in nanoseconds, microseconds or milliseconds, depending on its size.
  static func time(_ nanoseconds: Double) -> String {
    for (unit, size) in [("ms", 1e6), ("µs", 1e3)] where nanoseconds >= size {
      let value = nanoseconds / size
      return (value < 10 ? format(value, digits: 1) : grouped(value)) + " \(unit)"
    }
    return grouped(nanoseconds) + " ns"
  }

  static func grouped(_ value: Double) -> String {
    let digits = String(Int(value.rounded()))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }
}
