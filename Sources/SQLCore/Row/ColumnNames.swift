import CSQLite

/// The names of a result's columns, shared by its rows.
final class ColumnNames: Sendable {
  let names: [String]
  /// Whether there was memory for all of them.
  let isComplete: Bool
  private let indices: [String: Int]

  init(statement: OpaquePointer) {
    let known = (0..<sqlite3_column_count(statement)).map { index in
      sqlite3_column_name(statement, index).map { String(cString: $0) }
    }
    isComplete = !known.contains(nil)
    names = known.map { $0 ?? "" }
    // Of two columns with one name, the name is the first; both are there by index.
    indices = Dictionary(
      names.enumerated().map { ($1.lowercasedASCII, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The index of a column by its name, without case as in SQL.
  func index(of name: String) -> Int? {
    indices[name] ?? indices[name.lowercasedASCII]
  }
}

extension String {
  /// The text with its ASCII letters in lower case: how SQLite compares names.
  package var lowercasedASCII: String {
    guard utf8.contains(where: { (65...90).contains($0) }) else { return self }
    return String(decoding: utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

extension StatementPointer {
  /// The names of the result's columns; SQLite compiles a statement anew after a change of the
  /// schema, and then `*` may stand for other columns.
  var columnNames: ColumnNames {
    let version = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    if let known = pointee.columnNames, pointee.columnNamesVersion == version { return known }
    let names = ColumnNames(statement: handle)
    guard names.isComplete else { return names }
    pointee.columnNames = names
    pointee.columnNamesVersion = version
    return names
  }
}
