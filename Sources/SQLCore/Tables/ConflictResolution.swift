import CSQLite

/// What a statement does where a constraint is violated.
///
/// - SeeAlso: <https://www.sqlite.org/lang_conflict.html>
public enum ConflictResolution: Hashable, Sendable {
  /// The statement is undone; the transaction goes on.
  case abort
  /// The statement ends; what it did stays.
  case fail
  /// The row is left out.
  case ignore
  /// The rows in the way are deleted.
  case replace
  /// The transaction is rolled back.
  case rollback

  init(of core: ConnectionCore) {
    switch sqlite3_vtab_on_conflict(core.handle) {
    case SQLITE_FAIL: self = .fail
    case SQLITE_IGNORE: self = .ignore
    case SQLITE_REPLACE: self = .replace
    case SQLITE_ROLLBACK: self = .rollback
    default: self = .abort
    }
  }
}
