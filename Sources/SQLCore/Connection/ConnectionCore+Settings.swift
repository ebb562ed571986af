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

  /// Replaces the text of a table's definition, inside a transaction. SQLite does not check that
  /// the new text describes the stored rows; the caller must ensure it. An engine elsewhere that
  /// protects its schema keeps the old text.
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_writable_schema>
  package func replaceDefinition(ofTable name: String, by sql: String) throws {
    if let link = state.pointee.remote {
      return try link.replaceDefinition(ofTable: name, by: sql)
    }
    let isDefensive = setting(SQLITE_DBCONFIG_DEFENSIVE)
    csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
    csqlite_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
    defer {
      csqlite_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0)
      csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, isDefensive ? 1 : 0)
    }
    let update = "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?"
    let compiled = try compileOne(update)
    defer { compiled.finalize() }
    let statement = compiled.handle
    for (index, text) in [sql, name].enumerated() {
      let count = text.utf8.count
      let code = text.withCString {
        csqlite_bind_text_copy(statement, Int32(index + 1), $0, UInt64(count))
      }
      guard code == SQLITE_OK else { throw failure(code, sql: update) }
    }
    let code = sqlite3_step(statement)
    guard code == SQLITE_DONE else { throw failure(code, sql: update) }
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
