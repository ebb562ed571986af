import CSQLite

/// The effect of a raw statement on the stack of savepoints.
///
/// SQLite has no hook for savepoints, so the text is parsed when the statement is prepared. Names
/// are folded as SQLite compares them: ASCII letters without case.
/// - SeeAlso: <https://www.sqlite.org/lang_savepoint.html>
package enum SavepointAction: Equatable, Sendable {
  /// `SAVEPOINT name`
  case open(String)
  /// `RELEASE [SAVEPOINT] name`
  case release(String)
  /// `ROLLBACK [TRANSACTION [name]] TO [SAVEPOINT] name`
  case rollBack(String)

  init?(statement: OpaquePointer) {
    guard let text = sqlite3_sql(statement) else { return nil }
    // Empty statements may come before the first one.
    var tokens = SQLTokens(String(cString: text)).tokens.drop { $0.isSign(";") }
    switch tokens.popFirst()?.normal {
    case "savepoint":
      guard let name = tokens.popFirst() else { return nil }
      self = .open(name.foldedName)
    case "release":
      tokens.skip("savepoint")
      guard let name = tokens.popFirst() else { return nil }
      self = .release(name.foldedName)
    case "rollback":
      // A transaction may be given a name, which SQLite ignores.
      if tokens.skip("transaction"), tokens.first?.isWord("to") == false { tokens.removeFirst() }
      guard tokens.skip("to") else { return nil }
      tokens.skip("savepoint")
      guard let name = tokens.popFirst() else { return nil }
      self = .rollBack(name.foldedName)
    default:
      return nil
    }
  }
}

extension SQLTokens.Token {
  fileprivate var foldedName: String { value.lowercasedASCII }
}

extension ArraySlice<SQLTokens.Token> {
  /// Removes the first token if it is a keyword, and returns whether it was.
  @discardableResult
  fileprivate mutating func skip(_ keyword: String) -> Bool {
    guard first?.isWord(keyword) == true else { return false }
    removeFirst()
    return true
  }
}
