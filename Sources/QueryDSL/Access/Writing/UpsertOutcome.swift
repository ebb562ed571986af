import SQLCore

/// The outcome of an upsert for one row.
public enum UpsertOutcome: Hashable, Sendable {
  /// A new row was inserted.
  case inserted
  /// An existing row was updated.
  case updated
  /// Nothing was written: the clause is DO NOTHING, its WHERE does not hold, or a constraint with
  /// ON CONFLICT IGNORE or a trigger made SQLite ignore the row.
  case unchanged
}
