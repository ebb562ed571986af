import Foundation

/// Prints measurements as a table, and writes them as JSON.
enum Report {
  static let header =
    column("", 5) + column("", 58) + right("C ns", 9) + right("Apus ns", 9) + right("ratio", 8)
    + right("target", 8)

  static func line(_ measurement: Measurement) -> String {
    column(measurement.workload.name, 5) + column(measurement.workload.title, 58)
      + right(nanoseconds(measurement.c), 9) + right(nanoseconds(measurement.apus), 9)
      + right(measurement.ratio.map { format($0) } ?? "–", 8)
      + right(target(measurement.workload.target), 8)
  }

  /// One object a workload; a side that does not exist is null.
  static func json(_ measurements: [Measurement]) -> String {
    let objects = measurements.map { measurement in
      let c = measurement.c.map { format($0, digits: 1) } ?? "null"
      let apus = measurement.apus.map { format($0, digits: 1) } ?? "null"
      return """
          {"workload":"\(measurement.workload.name)","c":\(c),"apus":\(apus),\
        "grdb":null,"grdb_codable":null,"unit":"ns"}
        """
    }
    return "[\n" + objects.joined(separator: ",\n") + "\n]\n"
  }

  private static func target(_ value: Double?) -> String {
    value.map { "≤ " + format($0) } ?? "–"
  }

  private static func nanoseconds(_ value: Double?) -> String {
    value.map { format($0, digits: 0) } ?? "–"
  }

  private static func format(_ value: Double, digits: Int = 2) -> String {
    String(format: "%.\(digits)f", value)
  }

  private static func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }
}
