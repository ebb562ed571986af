import CSQLiteBench
import Foundation

/// The figures of a run. They are stored in `Benchmarks/figures.json`, from which the pages are
/// written.
struct Figures: Codable {
  var rounds: Int
  /// The day of the run, as 2026-01-31.
  var day: String
  var machine: String
  var figures: [Figure]

  init(_ measurements: [Measurement], rounds: Int) {
    self.rounds = rounds
    day = Date().formatted(.iso8601.year().month().day())
    machine = Machine.description
    figures = measurements.map(Figure.init)
  }

  init(path: String) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    self = try JSONDecoder().decode(Figures.self, from: data)
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(filePath: path))
  }

  subscript(name: some StringProtocol) -> Figure? { figures.first { $0.name == name } }
}

/// The figures of one workload.
struct Figure: Codable {
  var name: String
  var title: String
  /// The median time of an operation on each side, in nanoseconds.
  var times: [String: Double]
  /// The quotients of the times of two sides: `apus/c`, `grdb/c`, `codable/c` and `grdb/apus`. For
  /// each round, the two times are divided, and the median of these quotients is taken. The
  /// quotient of the two medians could be another number, if a slow round affected one side more
  /// than the other.
  var quotients: [String: Double]
  /// The range in which the middle half of the quotients `apus/c` lies, from the first quartile to
  /// the third.
  var half: [Double]?
  var target: String?
  var isMissed: Bool
  /// Other things that were measured, as a sentence.
  var note: String?

  init(_ measurement: Measurement) {
    name = measurement.workload.name
    title = measurement.workload.title
    times = [:]
    for side in SideName.allCases { times[side.rawValue] = measurement[side].map(rounded) }
    quotients = [:]
    for (side, other) in [(SideName.apus, SideName.c), (.grdb, .c), (.codable, .c), (.grdb, .apus)]
    {
      quotients["\(side.rawValue)/\(other.rawValue)"] =
        measurement.quotient(side, by: other).map(rounded)
    }
    half = measurement.spread(.apus).map { [rounded($0.lowerBound), rounded($0.upperBound)] }
    target = measurement.workload.target?.text
    isMissed = measurement.workload.target?.isReached(measurement) == false
    note = Report.note(measurement)
  }
}

/// Returns a value that is rounded to three digits after the point, because further digits differ
/// from run to run.
private func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }

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
      \(String(cString: sqlite3_libversion())); \(compiler), release
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
