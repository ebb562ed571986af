import SQLCore

/// A full-text index of a database that a migration created.
package struct ExistingSearchIndex {
  package let name: String
  /// The name of the table whose rows are indexed.
  package let table: String
  /// The names of its columns and of the table's key.
  package let names: [String]
  package let sql: String

  /// Reads the definition of a table; nil if it is not a full-text index that Apus created.
  init?(_ entry: ExistingSchema.Entry) {
    guard entry.kind == .table, let sql = entry.sql, sql.hasPrefix("CREATE VIRTUAL TABLE ") else {
      return nil
    }
    // CREATE VIRTUAL TABLE "name" /* Apus bm25(…) */ USING fts5("title", …, content='Post', …)
    let text = SQLTokens(sql)
    let tokens = text.tokens
    guard tokens.count > 6, text.comments(before: 4).first?.text.hasPrefix("/* Apus ") == true,
      tokens[4].isWord("using"), tokens[5].isWord("fts5")
    else { return nil }
    var names: [String] = []
    var table: String?
    for (index, token) in tokens.enumerated().dropFirst(6) {
      let isFirst = tokens[index - 1].isSign("(") || tokens[index - 1].isSign(",")
      guard isFirst else { continue }
      if token.kind == .quotedName {
        names.append(token.value)
      } else if index + 2 < tokens.count, token.isWord("content") {
        table = tokens[index + 2].value
      } else if index + 2 < tokens.count, token.isWord("content_rowid") {
        names.append(tokens[index + 2].value)
      }
    }
    guard let table else { return nil }
    name = entry.name
    self.table = table
    self.names = names
    self.sql = sql
  }

  /// The name of the table in which its triggers note texts that are indexed.
  package var pendingTable: String { SearchIndexDefinition.pendingTable(of: name) }

  /// Whether a trigger belongs to the index.
  package func owns(_ trigger: ExistingSchema.Entry) -> Bool {
    trigger.isOwnTrigger && trigger.table.isSame(as: table)
      && SearchIndexDefinition.triggerSuffixes.contains { trigger.name.isSame(as: name + $0) }
  }
}

extension ExistingSchema {
  /// The full-text indexes that migrations created.
  package var searchIndexes: [ExistingSearchIndex] {
    entries.compactMap { ExistingSearchIndex($0) }
  }

  /// Returns the table in which the triggers of an index note texts; nil if it does not exist, or if
  /// Apus did not create it.
  package func pendingTable(_ name: String) -> Entry? {
    guard let entry = entry(name), entry.kind == .table, let sql = entry.sql else { return nil }
    // CREATE TABLE "name" /* Apus */ (…)
    let text = SQLTokens(sql)
    guard text.tokens.count > 3,
      text.comments(before: 3).first?.text == SQLComment.mark
    else { return nil }
    return entry
  }
}
