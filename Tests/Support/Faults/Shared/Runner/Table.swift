import Foundation

/// The result of a trial.
struct RowResult {
  let trial: any Trial.Type
  let count: Int
  var tally = Tally()
  var seconds = 0.0
  var finished = 0

  init(trial: any Trial.Type, count: Int) {
    self.trial = trial
    self.count = count
  }

  var hasPassed: Bool { tally.failures.isEmpty }

  /// The counts, in words.
  var details: String {
    let counts = tally.counts.filter { $0.key != "failures" && !$0.key.hasPrefix("kind ") }
      .sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return (counts + tally.notes).joined(separator: ", ")
  }

  var line: String {
    let failures = tally.counts["failures", default: tally.failures.count]
    return "\(trial.name.padded(4))\(hasPassed ? "passed" : "FAILED (\(failures))")  "
      + "\(trial.title): \(details); \(Int(seconds.rounded())) s"
  }
}

/// The table of all results, for the terminal and for the page.
struct Table {
  let results: [RowResult]
  let options: Options

  var markdown: String {
    var lines = ["| Row | Trial | Met | Result | Seconds |", "|---|---|---|---|---|"]
    for result in results {
      lines.append(
        "| \(result.trial.name) | \(result.trial.title) | \(result.details) "
          + "| \(result.hasPassed ? "passed" : "**failed**") | \(Int(result.seconds.rounded())) |")
    }
    return lines.joined(separator: "\n")
  }

  var text: String {
    let passed = results.count(where: \.hasPassed)
    return results.map(\.line).joined(separator: "\n")
      + "\nseed \(options.seed), commit \(options.commit)\n"
      + "\(passed) passed, \(results.count - passed) failed"
  }

  static let begin = "<!-- table -->"
  static let end = "<!-- end of the table -->"

  /// Puts the table between the two marks of a page.
  func write(to page: String) throws {
    let text = try String(contentsOfFile: page, encoding: .utf8)
    guard let first = text.range(of: Self.begin), let last = text.range(of: Self.end) else {
      throw Violation("\(page) must contain the marks \(Self.begin) and \(Self.end)")
    }
    let head =
      "\n\nCommit \(options.commit), `Scripts/faults \(options.isFull ? "full" : "quick")`, "
      + "seed \(options.seed).\n\n"
    let new = text[..<first.upperBound] + head + markdown + "\n\n" + text[last.lowerBound...]
    try String(new).write(toFile: page, atomically: true, encoding: .utf8)
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
