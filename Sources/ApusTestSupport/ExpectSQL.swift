import QueryDSL
import SQLCore

/// Throws if the SQL or the values of a query differ from the expected ones.
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
/// Outside quotation marks, each sequence of white space and line breaks counts as one space, so
/// the expected SQL may have several lines. The query is not run. If the SQL differs, throws
/// `UnexpectedSQL`, which any test framework reports. Throws `QueryError` if the query cannot be
/// rendered as SQL.
///
/// - Parameter values: the values bound to the parameters, in order; nil to compare only the SQL.
public func expectSQL(
  of query: some Fetchable, _ sql: String, _ values: [DatabaseValue]? = nil,
  fileID: StaticString = #fileID, line: UInt = #line
) throws {
  try expect(try query.sql, sql, values, fileID, line)
}

/// Throws `UnexpectedSQL` if the SQL or the values of an insert, an update or a deletion differ
/// from the expected ones.
public func expectSQL(
  of command: some Runnable, _ sql: String, _ values: [DatabaseValue]? = nil,
  fileID: StaticString = #fileID, line: UInt = #line
) throws {
  try expect(try command.sql, sql, values, fileID, line)
}

/// Throws `UnexpectedSQL` if the SQL or the values of a command that returns rows differ from the
/// expected ones.
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
  /// The text with each sequence of white space replaced by one space, and without white space at
  /// its ends. Text inside quotation marks is unchanged.
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

/// The error for a query whose SQL or values differ from those that a test expected.
public struct UnexpectedSQL: Error, Sendable, CustomStringConvertible {
  /// The SQL that was expected, on one line.
  public let expected: String
  /// The values that were expected; nil if values are not compared.
  public let expectedValues: [DatabaseValue]?
  /// The SQL of the query.
  public let found: String
  /// The values of the query; nil if values are not compared.
  public let foundValues: [DatabaseValue]?
  /// The file and the line of the call of `expectSQL`.
  public let place: String

  /// The expected and the found SQL, one below the other, with a caret (`^`) below the first
  /// difference. If the values differ, the expected and the found values are listed after the SQL.
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
