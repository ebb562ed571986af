import CSQLiteBench
import Foundation

/// The figures for a page of the documentation: the table, a chart of the ratios, and a description
/// of the machine.
struct PerformancePage {
  private let measurements: [Measurement]
  private let rounds: Int

  init(_ measurements: [Measurement], rounds: Int) {
    self.measurements = measurements
    self.rounds = rounds
  }

  private static let begin = "<!-- figures -->"
  private static let end = "<!-- end of the figures -->"

  /// Puts the figures between the two marks of a page; the rest of the page stays.
  func write(to path: String) throws {
    let page = try String(contentsOfFile: path, encoding: .utf8)
    guard let first = page.range(of: Self.begin), let last = page.range(of: Self.end) else {
      throw Options.Invalid(message: "\(path) must contain the marks \(Self.begin) and \(Self.end)")
    }
    let new = page[..<first.upperBound] + "\n\n" + text + "\n" + page[last.lowerBound...]
    try String(new).write(toFile: path, atomically: true, encoding: .utf8)
  }

  private var text: String {
    """
    Medians of \(rounds) rounds, in nanoseconds an operation. The sides run one after the other in each round. A
    ratio is the median over the rounds, and half of the rounds have a ratio in the range beside it.

    | | workload | C | Apus | GRDB | Codable | Apus ÷ C | half | GRDB ÷ C | Codable ÷ C | wanted |
    |---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|
    \(measurements.map(row).joined(separator: "\n"))
    \(notes)

    ## The ratios to the C API

    One mark of the bar is a tenth of the C side's time; a bar that ends in `>` goes on.

    ```text
    \(measurements.compactMap(chart).joined(separator: "\n\n"))
    ```

    ## Measured on

    \(Machine.description)

    """
  }

  private func row(_ measurement: Measurement) -> String {
    let workload = measurement.workload
    let times = SideName.allCases.map { Report.nanoseconds(measurement[$0]) }
    let ratios =
      [Report.ratio(measurement, .apus), Report.spread(measurement, .apus)]
      + [SideName.grdb, .codable].map { Report.ratio(measurement, $0) }
    let cells =
      [workload.name, workload.title] + times + ratios + [Report.target(measurement)]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  /// A list of what was measured beside the times; empty if there is nothing.
  private var notes: String {
    let notes = measurements.compactMap { measurement in
      Report.note(measurement).map { "- \(measurement.workload.name): \($0)." }
    }
    return notes.isEmpty ? "" : "\n" + notes.joined(separator: "\n")
  }

  private func chart(_ measurement: Measurement) -> String? {
    let bars = [SideName.apus, .grdb, .codable].compactMap { side in
      measurement.ratio(side).map { ratio in
        let marks = max(1, Int((ratio * 10).rounded()))
        let bar =
          marks > 60
          ? String(repeating: "█", count: 60) + ">" : String(repeating: "█", count: marks)
        return "  " + side.title.padding(toLength: 8, withPad: " ", startingAt: 0) + bar
          + " " + format(ratio)
      }
    }
    guard !bars.isEmpty else { return nil }
    let title = "\(measurement.workload.name)  \(measurement.workload.title)"
    return ([title] + bars).joined(separator: "\n")
  }
}

/// The machine on which the figures were measured.
enum Machine {
  static var description: String {
    let processor =
      line("/proc/cpuinfo", "model name").map { "\($0), " } ?? ""
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let memory = ProcessInfo.processInfo.physicalMemory >> 30
    let system = ProcessInfo.processInfo.operatingSystemVersionString
    return """
      \(processor)\(cores) cores, \(memory) GiB of memory; \(system); SQLite \
      \(String(cString: sqlite3_libversion())); \(compiler), release. A shared machine: compare the \
      ratios, not the times.
      """
  }

  private static var compiler: String {
    #if compiler(>=6.3)
      "Swift 6.3"
    #else
      "Swift 6.2"
    #endif
  }

  private static func line(_ path: String, _ key: String) -> String? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    return text.split(separator: "\n").first { $0.hasPrefix(key) }?
      .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
