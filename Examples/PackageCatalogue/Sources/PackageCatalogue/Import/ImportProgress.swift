import DebianControl

/// The reports of an import's progress. On a terminal, the progress is shown in one line, which is
/// overwritten by each report. At the end, the numbers are reported, even if the output is not a
/// terminal.
struct ImportProgress {
  /// The number of malformed stanzas that are reported one by one.
  private static let maximumReports = 5

  private let console: Console
  private let start = ContinuousClock.now
  private var reports = 0

  init(console: Console) {
    self.console = console
  }

  /// Shows the progress, as a percentage of the list's bytes if their number is known.
  func update(_ summary: ImportSummary, bytes: Int, of byteCount: Int?) {
    let percent = byteCount.map { $0 == 0 ? 100 : bytes * 100 / $0 }
    let share = percent.map { "  \($0) %" } ?? ""
    console.showProgress("\(summary.packages.counted("package"))\(share)  \(rate(summary))")
  }

  /// Reports a stanza that was skipped, and the reason; only the first few are reported.
  mutating func report(_ error: ControlError) {
    reports += 1
    if reports <= Self.maximumReports { console.note("\(error)") }
    if reports == Self.maximumReports { console.note("… further errors are only counted") }
  }

  /// Reports what was read in all, and how fast.
  func end(_ summary: ImportSummary) {
    console.note("Read \(summary) in \(elapsed.rounded(toPlaces: 2)) s, \(rate(summary)).")
    if let leftOut = summary.leftOut { console.note("Left out: \(leftOut).") }
  }

  private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

  private func rate(_ summary: ImportSummary) -> String {
    let perSecond = elapsed > 0 ? Double(summary.stanzas) / elapsed : 0
    return "\(Int(perSecond).grouped) packages/s"
  }
}
