import QueryDSL
import SQLCore

/// Throws where a query becomes other SQL than is said here, or has other values.
///
/// ```swift
/// try expectSQL(
///   of: Post.where { $0.$title == "News" }.select(\.$id),
///   """
///   SELECT "id" FROM "Post"
///   WHERE "title" = ?
///   """, ["News"])
/// ```
///
/// Outside of quotation marks, space and line breaks count as one space, so that the SQL can be
/// broken into lines. Nothing runs. What is wrong is thrown as `UnexpectedSQL`, which any test
/// framework reports; a query that cannot be SQL throws its own `QueryError`.
///
/// - Parameter values: those bound to the parameters, in order; nil does not look at them.
public func expectSQL(
  of query: some Fetchable, _ sql: String, _ values: [DatabaseValue]? = nil,
  fileID: StaticString = #fileID, line: UInt = #line
) throws {
  try expect(try query.sql, sql, values, fileID, line)
}

/// Throws where an insert, an update or a deletion becomes other SQL, or has other values.
public func expectSQL(
  of command: some Runnable, _ sql: String, _ values: [DatabaseValue]? = nil,
  fileID: StaticString = #fileID, line: UInt = #line
) throws {
  try expect(try command.sql, sql, values, fileID, line)
}

/// Throws where a command that gives back rows becomes other SQL, or has other values.
public func expectSQL<Command, Row>(
  of returning: Returning<Command, Row>, _ sql: String, _ values: [DatabaseValue]? = nil,
  fileID: StaticString = #fileID, line: UInt = #line
) throws {
  try expect(try returning.sql, sql, values, fileID, line)
}

private func expect(
  _ found: SQL, _ expected: String, _ values: [DatabaseValue]?, _ fileID: StaticString,
  _ line: UInt
) throws {
  let foundValues = try values == nil ? nil : found.values
  guard found.text.onOneLine != expected.onOneLine || foundValues != values else { return }
  throw UnexpectedSQL(
    expected: expected.onOneLine, expectedValues: values, found: found.text,
    foundValues: foundValues, place: "\(fileID):\(line)")
}

/// A query became other SQL than a test expected.
public struct UnexpectedSQL: Error, Sendable, CustomStringConvertible {
  /// The SQL that was expected, on one line.
  public let expected: String
  /// The values that were expected; nil where they were not looked at.
  public let expectedValues: [DatabaseValue]?
  /// The SQL that the query becomes.
  public let found: String
  /// Its values.
  public let foundValues: [DatabaseValue]?
  /// Where it was expected: the file and the line.
  public let place: String

  /// What was expected and what was found, one under the other, and where they part.
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

extension String {
  /// Space and line breaks as one space, but inside quotation marks; none at the ends.
  fileprivate var onOneLine: String {
    var text = ""
    var quotation: Unicode.Scalar?
    var isAfterSpace = true
    for scalar in unicodeScalars {
      if let mark = quotation {
        text.unicodeScalars.append(scalar)
        if scalar == mark { quotation = nil }
        continue
      }
      if scalar.properties.isWhitespace {
        if !isAfterSpace { text += " " }
        isAfterSpace = true
        continue
      }
      isAfterSpace = false
      if scalar == "\"" || scalar == "'" { quotation = scalar }
      text.unicodeScalars.append(scalar)
    }
    if text.hasSuffix(" "), quotation == nil { text.removeLast() }
    return text
  }
}
