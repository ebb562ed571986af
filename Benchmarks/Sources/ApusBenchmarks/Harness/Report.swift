import Foundation

/// The measurements as a printed table.
enum Report {
  static let header =
    column("", 5) + column("", 52) + right("C ns", 11) + right("Apus ns", 11)
    + right("GRDB ns", 11) + right("Codable ns", 12) + right("Apus/C", 8) + right("half", 11)
    + right("GRDB/C", 8)
    + right("Cod./C", 8) + "  target"

  static func line(_ measurement: Measurement) -> String {
    let workload = measurement.workload
    return column(workload.name, 5) + column(workload.title, 52)
      + right(nanoseconds(measurement[.c]), 11) + right(nanoseconds(measurement[.apus]), 11)
      + right(nanoseconds(measurement[.grdb]), 11) + right(nanoseconds(measurement[.codable]), 12)
      + right(ratio(measurement, .apus), 8) + right(spread(measurement, .apus), 11)
      + right(ratio(measurement, .grdb), 8)
      + right(ratio(measurement, .codable), 8) + "  " + target(measurement)
  }

  /// Returns the target of a workload, and whether it was missed.
  static func target(_ measurement: Measurement) -> String {
    guard let target = measurement.workload.target else { return "" }
    guard let isReached = target.isReached(measurement) else { return target.text }
    return target.text + (isReached ? "" : "  missed")
  }

  /// Returns a text with the other figures of a measurement: the number of commits in the
  /// background, the processor time of an operation, and the time of a hop. Returns nil if none of
  /// these was measured.
  static func note(_ measurement: Measurement) -> String? {
    var parts: [String] = []
    func list(_ name: String, _ values: [SideName: [Double]]) {
      let medians = SideName.allCases.compactMap { side in
        values[side].flatMap { quantile($0, 0.5) }
          .map { "\(side.title) \(format($0, digits: 0))" }
      }
      if !medians.isEmpty { parts.append(name + medians.joined(separator: ", ")) }
    }
    list("commits a run: ", measurement.commits)
    list("ns of processor time an operation: ", measurement.processorTimes)
    if let hop = measurement.hop, let apus = measurement[.apus], let c = measurement[.c] {
      parts.append(
        "a hop takes \(format(hop, digits: 0)) ns; "
          + "Apus takes \(format((apus - c) / hop)) hops more than C")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  static func nanoseconds(_ value: Double?) -> String {
    value.map { format($0, digits: 0) } ?? "–"
  }

  static func ratio(_ measurement: Measurement, _ side: SideName) -> String {
    measurement.ratio(side).map { format($0) } ?? "–"
  }

  /// Returns the range in which the middle half of a side's ratios to the C side lies.
  static func spread(_ measurement: Measurement, _ side: SideName) -> String {
    measurement.spread(side).map { "\(format($0.lowerBound))–\(format($0.upperBound))" } ?? "–"
  }

  private static func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }
}

func format(_ value: Double, digits: Int = 2) -> String {
  String(format: "%.\(digits)f", value)
}
