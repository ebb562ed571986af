import CSQLite

/// The prepared statements of a connection, and the memory in which their keys are written.
///
/// This type only finds and stores statements. The core prepares them, because preparing may run
/// the caller's code, and that code may use this value.
struct StatementLender {
  private var cache: StatementCache
  /// The key of the statement that is looked up.
  private var key = StatementKey()
  /// Storage for the values of a query while its statement is looked up.
  private var values = BoundValues()
  /// The statement `PRAGMA schema_version`. It is nil until it is needed for the first time.
  private(set) var schemaVersion: OpaquePointer?
  /// The hits and misses of the cache that `takeNewCounts()` has returned so far.
  private var takenCounts = (hits: 0, misses: 0)

  init(_ configuration: Configuration) {
    cache = StatementCache(
      maximumCount: configuration.maximumCachedStatements,
      maximumByteCount: configuration.maximumCachedStatementBytes)
  }

  /// Finalises every statement. No statement can be found or prepared afterwards.
  func finalize() {
    cache.deallocate()
    sqlite3_finalize(schemaVersion)
  }

  /// Frees the memory for keys and for values.
  func deallocate() {
    key.deallocate()
    values.deallocate()
  }

  /// Stores the statement that reads the schema's version.
  mutating func keep(schemaVersion statement: OpaquePointer?) {
    schemaVersion = statement
  }

  /// Evicts and returns every statement that is not in use. The caller destroys them.
  mutating func removeAll() -> [StatementPointer] {
    cache.removeAll()
  }

  /// The size of the cache, and its hits and misses.
  var statistics: StatementCacheStatistics {
    StatementCacheStatistics(
      count: cache.count, byteCount: cache.byteCount, hits: cache.hits, misses: cache.misses)
  }

  /// Returns the hits and misses of the cache since the last call.
  mutating func takeNewCounts() -> (hits: Int, misses: Int) {
    defer { takenCounts = (cache.hits, cache.misses) }
    return (cache.hits - takenCounts.hits, cache.misses - takenCounts.misses)
  }

  // MARK: Writing the key

  /// Writes the key of a raw SQL text.
  fileprivate mutating func write(text: String) {
    key.begin(.text)
    key.append(unmeasured: text)
  }

  /// Writes the key of a typed query. The closure appends the shape of the query, and must not use
  /// the connection.
  fileprivate mutating func write(
    shape write: (inout StatementKey) throws -> Void
  ) rethrows {
    key.begin(.shape)
    try write(&key)
  }

  /// Returns a draft, into which the caller writes the shape and the values of a query. The storage
  /// for values moves into the draft, because binding a value may run the caller's code, and that
  /// code may use this connection.
  fileprivate mutating func beginDraft() -> StatementDraft {
    key.begin(.shape)
    defer { values = BoundValues() }
    return StatementDraft(key: key, values: values)
  }

  /// Reclaims the memory of a draft's key. The memory may have moved while the key grew.
  fileprivate mutating func takeBack(key: StatementKey) {
    self.key = key
  }

  /// Reclaims the memory of a draft's values.
  fileprivate mutating func takeBack(values: consuming BoundValues) {
    values.removeAll()
    self.values.deallocate()
    self.values = values
  }

  // MARK: Finding and storing

  /// Returns the statement whose key was written, and marks it as in use. Nil if the cache does not
  /// have the statement, or if the statement is already in use.
  fileprivate mutating func findIdle() -> StatementPointer? {
    guard let found = cache.find(key.bytes, hash: key.hash) else { return nil }
    if found.pointee.isInUse {
      cache.countAsMiss()
      return nil
    }
    found.pointee.isInUse = true
    return found
  }

  /// Returns the idle statement with a number, and marks it as in use; nil if the cache has no such
  /// statement.
  @inline(__always)
  fileprivate mutating func findIdle(number: Int) -> StatementPointer? {
    guard let found = cache.find(number: number) else { return nil }
    found.pointee.isInUse = true
    return found
  }

  /// Whether the cache has the statement whose key was written, even if the statement is in use.
  fileprivate var isCached: Bool { cache.holds(key.bytes, hash: key.hash) }

  /// Returns a copy of the written key, which the caller owns, and the hash of the key.
  fileprivate func copyKey() -> (key: UnsafeRawBufferPointer, hash: UInt64) {
    let bytes = key.bytes
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyMemory(from: bytes)
    return (UnsafeRawBufferPointer(copy), key.hash)
  }

  /// Stores a statement that was just prepared, unless it must not be cached or there is no room.
  ///
  /// Statements that may change tables are not cached, for three reasons:
  ///
  /// - SQLite runs many PRAGMAs while it prepares them, so a cached PRAGMA would have no effect.
  /// - The authorizer checks the rights of a reader only while a statement is prepared.
  /// - A statement that changes the schema may refer to another table at its next run. For example,
  ///   the index that a `DROP INDEX` names may have been dropped and created on another table.
  ///
  /// Returns the statements that were evicted to make room, which the caller destroys.
  fileprivate mutating func insert(_ statement: StatementPointer) -> [StatementPointer] {
    var evicted: [StatementPointer] = []
    if statement.pointee.effects.mayChangeTables || !cache.insert(statement, evicting: &evicted) {
      statement.pointee.key?.deallocate()
      statement.pointee.key = nil
    }
    return evicted
  }

  /// Lets the cache also find a statement by a number.
  fileprivate mutating func number(_ statement: StatementPointer, _ number: Int) {
    cache.number(statement, number)
  }
}

// There are three ways to find a statement: by its text, by its shape, and by a number that stands
// for its shape. The caller gives a lent statement back with `giveBack(_:)`.
extension ConnectionCore {
  // MARK: By text

  /// Returns the prepared statement for a raw SQL text, from the cache if possible. The caller must
  /// give it back.
  package func lendStatement(text: String) throws -> StatementPointer {
    state.pointee.statements.write(text: text)
    return try lendKnown() ?? lendNew { _, _ in text }
  }

  /// Returns the prepared statement for a piece of SQL, with its values bound. The caller must give
  /// it back.
  package func lendStatement(for sql: SQL) throws -> StatementPointer {
    let statement = try lendStatement(text: sql.text)
    do {
      try bind(sql.bindings, to: statement)
      return statement
    } catch {
      giveBack(statement)
      throw error
    }
  }

  // MARK: By shape

  /// Returns a draft in the memory of the connection. The caller writes the shape and the values of
  /// a query into it. The caller must pass the draft to `lendStatement(of:text:)` or to
  /// `discard(_:)` before anything else uses the connection.
  package func beginDraft() -> StatementDraft {
    state.pointee.statements.beginDraft()
  }

  /// Reclaims the memory of a draft whose shape could not be written.
  package func discard(_ draft: StatementDraft) {
    state.pointee.statements.takeBack(key: draft.key)
    state.pointee.statements.takeBack(values: draft.values)
  }

  /// Returns the prepared statement for a drafted query, with the values of the draft bound. The
  /// statement is found by its shape. If the cache does not have it, `text` makes the SQL from the
  /// shape. The caller must give the statement back.
  package func lendStatement(
    of draft: StatementDraft, text: (UnsafeRawBufferPointer, ConnectionCore) throws -> String
  ) throws -> StatementPointer {
    state.pointee.statements.takeBack(key: draft.key)
    defer { state.pointee.statements.takeBack(values: draft.values) }
    let statement = try lendKnown() ?? lendNew(text)
    do {
      try draft.values.bind(to: statement, on: self)
      return statement
    } catch {
      giveBack(statement)
      throw error
    }
  }

  /// Returns the prepared statement for the shape that `write` writes into the key. The caller
  /// binds the values, and must give the statement back.
  package func lendStatement(
    shape write: (inout StatementKey) throws -> Void, sql: () throws -> String
  ) throws -> StatementPointer {
    try state.pointee.statements.write(shape: write)
    guard let known = lendKnown() else { return try lendNew { _, _ in try sql() } }
    try checkText(of: known, sql)
    return known
  }

  // MARK: By number

  /// Returns the prepared statement for a number that stands for its shape (see `StatementKey`).
  /// This is the fastest way, for statements that are used often: prepared queries, and statements
  /// that find or write one model. The caller must bind every parameter, and must give the
  /// statement back.
  package func lendStatement(
    number: Int, shape write: (inout StatementKey) throws -> Void, sql: () throws -> String
  ) throws -> StatementPointer {
    if !state.pointee.authorizer.isRecording,
      let found = current(state.pointee.statements.findIdle(number: number))
    {
      try checkText(of: found, sql)
      return found
    }
    let statement = try lendStatement(shape: write, sql: sql)
    state.pointee.statements.number(statement, number)
    statement.pointee.leavesValues = true
    return statement
  }

  // MARK: Giving back

  /// Takes a statement back from a caller that no longer uses it. Resets the statement, and makes
  /// it available to other callers. Also clears the bound values, unless every run binds new
  /// values.
  @usableFromInline
  package func giveBack(_ statement: StatementPointer) {
    reset(statement)
    if !statement.pointee.leavesValues { sqlite3_clear_bindings(statement.handle) }
    if statement.pointee.key == nil {
      statement.destroy()
    } else {
      statement.pointee.isInUse = false
    }
  }

  // MARK: Known and new statements

  /// Returns the cached statement whose key was written; nil if the cache has no idle statement
  /// with that key.
  private func lendKnown() -> StatementPointer? {
    guard !state.pointee.authorizer.isRecording else { return nil }
    return current(state.pointee.statements.findIdle())
  }

  /// Returns a cached statement if it is up to date. If the database is remote and its schema has
  /// changed, evicts all idle statements and returns nil. SQLite would not recompile these
  /// statements, because it notices schema changes only in local files.
  @inline(__always)
  private func current(_ found: StatementPointer?) -> StatementPointer? {
    guard let found, let remote = found.pointee.remote else { return found }
    return current(found, remote)
  }

  private func current(
    _ found: StatementPointer, _ remote: any RemoteTemplate
  ) -> StatementPointer? {
    guard remote.isOutdated else { return found }
    found.pointee.isInUse = false
    evictStatements()
    return nil
  }

  /// Evicts and destroys every cached statement that is not in use.
  func evictStatements() {
    for evicted in state.pointee.statements.removeAll() { evicted.destroy() }
  }

  /// Prepares and returns the statement whose key was written, and stores it in the cache. If the
  /// cache already has the same statement, which is then in use, the new statement is not cached.
  private func lendNew(
    _ text: (UnsafeRawBufferPointer, ConnectionCore) throws -> String
  ) throws -> StatementPointer {
    let isCached = state.pointee.authorizer.isRecording || state.pointee.statements.isCached
    // The closure `text` may use this connection and overwrite the key, so the key is copied first.
    let (key, hash) = state.pointee.statements.copyKey()
    do {
      let compiled = try compileOne(try text(key, self))
      if isCached {
        key.deallocate()
        return StatementPointer.make(compiled)
      }
      let statement = StatementPointer.make(compiled, key: key, hash: hash)
      for evicted in state.pointee.statements.insert(statement) { evicted.destroy() }
      return statement
    } catch {
      key.deallocate()
      throw error
    }
  }

  /// Asserts, in debug builds, that a statement found in the cache has the SQL that the query
  /// renders. Gives the statement back if rendering throws.
  private func checkText(of found: StatementPointer, _ sql: () throws -> String) throws {
    #if DEBUG
      do {
        let rendered = try sql()
        let known = found.sql ?? ""
        // `found.sql` ends at the semicolon, so it may be only the beginning of the rendered SQL.
        // SQL with `apus_` is excluded, because it may contain checks of integers, which depend on
        // the existing table.
        assert(
          rendered.utf8.starts(with: known.utf8)
            || known.contains("apus_") || rendered.contains("apus_"),
          "two different statements have the same shape: \(rendered)")
      } catch {
        giveBack(found)
        throw error
      }
    #endif
  }
}
