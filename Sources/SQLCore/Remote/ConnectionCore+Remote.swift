import CSQLite

// A connection whose database is elsewhere: opening it, compiling its statements, and following the
// schema and the transactions of the engine.
extension ConnectionCore {
  /// Prepares a new connection, whose handle is an empty database in memory, and copies the schema.
  func prepare(for database: RemoteDatabase) throws {
    let link = RemoteLink(database, handle: handle, isReader: isReader)
    state.pointee.remote = link
    enforcesForeignKeys = configuration.enforcesForeignKeys
    link.isStopped = { [unowned self] in
      !state.pointee.transaction.runsOwnStatement
        && (findStopReason() != nil || isInterruptRequested.load(ordering: .acquiring))
    }
    link.waitsForLock = { [unowned self] in waits($0) != 0 }
    let maximum = Int32(clamping: database.engine.maximumParameterCount)
    sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, maximum)
    try RemoteTable.register(for: link, on: self)
    installAuthorizer()
    try copySchema(link)
    try configuration.prepareConnection?(lend())
    endLease()
    state.pointee.authorizer.restrict(toReading: isReader || configuration.isReadOnly)
    state.pointee.authorizer.protect(SchemaLock(configuration.schemaPolicy))
  }

  // MARK: Compiling

  /// Compiles the first statement of a text against the copy of the schema, and then the statement
  /// that runs in its place.
  ///
  /// If a table or a column is missing, another process may have changed the schema: the copy is
  /// made again, and the statement compiled once more.
  func compile(
    _ text: Substring, for link: RemoteLink
  ) throws -> (CompiledStatement, rest: Substring)? {
    if link.copiedSchema != link.database.latestSchema, !isInTransaction { try copySchema(link) }
    let first: (CompiledStatement, rest: Substring)?
    do {
      first = try compileHere(text)
    } catch let error as DatabaseError where error.code.primary == .error {
      guard try copySchema(link) else { throw localOnly(error, link) }
      // A rollback would also take back the copy, so it is made again after the transaction.
      if isInTransaction { link.copiedSchema = 0 }
      do {
        first = try compileHere(text)
      } catch let error as DatabaseError {
        throw localOnly(error, link)
      }
    }
    guard let (template, rest) = first else { return nil }
    var compiled = template
    do {
      let statement = try link.makeStatement(compiled.handle, compiled.notes.effects)
      try check(statement, link)
      compiled.remote = statement
      if statement.hasSubstitute {
        compiled = CompiledStatement(
          handle: try compileSubstitute(statement.substitute), notes: compiled.notes,
          remote: statement)
      }
      return (compiled, rest)
    } catch {
      compiled.finalize()
      throw error
    }
  }

  /// Compiles a statement of the link. It leaves no notes, and is not among the statements whose
  /// reads are recorded.
  private func compileSubstitute(_ text: String) throws -> OpaquePointer {
    let outer = state.pointee.authorizer.beginNotes()
    let recorder = state.pointee.authorizer.record(into: nil)
    defer {
      state.pointee.authorizer.record(into: recorder)
      state.pointee.authorizer.endNotes(restoring: outer)
    }
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    try check(sqlite3_prepare_v3(handle, text, -1, flags, &statement, nil), sql: text)
    guard let statement else { throw DatabaseError.misuse("the statement is empty") }
    return statement
  }

  /// Throws for statements that would have no meaning elsewhere.
  private func check(_ statement: RemoteStatement, _ link: RemoteLink) throws {
    let count = Int(sqlite3_column_count(statement.template))
    guard count <= RemoteTable.maximumColumnCount else {
      throw DatabaseError(
        code: .tooBig,
        message:
          "the result has \(count) columns, and one of \(link.database.engine.name) can have "
          + "\(RemoteTable.maximumColumnCount)", sql: statement.sql)
    }
    let word = SQLTokens(statement.sql).tokens.first { !$0.isSign(";") }
    if word?.isWord("attach") == true || word?.isWord("detach") == true {
      throw DatabaseError(
        code: .misuse,
        message: "\(link.database.engine.name) has one database; ATTACH and DETACH have no meaning",
        sql: statement.sql)
    }
  }

  /// Returns an error that says what to do about a function that exists only in this process.
  private func localOnly(_ error: DatabaseError, _ link: RemoteLink) -> DatabaseError {
    let name = link.database.engine.name
    var error = error
    if Self.migrationFunctions.contains(where: error.message.hasSuffix) {
      error.message +=
        ": functions in Swift do not exist in \(name), so a migration cannot check or convert stored "
        + "values by their Swift types; write the values with SQL in a `MigrationStep`"
    } else if error.message.hasPrefix("no such function") {
      error.message +=
        ": functions in Swift, and those of Apus for exact decimals, time zones, Unicode case and "
        + "JSON, do not exist in \(name); compute the value in Swift, or write the query "
        + "with functions of SQLite"
    } else if error.message.hasPrefix("no such collation sequence") {
      error.message +=
        ": collations in Swift, and that of Apus for exact decimals, do not exist in \(name); sort "
        + "and compare in Swift, or use BINARY, NOCASE or RTRIM"
    } else if error.message.hasSuffix("no such table: generate_series") {
      error.message +=
        ": table functions in Swift do not exist in \(name); write a recursive common table "
        + "expression, or bind an array"
    }
    return error
  }

  /// The ends of SQLite's messages about the functions of a migration.
  private static let migrationFunctions = [
    "convert", "form", "has_form", "reads", "utf8", "is_utf8", "is", "reform",
  ].map { "no such function: apus_\($0)" }

  // MARK: Running

  /// Sends a statement that runs on the copy of the schema as well.
  func runBeforeCopy(_ statement: StatementPointer) throws {
    guard let link = state.pointee.remote, let remote = statement.pointee.remote,
      remote.runsOnCopy
    else { return }
    do {
      try link.runBeforeCopy(remote)
    } catch {
      followRemoteTransaction(after: error)
      throw (error as? DatabaseError).map { located($0, sql: statement.sql) } ?? error
    }
    if remote.changesSchema {
      link.database.schemaDidChange()
      link.copiedSchema = link.database.latestSchema
    }
  }

  /// Returns the error of the engine that made a statement fail, or the reason for which the access
  /// was ended meanwhile.
  func remoteFailure(sql: String?) -> (any Error)? {
    guard let failure = state.pointee.remote?.takeFailure() else { return nil }
    if !state.pointee.transaction.runsOwnStatement, let reason = findStopReason() {
      state.pointee.access.stop(because: reason)
      return reason.error
    }
    return (failure as? DatabaseError).map { located($0, sql: sql) } ?? failure
  }

  private func located(_ error: DatabaseError, sql: String?) -> DatabaseError {
    var error = error
    error.sql = sql
    error.constraint = ConstraintFailure(code: error.code, message: error.message)
    return error
  }

  /// Ends the transaction of the copy if the engine has ended its own.
  func followRemoteTransaction(after failure: any Error) {
    guard let link = state.pointee.remote, isInTransaction,
      !link.hasTransaction(after: failure)
    else { return }
    try? runHere("ROLLBACK")
    link.copiedSchema = 0
  }

  // MARK: The copy of the schema

  /// Makes the copy of the schema again if it is not that of the engine. Returns whether it changed.
  @discardableResult
  func copySchema(_ link: RemoteLink) throws -> Bool {
    let latest = link.database.latestSchema
    var definitions: [(type: String, name: String, sql: String)] = []
    try link.forEachRow(
      of: "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
    ) { row in
      definitions.append((row.text(at: 0), row.text(at: 1), row.text(at: 2)))
    }
    link.copiedSchema = latest
    var copied: Set<String> = []
    try forEachCopied { _, _, sql in copied.insert(sql) }
    guard copied != Set(definitions.map(\.sql)) else { return false }
    let copy = try SchemaCopy(of: definitions, in: self, withStatistics: false)
    sqlite3_set_authorizer(handle, nil, nil)
    defer { installAuthorizer() }
    try forEachCopied { type, name, _ in
      try? runHere("DROP \(type) IF EXISTS \(Identifier(name).quoted)")
    }
    // Definitions that SQLite's shell accepted may have texts in double quotes.
    takesQuotedTextInDefinitions = true
    defer { takesQuotedTextInDefinitions = false }
    copy.make(in: self)
    // SQLite makes its table of statistics only by itself.
    if definitions.contains(where: { $0.name == "sqlite_stat1" }) { try? runHere("ANALYZE") }
    return true
  }

  /// Calls a closure for each object of the copy, in an order in which they can be dropped.
  private func forEachCopied(_ body: (String, String, String) -> Void) throws {
    var statement: OpaquePointer?
    let sql = """
      SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL \
      ORDER BY type = 'table', sql LIKE 'CREATE VIRTUAL%', rowid
      """
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil), sql: sql)
    defer { sqlite3_finalize(statement) }
    var objects: [(String, String, String)] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      func text(_ column: Int32) -> String {
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
      }
      objects.append((text(0), text(1), text(2)))
    }
    sqlite3_reset(statement)
    for (type, name, sql) in objects { body(type, name, sql) }
  }
}

extension RemoteRows {
  /// Returns the text in a column of the current row; empty if it is not a text.
  fileprivate func text(at index: Int) -> String {
    var text = ""
    withValue(at: index) { value in
      if case .text(let bytes) = value { text = String(decoding: bytes, as: UTF8.self) }
    }
    return text
  }
}
