import SQLCore

/// Runs a closure, and throws unless exactly `count` statements run in the database during the
/// call.
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
/// If a query runs for each row instead of once for all rows, the error says "expected 2
/// statements, but 11 ran" and lists them. All statements that begin on any connection of the
/// database count, whichever code runs them. So a test must not share its database. BEGIN, COMMIT,
/// savepoints, PRAGMA and the statements of triggers do not count.
///
/// Returns the closure's value and rethrows its error. If the number differs, throws
/// `UnexpectedQueries`, which any test framework reports.
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

/// Runs an asynchronous closure, and throws `UnexpectedQueries` unless exactly `count` statements
/// run in the database during the call.
@discardableResult
public func expectQueries<Result>(
  _ count: Int, in database: Database, fileID: StaticString = #fileID, line: UInt = #line,
  _ body: () async throws -> Result
) async throws -> Result {
  let recorder = StatementRecorder()
  let listener = try database.onTrace(.statement) { recorder.note($0) }
  defer { try? database.remove(listener) }
  let result = try await body()
  try recorder.expect(count, fileID, line)
  return result
}

/// Runs a closure, and throws `UnexpectedQueries` unless exactly `count` statements run on the
/// connection during the call. Use it inside `read { }` and `write { }`, and with a separate
/// `Connection`.
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

/// Returns the SQL of the statements that run in the database during a closure, in the order in
/// which they begin. The same statements count as in `expectQueries`.
public func queries(in database: Database, _ body: () throws -> Void) throws -> [String] {
  let recorder = StatementRecorder()
  let listener = try database.onTrace(.statement) { recorder.note($0) }
  defer { try? database.remove(listener) }
  try body()
  return recorder.statements
}

/// Returns the SQL of the statements that run in the database during a closure, in the order in
/// which they begin. The same statements count as in `expectQueries`.
public func queries(
  in database: Database, _ body: () async throws -> Void
) async throws -> [String] {
  let recorder = StatementRecorder()
  let listener = try database.onTrace(.statement) { recorder.note($0) }
  defer { try? database.remove(listener) }
  try await body()
  return recorder.statements
}

/// The error for a test in which more or fewer statements ran than expected.
public struct UnexpectedQueries: Error, Sendable, CustomStringConvertible {
  /// The number of statements that the test expected.
  public let expectedCount: Int
  /// The SQL of the statements that ran, in the order in which they began.
  public let statements: [String]
  /// The file and the line of the call of `expectQueries`.
  public let place: String

  /// The expected and the actual number, and each statement with the number of times that it ran.
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

/// A recorder of the SQL of the statements that begin on any connection.
final class StatementRecorder: Sendable {
  private let list = Lock<[String]>([])

  var statements: [String] { list.withLock { $0 } }

  func note(_ event: borrowing TraceEvent) {
    guard !event.isTrigger, let sql = event.sql, Self.counts(sql) else { return }
    list.withLock { $0.append(sql) }
  }

  func expect(_ count: Int, _ fileID: StaticString, _ line: UInt) throws {
    let statements = statements
    guard statements.count != count else { return }
    throw UnexpectedQueries(
      expectedCount: count, statements: statements, place: "\(fileID):\(line)")
  }

  private static let others: Set<String> = [
    "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA",
  ]

  /// Returns whether a statement is counted. Statements that control transactions and PRAGMAs are
  /// not counted.
  private static func counts(_ sql: String) -> Bool {
    var rest = sql.drop { $0.isWhitespace }
    while rest.hasPrefix("--") {
      rest = rest.drop { !$0.isNewline }.drop { $0.isWhitespace }
    }
    return !others.contains(rest.prefix { $0.isLetter }.uppercased())
  }
}
