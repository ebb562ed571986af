import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Records the changes of a connection, to apply them to another database.
///
/// ```swift
/// let session = try connection.session()
/// try connection.execute("UPDATE note SET text = 'new'")
/// let changes = try session.changeset()
/// try other.apply(changes)
/// ```
///
/// It records rows of tables that declare a primary key, by whatever statement they change; a row
/// whose key holds NULL is left out. SQLite has one place for sessions and pre-update hooks: on a
/// connection that is observed or has a listener `onPreUpdate`, a session throws misuse, and the
/// other way round. It is confined to its connection: used after the closure that lent it returned,
/// it throws misuse.
/// - SeeAlso: <https://www.sqlite.org/sessionintro.html>
public final class Session {
  private let connection: Connection
  private let handle: LentHandle

  fileprivate init(connection: Connection, database: String, tables: [String]?) throws {
    let core = try connection.use()
    guard core.observer == nil, core.state.pointee.listeners.preUpdate.isEmpty else {
      throw DatabaseError.misuse(
        "this connection is observed, or has a listener `onPreUpdate`; SQLite has one place for "
          + "both: record on a `Connection` of its own")
    }
    var created: OpaquePointer?
    try core.check(sqlite3session_create(core.handle, database, &created))
    guard let created else { throw DatabaseError.misuse("the session did not begin") }
    self.connection = connection
    core.state.pointee.sessionCount += 1
    handle = LentHandle(created) { [unowned core] session in
      core.state.pointee.sessionCount -= 1
      sqlite3session_delete(session)
    }
    core.keep(handle)
    // A `DELETE` without a WHERE that was compiled before would empty the table unrecorded.
    core.installAuthorizer()
    if let tables {
      for table in tables { try core.check(sqlite3session_attach(created, table)) }
    } else {
      try core.check(sqlite3session_attach(created, nil))
    }
  }

  deinit {
    // Once the lease is over, the core has ended it, and may be in use elsewhere.
    guard let core = try? connection.use() else { return }
    core.end(handle)
  }

  private func use() throws -> (ConnectionCore, OpaquePointer) {
    let core = try connection.use()
    guard let pointer = handle.pointer else { throw DatabaseError.misuse("the session has ended") }
    return (core, pointer)
  }

  /// Whether nothing was recorded.
  public var isEmpty: Bool {
    get throws { sqlite3session_isempty(try use().1) != 0 }
  }

  /// Records or does not, from now on.
  ///
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_enable.html>
  public func setEnabled(_ isEnabled: Bool) throws {
    sqlite3session_enable(try use().1, isEnabled ? 1 : 0)
  }

  /// Marks what is recorded from now on as indirect, as what triggers do is.
  ///
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_indirect.html>
  public func setIndirect(_ isIndirect: Bool) throws {
    sqlite3session_indirect(try use().1, isIndirect ? 1 : 0)
  }

  /// Records the changes that turn a table of an attached database into the one here.
  ///
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_diff.html>
  public func recordDifference(from database: String, table: String) throws {
    let (core, pointer) = try use()
    var message: UnsafeMutablePointer<CChar>?
    let code = sqlite3session_diff(pointer, database, table, &message)
    defer { sqlite3_free(message) }
    guard code == SQLITE_OK else {
      guard let message else { throw core.error(code) }
      throw DatabaseError(code: ResultCode(rawValue: code), message: String(cString: message))
    }
  }

  /// What was recorded, with the old values: it can be inverted, and conflicts are noticed.
  ///
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_changeset.html>
  public func changeset() throws -> Changeset {
    let (core, pointer) = try use()
    return try Changeset {
      sqlite3session_changeset(pointer, $0, $1)
    } onError: {
      core.error($0)
    }
  }

  /// What was recorded, smaller, without the old values but those of the key.
  ///
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_patchset.html>
  public func patchset() throws -> Changeset {
    let (core, pointer) = try use()
    return try Changeset {
      sqlite3session_patchset(pointer, $0, $1)
    } onError: {
      core.error($0)
    }
  }

  /// Ends recording; it also ends when its last reference is gone, or its closure returns.
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_delete.html>
  public func end() throws { try connection.use().end(handle) }
}

extension Connection {
  /// Begins to record changes.
  ///
  /// - Parameter tables: which tables; nil for all.
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_create.html>
  public func session(database: String = "main", tables: [String]? = nil) throws -> Session {
    try Session(connection: self, database: database, tables: tables)
  }
}
