import CSQLite

/// The reaction of a statement to a violated constraint.
///
/// - SeeAlso: <https://www.sqlite.org/lang_conflict.html>
public enum ConflictResolution: Hashable, Sendable {
  /// The statement is undone; the transaction continues.
  case abort
  /// The statement ends; its earlier changes stay.
  case fail
  /// The row is skipped.
  case ignore
  /// The conflicting rows are deleted.
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
