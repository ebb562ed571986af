@_spi(Tools) import SQLCore

/// A module of SQLite whose virtual tables are full-text indexes.
enum FullTextModule: String {
  case fts3, fts4, fts5

  /// Returns the module of a table; nil if the table has another module, such as `fts5vocab`, or none.
  init?(ofTable sql: String) {
    guard let name = sql.virtualTableModule else { return nil }
    self.init(rawValue: name)
  }

  /// Returns whether the text of a full-text table is stored, by this table or by another one.
  ///
  /// - Parameters:
  ///   - sql: the definition of the full-text table.
  ///   - hasContent: whether there is a shadow table `…_content`.
  static func isTextStored(_ sql: String, hasContent: Bool) -> Bool {
    let text = sql.lowercased().filter { !$0.isWhitespace }
    // FTS5 also accepts abbreviations of the option `content`. A table with external content whose
    // definition has an abbreviation counts as contentless here.
    guard let option = text.firstRange(of: "content=") else { return hasContent }
    let value = text[option.upperBound...]
    return !["''", "\"\"", "[]", "``", ",", ")", "/*", "--"].contains { value.hasPrefix($0) }
  }
}
