import SQLCore

/// The outcome of an upsert for one row.
public enum UpsertOutcome: Hashable, Sendable {
  /// A new row was inserted.
  case inserted
  /// An existing row was updated.
  case updated
  /// An existing row was left unchanged: the clause is DO NOTHING, or its WHERE does not hold.
  case unchanged
}
