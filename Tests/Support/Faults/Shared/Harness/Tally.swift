import Foundation

/// What part of a trial found: how much of what was met, and what did not hold.
struct Tally: Codable, Sendable {
  /// What was met, by name.
  var counts: [String: Int] = [:]
  /// What did not hold, with what repeats it.
  var failures: [String] = []
  /// Notes for the reader of the table.
  var notes: [String] = []

  static let maximumFailures = 20

  mutating func count(_ name: String, _ number: Int = 1) {
    counts[name, default: 0] += number
  }

  mutating func fail(_ message: String) {
    count("failures")
    if failures.count < Self.maximumFailures { failures.append(message) }
  }

  /// Counts what a trial did not hold, and of which kind it is.
  mutating func fail(_ label: String, _ error: any Error) {
    fail("\(label): \(error)")
    if let kind = (error as? Violation)?.kind { count("times " + kind) }
  }

  /// Counts greatest values as greatest values, and everything else as a sum.
  mutating func add(_ other: Tally) {
    for (name, number) in other.counts {
      counts[name] =
        name.hasPrefix("most ") ? max(counts[name] ?? 0, number) : (counts[name] ?? 0) + number
    }
    failures.append(contentsOf: other.failures.prefix(Self.maximumFailures - failures.count))
    for note in other.notes where !notes.contains(note) { notes.append(note) }
  }
}

/// Something that must hold does not.
struct Violation: Error, CustomStringConvertible {
  let description: String
  /// What is counted of it, where there are many of several kinds.
  let kind: String?

  init(_ description: String, kind: String? = nil) {
    self.description = description
    self.kind = kind
  }
}

func require(
  _ condition: Bool, _ message: @autoclosure () -> String, kind: String? = nil
) throws {
  if !condition { throw Violation(message(), kind: kind) }
}
