import CSQLite

extension ConnectionCore {
  /// Whether foreign keys are enforced. Set it between transactions.
  ///
  /// This runs no statement, which could fail or be ended and leave the setting unchanged. An engine
  /// elsewhere gets the setting before the next statement.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
  package var enforcesForeignKeys: Bool {
    get { setting(SQLITE_DBCONFIG_ENABLE_FKEY) }
    set {
      csqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, newValue ? 1 : 0)
      state.pointee.remote?.settings.enforcesForeignKeys = newValue
    }
  }

  /// Whether triggers fire. Temporary triggers always do. Set it between transactions.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
  package var firesTriggers: Bool {
    get { setting(SQLITE_DBCONFIG_ENABLE_TRIGGER) }
    set { csqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, newValue ? 1 : 0) }
  }

  /// Whether ALTER TABLE … RENAME leaves the text of other definitions unchanged.
  package var hasLegacyAlterTable: Bool {
    get { setting(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE) }
    set {
      csqlite_db_config(handle, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, newValue ? 1 : 0)
      state.pointee.remote?.settings.hasLegacyAlterTable = newValue
    }
  }

  /// Whether a definition may contain strings in double quotes, which SQLite's shell accepts and
  /// stores.
  /// - SeeAlso: <https://www.sqlite.org/quirks.html#dblquote>
  package var takesQuotedTextInDefinitions: Bool {
    get { setting(SQLITE_DBCONFIG_DQS_DDL) }
    set { csqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, newValue ? 1 : 0) }
  }

  private func setting(_ name: Int32) -> Bool { csqlite_db_config_value(handle, name) == 1 }
}
