import QueryDSL
import SQLCore

/// A statement that a plan runs after a change, and which must find its rows by indexes.
struct RestrictedStatement {
  let text: String
  /// The table after whose changes it runs.
  let changed: PlannedTable

  init(text: String, changed: PlannedTable) {
    (self.text, self.changed) = (text, changed)
  }

  init(_ statement: SelectStatement, after changed: PlannedTable) throws {
    var statement = statement
    statement.order = .none
    self.init(text: try statement.rendered().text, changed: changed)
  }
}

extension ConnectionCore {
  /// Throws a `RerunReason` if one of the statements would scan a table.
  func requireIndexes(for statements: [RestrictedStatement]) throws {
    var first: String?
    var scanning: [String] = []
    for statement in statements where !scanning.contains(statement.text) {
      guard let table = try scannedTables(by: statement.text).first else { continue }
      scanning.append(statement.text)
      first =
        first
        ?? "after a change of \(statement.changed.layout.tableName), SQLite would scan \(table) to "
        + "find what to evaluate"
    }
    if let first { throw RerunReason(first, scanningSQL: scanning) }
  }

  /// Returns the rows of a statement, as the values of all its columns; nil if there are more than
  /// `maximum`.
  func keys(of statement: SelectStatement, maximum: Int) throws -> KeySet? {
    var statement = statement
    statement.limitRows(to: maximum + 1)
    let lent = try lendStatement(for: statement)
    defer { giveBack(lent) }
    var keys: KeySet = []
    while try step(lent) {
      let row = StatementRow(statement: lent)
      keys.insert(try (0..<row.count).map { try row.validValue(at: $0) })
    }
    return keys.count <= maximum ? keys : nil
  }
}
