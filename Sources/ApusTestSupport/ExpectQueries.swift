import SQLCore

/// Runs a closure, and throws where other than so many statements ran in the database meanwhile.
///
/// ```swift
/// @Test func authorsWithPosts() async throws {
///   try await expectQueries(2, in: db) {
///     let authors = try await db.fetch(Author.all.including(Post.all))
///     #expect(authors.count == 1_000)
///   }
/// }
/// ```
///
/// A query for each row of another, where one for all was meant, shows as "11 statements ran" and in
/// the list of them. Each statement that began counts, on every connection of the database and by
/// whomever: a test gives its database to nobody else. BEGIN, COMMIT, savepoints, PRAGMA and what
/// triggers run do not count. It returns the closure's value and rethrows its error; what is wrong
/// is thrown as `UnexpectedQueries`, which any test framework reports.
@discardableResult
public func expectQueries<Result>(
  _ count: Int, in database: Database, fileID: StaticString = #fileID, line: UInt = #line,
  _ body: () throws -> Result
) throws -> Result {
  let recorder = StatementRecorder()
  let listener = try database.onTrace(.statement) { recorder.note($0) }
  defer { try? database.remove(listener) }
  let result = try body()
  try recorder.expect(count, fileID, line)
  return result
}

/// Runs a closure, and throws where other than so many statements ran in the database meanwhile.
@discardableResult
nonisolated(nonsending)
  public func expectQueries<Result>(
    _ count: Int, in database: Database, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: () async throws -> Result
  ) async throws -> Result
{
  let recorder = StatementRecorder()
  let listener = try database.onTrace(.statement) { recorder.note($0) }
  defer { try? database.remove(listener) }
  let result = try await body()
  try recorder.expect(count, fileID, line)
  return result
}

/// Runs a closure, and throws where other than so many statements ran on the connection meanwhile:
/// inside `read { }` and `write { }`, and for a connection of one's own.
@discardableResult
public func expectQueries<Result>(
  _ count: Int, on connection: Connection, fileID: StaticString = #fileID, line: UInt = #line,
  _ body: () throws -> Result
) throws -> Result {
  let recorder = StatementRecorder()
  let listener = try connection.onTrace(.statement) { recorder.note($0) }
  defer { try? connection.remove(listener) }
  let result = try body()
  try recorder.expect(count, fileID, line)
  return result
}

/// The SQL of the statements that run in the database during a closure, in the order in which they
/// began; which count is said at `expectQueries`.
public func queries(in database: Database, _ body: () throws -> Void) throws -> [String] {
  let recorder = StatementRecorder()
  let listener = try database.onTrace(.statement) { recorder.note($0) }
  defer { try? database.remove(listener) }
  try body()
  return recorder.statements
}

/// The SQL of the statements that run in the database during a closure, in the order in which they
/// began; which count is said at `expectQueries`.
nonisolated(nonsending)
  public func queries(
    in database: Database, _ body: () async throws -> Void
  ) async throws -> [String]
{
  let recorder = StatementRecorder()
  let listener = try database.onTrace(.statement) { recorder.note($0) }
  defer { try? database.remove(listener) }
  try await body()
  return recorder.statements
}

/// More statements ran than a test expected, or fewer.
public struct UnexpectedQueries: Error, Sendable, CustomStringConvertible {
  /// How many were expected.
  public let expectedCount: Int
  /// The SQL of those that ran, in the order in which they began.
  public let statements: [String]
  /// Where it was expected: the file and the line.
  public let place: String

  /// Both counts, and each statement with how often it ran.
  public var description: String {
    let expected = "\(expectedCount) \(expectedCount == 1 ? "statement" : "statements")"
    var lines = ["\(place): \(expected) expected, and \(statements.count) ran"]
    var counts: [String: Int] = [:]
    for statement in statements { counts[statement, default: 0] += 1 }
    for statement in statements {
      guard let count = counts.removeValue(forKey: statement) else { continue }
      lines.append("  \(count) × \(statement)")
    }
    return lines.joined(separator: "\n")
  }
}
