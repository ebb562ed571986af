import CSQLite

extension ConnectionCore {
  /// Whether foreign keys are enforced; set between transactions.
  ///
  /// No statement runs, which could fail or be ended and leave the connection otherwise than it was.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
  package var enforcesForeignKeys: Bool {
    get { setting(SQLITE_DBCONFIG_ENABLE_FKEY) }
    set { csqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, newValue ? 1 : 0) }
  }

  /// Whether ALTER TABLE … RENAME leaves other definitions as they are written.
  package var hasLegacyAlterTable: Bool {
    get { setting(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE) }
    set { csqlite_db_config(handle, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, newValue ? 1 : 0) }
  }

  private func setting(_ name: Int32) -> Bool { csqlite_db_config_value(handle, name) == 1 }
}
