/// What happened to a table besides the rows that are listed.
public enum TableEvent: Hashable, Sendable {
  /// Rows changed that are not listed: more than `Configuration.maximumTrackedRows`, a write that
  /// ran when watching began, or a build of SQLite that does not tell of rows.
  case tableChanged
  /// The table, or an index or trigger of it, was created, altered or dropped.
  case schemaChanged
  /// Another process, or another connection to the file, committed something: perhaps to this
  /// table.
  case changedElsewhere
}
