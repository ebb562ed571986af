import CSQLite

/// The part of the schema that the authorizer of a connection protects.
enum SchemaLock: Equatable {
  case everything
  /// The tables with these names, folded to lower case.
  case tables(Set<String>)

  init?(_ policy: SchemaPolicy) {
    switch policy {
    case .automatic, .validated: return nil
    case .locked: self = .everything
    case .lockedTables(let names): self = .tables(Set(names.map(\.lowercasedASCII)))
    }
  }

  /// Returns whether the lock forbids an action, given the authorizer's code and its first two
  /// arguments.
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

extension DatabaseError {
  static func schemaIsLocked(sql: String) -> DatabaseError {
    DatabaseError(
      code: .notAuthorized,
      message:
        "the schema is locked by `Configuration.schemaPolicy`: CREATE, ALTER, DROP and ATTACH "
        + "are denied", sql: sql)
  }
}
