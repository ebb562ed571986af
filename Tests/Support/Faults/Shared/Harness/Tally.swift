import Foundation

/// The findings of a part of a trial: how often each thing was met, and what did not hold.
struct Tally: Codable, Sendable {
  /// How often each thing was met, by its name.
  var counts: [String: Int] = [:]
  /// The requirements that did not hold, each with what is needed to repeat the trial.
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

  /// Records a requirement that did not hold, and counts its kind.
  mutating func fail(_ label: String, _ error: any Error) {
    fail("\(label): \(error)")
    if let kind = (error as? Violation)?.kind { count("times " + kind) }
  }

  /// Adds the counts of another tally; of greatest values, the greater one is kept.
  mutating func add(_ other: Tally) {
    for (name, number) in other.counts {
      counts[name] =
        name.hasPrefix("most ") ? max(counts[name] ?? 0, number) : (counts[name] ?? 0) + number
    }
    failures.append(contentsOf: other.failures.prefix(Self.maximumFailures - failures.count))
    for note in other.notes where !notes.contains(note) { notes.append(note) }
  }
}

/// The error that a requirement does not hold.
struct Violation: Error, CustomStringConvertible {
  let description: String
  /// The kind under which it is counted, if there are several.
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
