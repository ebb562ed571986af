import SQLCore

/// Runs a closure, and throws unless exactly `count` statements ran in the database meanwhile.
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
/// If a query runs for each row where one was meant for all, the error says
/// "expected 2 statements, but 11 ran" and lists them. Every statement counts that begins on any
/// connection of the database, whoever runs it, so a test must not share its database. BEGIN,
/// COMMIT, savepoints, PRAGMA and the statements of triggers do not count.
///
/// Returns the closure's value and rethrows its error. Throws `UnexpectedQueries`, which any test
/// framework reports, if the number is another.
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

/// Runs a closure, and throws `UnexpectedQueries` unless exactly `count` statements ran in the
/// database meanwhile.
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

/// Runs a closure, and throws `UnexpectedQueries` unless exactly `count` statements ran on the
/// connection meanwhile. It is for use inside `read { }` and `write { }`, and for a separate
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
/// which they begin. It counts the same statements as `expectQueries`.
public func queries(in database: Database, _ body: () throws -> Void) throws -> [String] {
  let recorder = StatementRecorder()
  let listener = try database.onTrace(.statement) { recorder.note($0) }
  defer { try? database.remove(listener) }
  try body()
  return recorder.statements
}

/// Returns the SQL of the statements that run in the database during a closure, in the order in
/// which they begin. It counts the same statements as `expectQueries`.
public func queries(
  in database: Database, _ body: () async throws -> Void
) async throws -> [String] {
  let recorder = StatementRecorder()
  let listener = try database.onTrace(.statement) { recorder.note($0) }
  defer { try? database.remove(listener) }
  try await body()
  return recorder.statements
}
