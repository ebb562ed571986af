import CSQLite

/// A rule about which changes to the schema of a database are allowed.
///
/// ```swift
/// configuration.schemaPolicy = .locked
/// let db = try Database(path: "blog.sqlite", configuration: configuration)
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/set_authorizer.html>
public enum SchemaPolicy: Hashable, Sendable {
  /// The library changes the schema where necessary: when a database is opened with models, when
  /// `write(_:to:)` writes rows into a table given by its name, and when it needs a table of its
  /// own, such as `apus_write`.
  case automatic
  /// The library never changes the schema by itself. Opening throws unless the existing schema
  /// matches every model; a file that is opened read-only is not compared. Your own statements, and
  /// a call of `migrate`, may change the schema.
  case validated
  /// Nothing may change the schema: CREATE, ALTER, DROP, ATTACH and DETACH are denied on every
  /// connection once it is prepared. Opening throws if the existing schema does not match every
  /// model; a file that is opened read-only is not compared. Temporary tables and VACUUM are
  /// allowed.
  case locked
  /// Nothing may change these tables, their indexes and their triggers. For other tables, the rules
  /// of `automatic` apply.
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

  /// Returns whether the lock forbids an action of a statement. `action`, `first` and `second` are
  /// the code and the first two arguments that SQLite passes to the authorizer.
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
