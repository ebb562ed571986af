import SQLCore

/// A recorder of the SQL of the statements that begin on any connection.
final class StatementRecorder: Sendable {
  private let list = Lock<[String]>([])

  var statements: [String] { list.withLock { $0 } }

  func note(_ event: borrowing TraceEvent) {
    guard let sql = event.sql, Self.counts(sql) else { return }
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

  /// Returns whether a statement counts: one that is not a trigger's, and not about transactions or
  /// settings.
  private static func counts(_ sql: String) -> Bool {
    if sql.hasPrefix("--") { return false }
    let word = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }
    return !others.contains(word.uppercased())
  }
}
