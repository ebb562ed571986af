import SQLCore

extension MigrationOptions {
  /// The treatment of tables and views that a newer program has changed.
  ///
  /// A file keeps the earlier definitions of its tables. A program is older than a table if it
  /// would have left an earlier state of the table unchanged, and would change the present one, for
  /// example by dropping an index that a newer version added.
  public enum NewerSchema: Hashable, Sendable {
    /// The table stays as the newer program made it, and the older program runs beside it.
    ///
    /// The older program is refused if it cannot work with the table: if the table or a column is
    /// missing, has another type, form or key, or if a column that it does not declare requires a
    /// value.
    case kept
    /// The older program is refused.
    case refused
    /// The table is migrated to what this program declares, as if this program were the newer one.
    /// This is for development, where branches are switched back and forth.
    case replaced
  }
}

extension MigrationOptions {
  /// Whether a program with a higher number has migrated the file.
  func areOlder(than schema: ExistingSchema, in connection: Connection) throws -> Bool {
    guard newerSchema != .replaced, let schemaVersion else { return false }
    return try SchemaHistory(of: schema, in: connection)?.version.map { schemaVersion < $0.number }
      ?? false
  }
}
