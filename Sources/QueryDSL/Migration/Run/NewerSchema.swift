import SQLCore

extension MigrationOptions {
  /// What becomes of a table or view that a newer program has changed.
  ///
  /// A file remembers the definitions that its tables had. A program is older than a table if it
  /// would have opened an earlier state of it as it was, and would change the present one: drop the
  /// index that a newer version added, say.
  public enum NewerSchema: Hashable, Sendable {
    /// The table stays as the newer program made it, and the older one runs beside it.
    ///
    /// Where the older program could not work with it (a column or the table is missing, has
    /// another type or form, or would have to be written), it is refused.
    case kept
    /// The older program is refused.
    case refused
    /// The table is migrated to what this program declares, as if it were the newer one; for
    /// development, where branches are switched to and fro.
    case replaced
  }
}

extension MigrationOptions {
  /// Whether a program of a higher number migrated the file.
  func areOlder(in connection: Connection) throws -> Bool {
    guard newerSchema != .replaced, let schemaVersion else { return false }
    return try SchemaHistory(in: connection)?.version.map { schemaVersion < $0.number } ?? false
  }
}
