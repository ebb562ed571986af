import CSQLite

/// What the authorizer of a connection denies.
struct AuthorizerRules {
  /// A reader neither lifts `query_only` nor attaches a file, which `query_only` would create, nor
  /// detaches one that later reads want.
  var isReader = false
  /// What of the schema may not be changed.
  var lock: SchemaLock?
  /// Whether the lock denied the statement that is being prepared.
  var wasDeniedByLock = false
  /// What the statement that is being prepared does, besides reading and writing rows.
  var effects: StatementEffects = []
}

/// The columns that a statement reads, collected while it is prepared.
final class ReadRecorder {
  var columns: Set<ColumnDependency> = []
}

/// A column, or a whole table, that a statement reads.
package struct ColumnDependency: Hashable, Sendable {
  package var database: String
  package var table: String
  /// Empty where the statement reads no column in particular, as `count(*)` does.
  package var column: String
}

extension ConnectionCore {
  /// Sets the authorizer. Setting it again expires every prepared statement: each is compiled anew
  /// before it runs next, which is wanted when a pre-update hook comes.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/set_authorizer.html>
  package func installAuthorizer() {
    // The state outlives the handle's use: `deinit` frees it after closing.
    sqlite3_set_authorizer(handle, authorize, UnsafeMutableRawPointer(state))
  }

  /// Prepares a statement without the cache and tells what it reads.
  package func dependencies(of sql: String) throws -> Set<ColumnDependency> {
    let recorder = ReadRecorder()
    state.pointee.readRecorder = recorder
    defer { state.pointee.readRecorder = nil }
    var remaining = Substring(sql)
    while let (statement, rest) = try compile(remaining) {
      sqlite3_finalize(statement.handle)
      remaining = rest
    }
    return recorder.columns
  }
}

private func authorize(
  context: UnsafeMutableRawPointer?, action: Int32,
  first: UnsafePointer<CChar>?, second: UnsafePointer<CChar>?,
  database: UnsafePointer<CChar>?, trigger: UnsafePointer<CChar>?
) -> Int32 {
  guard let state = context?.assumingMemoryBound(to: ConnectionState.self) else {
    return SQLITE_OK
  }
  switch action {
  case SQLITE_READ:
    if let recorder = state.pointee.readRecorder {
      recorder.columns.insert(
        ColumnDependency(
          database: database.map { String(cString: $0) } ?? "main",
          table: first.map { String(cString: $0) } ?? "",
          column: second.map { String(cString: $0) } ?? ""))
    }
  case SQLITE_ATTACH, SQLITE_DETACH:
    state.pointee.authorizer.effects.insert(.changesConnection)
    if state.pointee.authorizer.isReader { return SQLITE_DENY }
    if state.pointee.authorizer.lock == .everything { return state.denyUnlessVacuuming() }
  case SQLITE_PRAGMA:
    state.pointee.authorizer.effects.insert(.changesConnection)
    if state.pointee.authorizer.isReader, let first, second != nil,
      sqlite3_stricmp(first, "query_only") == 0
    {
      return SQLITE_DENY
    }
  case SQLITE_CREATE_INDEX...SQLITE_CREATE_VIEW, SQLITE_DROP_INDEX...SQLITE_DROP_VIEW,
    SQLITE_ALTER_TABLE, SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
    state.pointee.authorizer.effects.insert(.changesSchema)
    if let lock = state.pointee.authorizer.lock,
      lock.denies(action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
    {
      return state.denyUnlessVacuuming()
    }
  case SQLITE_TRANSACTION:
    state.pointee.authorizer.effects.insert(.controlsTransaction)
  default:
    break
  }
  guard !state.pointee.listeners.authorizer.isEmpty else { return SQLITE_OK }
  return askListeners(
    state,
    AuthorizerAction(
      code: action, first: first, second: second, database: database, trigger: trigger))
}

/// The strictest answer of those who listen.
private func askListeners(
  _ state: UnsafeMutablePointer<ConnectionState>, _ action: AuthorizerAction
) -> Int32 {
  let answer = state.callingOut { listeners in
    Result {
      var answer = SQLITE_OK
      try listeners.authorizer.forEachBody { body in
        switch try body(action) {
        case .allow: break
        case .ignore: answer = answer == SQLITE_OK ? SQLITE_IGNORE : answer
        case .deny: answer = SQLITE_DENY
        }
      }
      return answer
    }
  }
  switch answer {
  case .success(let code): return code
  case .failure(let error):
    if state.pointee.callbackFailure == nil {
      state.pointee.callbackFailure = NotedFailure(error, code: SQLITE_AUTH)
    }
    return SQLITE_DENY
  }
}
