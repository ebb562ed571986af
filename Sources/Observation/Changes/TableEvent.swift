/// An event of a table beyond the changed rows that are listed.
public enum TableEvent: Hashable, Sendable {
  /// Rows changed that are not listed: there were more than `Configuration.maximumTrackedRows`, the
  /// write was running when the watching began, or SQLite was built without the pre-update hook.
  case tableChanged
  /// The table, or an index or trigger of it, was created, altered or dropped.
  case schemaChanged
  /// Another process, or another connection to the file, committed a change, which may concern this
  /// table.
  case changedElsewhere
}
