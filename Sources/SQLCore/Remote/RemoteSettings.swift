/// The settings of a connection whose database is elsewhere, which its session must have as well.
///
/// They are changed by PRAGMAs, which the link sends before the next statement, and again to a
/// session that replaces a lost one.
/// - SeeAlso: <https://www.sqlite.org/pragma.html>
struct RemoteSettings: Equatable {
  /// Whether foreign keys are enforced. SQLite ignores a change inside a transaction.
  var enforcesForeignKeys = true
  /// Whether ALTER TABLE … RENAME leaves the text of other definitions unchanged.
  var hasLegacyAlterTable = false

  /// Returns the PRAGMAs for a session with other settings; nil stands for a new session.
  func pragmas(from old: RemoteSettings?) -> [String] {
    var pragmas: [String] = []
    if old?.enforcesForeignKeys != enforcesForeignKeys {
      pragmas.append("PRAGMA foreign_keys = \(enforcesForeignKeys ? "ON" : "OFF")")
    }
    if old?.hasLegacyAlterTable ?? false != hasLegacyAlterTable {
      pragmas.append("PRAGMA legacy_alter_table = \(hasLegacyAlterTable ? "ON" : "OFF")")
    }
    return pragmas
  }
}
