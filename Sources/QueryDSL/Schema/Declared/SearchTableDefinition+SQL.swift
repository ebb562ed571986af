import SQLCore

extension SearchTableDefinition {
  /// The statement that creates the FTS5 table with the columns of the model, unless the table
  /// exists: `CREATE VIRTUAL TABLE IF NOT EXISTS "Page" USING fts5("title", "text")`
  package var createTable: String {
    "CREATE VIRTUAL TABLE IF NOT EXISTS \(Identifier(name).quoted) "
      + "USING fts5(\(columns.quotedList))"
  }
}
