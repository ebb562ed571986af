import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A recording of the changes that a connection makes, so that they can be applied to another
/// database.
///
/// ```swift
/// let session = try connection.session()
/// try connection.execute("UPDATE note SET text = 'new'")
/// let changes = try session.changeset()
/// try other.apply(changes)
/// ```
///
/// A session records the changed rows of tables that declare a primary key. It does not record a
/// row whose key contains NULL.
///
/// A session uses SQLite's pre-update hook, and each connection has only one such hook. If the
/// connection is observed or has an `onPreUpdate` listener, beginning a session throws
/// `DatabaseError` (`.misuse`). While a session records, observing the connection or adding such a
/// listener throws the same error.
///
/// Use a session only inside the closure that received the connection, such as the closure of
/// `write`. After the closure has returned, every call throws `DatabaseError` (`.misuse`). If
/// SQLite was built without sessions (`SQLiteLibrary.Feature.sessions`), using a session or a
/// changeset throws `DatabaseError`.
/// - SeeAlso: <https://www.sqlite.org/sessionintro.html>
public final class Session {
  private let connection: Connection
  private let handle: LentHandle

  fileprivate init(connection: Connection, database: String, tables: [String]?) throws {
    let core = try connection.use()
    guard core.observer == nil, core.state.pointee.hooks.allowsSessions else {
      throw DatabaseError.misuse(
        "this connection is observed or has an `onPreUpdate` listener, and SQLite has one slot for "
          + "these and for sessions; record on a separate `Connection`")
    }
    // If a pre-update hook were installed, SQLite would treat its context as another session.
    core.removePreUpdateHook()
    var created: OpaquePointer?
    let code = sqlite3session_create(core.handle, database, &created)
    guard code == SQLITE_OK, let created else {
      core.restorePreUpdateHook()
      try core.check(code)
      throw DatabaseError.misuse("the session could not be started")
    }
    self.connection = connection
    core.state.pointee.hooks.sessionDidBegin()
    // The session now uses the only pre-update hook, so changes are no longer reported to the
    // cache.
    core.state.pointee.cacheFeed.noteUnknown()
    handle = LentHandle(created) { [unowned core] session in
      core.state.pointee.hooks.sessionDidEnd()
      sqlite3session_delete(session)
      core.restorePreUpdateHook()
    }
    core.keep(handle)
    // A `DELETE` without a WHERE clause that was compiled before the session began would use the
    // truncate optimization, and the session would not record the deleted rows. Installing the
    // authorizer again makes SQLite recompile such statements.
    core.installAuthorizer()
    if let tables {
      for table in tables { try core.check(sqlite3session_attach(created, table)) }
    } else {
      try core.check(sqlite3session_attach(created, nil))
    }
  }

  deinit {
    // If the access has ended, the core has already ended the session, and another access may be
    // using the core.
    guard let core = try? connection.use() else { return }
    core.end(handle)
  }

  private func use() throws -> (ConnectionCore, OpaquePointer) {
    let core = try connection.use()
    guard let pointer = handle.pointer else { throw DatabaseError.misuse("the session has ended") }
    return (core, pointer)
  }

  /// Whether nothing has been recorded.
  public var isEmpty: Bool {
    get throws { sqlite3session_isempty(try use().1) != 0 }
  }

  /// Turns recording on or off. Changes that were recorded before are kept.
  ///
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_enable.html>
  public func setEnabled(_ isEnabled: Bool) throws {
    sqlite3session_enable(try use().1, isEnabled ? 1 : 0)
  }

  /// Sets whether changes recorded from now on are marked as indirect, like changes that triggers
  /// make.
  ///
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_indirect.html>
  public func setIndirect(_ isIndirect: Bool) throws {
    sqlite3session_indirect(try use().1, isIndirect ? 1 : 0)
  }

  /// Records the changes that would turn a table of an attached database into the table of the same
  /// name in this database. Throws `DatabaseError` if the two tables do not match.
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

  /// Returns the recorded changes, including the old values. With the old values, the changes can
  /// be inverted, and `apply` can detect conflicts.
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

  /// Returns the recorded changes in a smaller form. This form has the old values only of the
  /// columns of the primary key.
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

  /// Ends the session. It also ends when its last reference is released, or when the closure that
  /// received the connection returns.
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_delete.html>
  public func end() throws { try connection.use().end(handle) }
}

extension Connection {
  /// Begins a session, which records changes from now on.
  ///
  /// - Parameter tables: the tables to record; nil for all tables.
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3session_create.html>
  public func session(database: String = "main", tables: [String]? = nil) throws -> Session {
    try use().requireLocal("a session")
    try SQLiteLibrary.Feature.sessions.require(for: "a session")
    return try Session(connection: self, database: database, tables: tables)
  }
}
