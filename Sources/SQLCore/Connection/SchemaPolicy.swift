import CSQLite

/// Who may change the schema of a database.
/// - SeeAlso: <https://www.sqlite.org/c3ref/set_authorizer.html>
public enum SchemaPolicy: Hashable, Sendable {
  /// Opening with models, and writing into a named table, changes it where it must.
  case automatic
  /// Nothing changes it by itself: opening throws unless every model is what the database has. Your
  /// own statements, and a call of `migrate`, may.
  case validated
  /// Nothing changes it: CREATE, ALTER, DROP and ATTACH are denied on every connection, and opening
  /// throws where a model is not what the database has. Temporary tables are allowed, and VACUUM.
  case locked
  /// Nothing changes these tables, their indexes and their triggers; others are `automatic`.
  case lockedTables(Set<String>)

  /// Whether the schema of a table may not be changed.
  package func locks(_ table: String) -> Bool {
    switch self {
    case .automatic, .validated: false
    case .locked: true
    case .lockedTables(let names):
      names.contains { $0.lowercasedASCII == table.lowercasedASCII }
    }
  }
}

/// What the authorizer of a connection denies of the schema.
enum SchemaLock: Equatable {
  case everything
  /// These tables, folded.
  case tables(Set<String>)

  init?(_ policy: SchemaPolicy) {
    switch policy {
    case .automatic, .validated: return nil
    case .locked: self = .everything
    case .lockedTables(let names): self = .tables(Set(names.map(\.lowercasedASCII)))
    }
  }

  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_alter_table.html>
  func denies(_ action: Int32, _ first: String?, _ second: String?) -> Bool {
    let table: String?
    switch action {
    case SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_TRIGGER,
      SQLITE_CREATE_TEMP_VIEW, SQLITE_DROP_TEMP_INDEX, SQLITE_DROP_TEMP_TABLE,
      SQLITE_DROP_TEMP_TRIGGER, SQLITE_DROP_TEMP_VIEW:
      return false
    case SQLITE_CREATE_INDEX, SQLITE_CREATE_TRIGGER, SQLITE_DROP_INDEX, SQLITE_DROP_TRIGGER,
      SQLITE_ALTER_TABLE:
      table = second
    default:
      table = first
    }
    guard case .tables(let names) = self else { return true }
    return table.map { names.contains($0.lowercasedASCII) } ?? false
  }
}

extension UnsafeMutablePointer<ConnectionState> {
  /// Whether the schema's lock forbids what a statement would do.
  func isLocked(
    against action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?
  ) -> Bool {
    guard let lock = pointee.authorizer.lock else { return false }
    return lock.denies(
      action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
      && deniesUnlessVacuuming()
  }

  /// VACUUM attaches a file and creates tables in it, and changes no schema.
  func deniesUnlessVacuuming() -> Bool {
    var statement = sqlite3_next_stmt(pointee.handle, nil)
    while let running = statement {
      if sqlite3_stmt_busy(running) != 0, let sql = sqlite3_sql(running),
        sqlite3_strnicmp(sql, "vacuum", 6) == 0
      {
        return false
      }
      statement = sqlite3_next_stmt(pointee.handle, running)
    }
    pointee.authorizer.wasDeniedByLock = true
    return true
  }
}

extension DatabaseError {
  static func schemaIsLocked(sql: String) -> DatabaseError {
    DatabaseError(
      code: .notAuthorized,
      message:
        "the schema is locked by `Configuration.schemaPolicy`: CREATE, ALTER, DROP and ATTACH "
        + "are denied", sql: sql)
  }
}
