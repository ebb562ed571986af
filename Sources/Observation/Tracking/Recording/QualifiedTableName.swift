import SQLCore

/// A table of the main database or of an attached one, with its names folded as SQLite compares
/// them.
struct QualifiedTableName: Hashable, Sendable {
  /// `main`, or the name under which a database is attached; folded.
  let schema: String
  /// The name of the table, folded.
  let name: String

  init(schema: String = "main", _ name: String) {
    self.schema = schema.lowercasedASCII
    self.name = name.lowercasedASCII
  }

  /// Whether its rows are the user's: it is neither a table of SQLite's own, nor a temporary one,
  /// which only the writer sees, nor the mark of the ids that were given out.
  var isObservable: Bool {
    schema != "temp" && !name.hasPrefix("sqlite_") && name != "apus_unique64"
  }
}
