import SQLCore

/// The result of an upsert for one row: the outcome, and the key of the row.
public struct Upserted<M: Model>: Sendable {
  /// Whether the row was inserted, updated or left unchanged.
  public let outcome: UpsertOutcome

  let key: M.ID?

  @inline(__always)
  init(outcome: UpsertOutcome, key: M.ID?) {
    self.outcome = outcome
    self.key = key
  }

  /// The key of the row that is in the table afterwards, whatever the outcome. It is the key of the
  /// new row, which the database may have assigned, or that of the existing row.
  ///
  /// Throws `RecordNotFound` if there is no row that the clauses of the insert lead to, because a
  /// trigger with `RAISE(IGNORE)` or a constraint with ON CONFLICT IGNORE suppressed the insert.
  public var id: M.ID {
    get throws {
      guard let key else {
        throw RecordNotFound(
          table: M.tableName, key: "of this upsert: a trigger or constraint suppressed it")
      }
      return key
    }
  }
}
