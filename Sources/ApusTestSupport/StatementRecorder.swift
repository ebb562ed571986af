import SQLCore

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

  /// Returns whether a statement counts: one that is not about transactions or settings.
  private static func counts(_ sql: String) -> Bool {
    var rest = sql.drop { $0.isWhitespace }
    while rest.hasPrefix("--") {
      rest = rest.drop { !$0.isNewline }.drop { $0.isWhitespace }
    }
    return !others.contains(rest.prefix { $0.isLetter }.uppercased())
  }
}
