import QueryDSL
import SQLCore

/// Throws if a query becomes other SQL than is given here, or has other values.
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
/// Outside quotation marks, white space and line breaks count as one space, so that the SQL can be
/// broken into lines. The query is not run. Throws `UnexpectedSQL`, which any test framework
/// reports, if the SQL differs. Throws `QueryError` if the query has no SQL.
///
/// - Parameter values: the values bound to the parameters, in order; nil if they are not compared.
public func expectSQL(
  of query: some Fetchable, _ sql: String, _ values: [DatabaseValue]? = nil,
  fileID: StaticString = #fileID, line: UInt = #line
) throws {
  try expect(try query.sql, sql, values, fileID, line)
}

/// Throws `UnexpectedSQL` if an insert, an update or a deletion becomes other SQL, or has other
/// values.
public func expectSQL(
  of command: some Runnable, _ sql: String, _ values: [DatabaseValue]? = nil,
  fileID: StaticString = #fileID, line: UInt = #line
) throws {
  try expect(try command.sql, sql, values, fileID, line)
}

/// Throws `UnexpectedSQL` if a command that returns rows becomes other SQL, or has other values.
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

extension String {
  /// The text with white space and line breaks as one space, except inside quotation marks, and
  /// with none at either end.
  var onOneLine: String {
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
