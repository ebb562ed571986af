import QueryDSL
import SQLCore

/// The error that a query became other SQL than a test expected, or had other values.
public struct UnexpectedSQL: Error, Sendable, CustomStringConvertible {
  /// The SQL that was expected, on one line.
  public let expected: String
  /// The values that were expected; nil if they are not compared.
  public let expectedValues: [DatabaseValue]?
  /// The SQL that the query becomes.
  public let found: String
  /// The values of the query; nil if they are not compared.
  public let foundValues: [DatabaseValue]?
  /// The file and the line of the expectation.
  public let place: String

  /// The expected and the found SQL and values, one below the other, with a mark at the first
  /// difference.
  public var description: String {
    var lines = ["\(place): the SQL differs", "  expected \(expected)", "  found    \(found)"]
    let same = zip(expected, found.onOneLine).prefix { $0 == $1 }.count
    if found.onOneLine != expected {
      lines.append("           " + String(repeating: " ", count: same) + "^")
    }
    if let expectedValues, let foundValues, expectedValues != foundValues {
      lines[0] = found.onOneLine == expected ? "\(place): the values differ" : lines[0]
      lines.append("  expected values \(expectedValues)")
      lines.append("  found values    \(foundValues)")
    }
    return lines.joined(separator: "\n")
  }
}
