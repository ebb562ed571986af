/// A rule about which changes to the schema of a database are allowed.
/// - SeeAlso: <https://www.sqlite.org/c3ref/set_authorizer.html>
public enum SchemaPolicy: Hashable, Sendable {
  /// Opening with models, and writing into a named table, change the schema where necessary.
  case automatic
  /// The library changes nothing by itself: opening throws unless the existing schema matches every
  /// model. Your own statements, and a call of `migrate`, may change the schema.
  case validated
  /// Nothing may change the schema: CREATE, ALTER, DROP and ATTACH are denied on every connection,
  /// and opening throws if the existing schema does not match every model. Temporary tables and
  /// VACUUM are allowed.
  case locked
  /// Nothing may change these tables, their indexes and their triggers. Other tables are treated as
  /// under `automatic`.
  case lockedTables(Set<String>)

  /// Returns whether the policy forbids changes to the schema of a table.
  package func locks(_ table: String) -> Bool {
    switch self {
    case .automatic, .validated: false
    case .locked: true
    case .lockedTables(let names):
      names.contains { $0.isSame(as: table) }
    }
  }
}
