import SQLCore

/// The error that more or fewer statements ran than a test expected.
public struct UnexpectedQueries: Error, Sendable, CustomStringConvertible {
  /// The number of statements that the test expected.
  public let expectedCount: Int
  /// The SQL of the statements that ran, in the order in which they began.
  public let statements: [String]
  /// The file and the line of the expectation.
  public let place: String

  /// Both numbers, and each statement with how often it ran.
  public var description: String {
    let expected = "\(expectedCount) \(expectedCount == 1 ? "statement" : "statements")"
    var lines = ["\(place): expected \(expected), but \(statements.count) ran"]
    var counts: [String: Int] = [:]
    for statement in statements { counts[statement, default: 0] += 1 }
    for statement in statements {
      guard let count = counts.removeValue(forKey: statement) else { continue }
      lines.append("  \(count) × \(statement)")
    }
    return lines.joined(separator: "\n")
  }
}
