import CSQLite
import SQLCore

// The link prepares the handle of its connection, compiles its statements, and follows the schema
// and the transactions of the engine.
extension RemoteLink: RemoteConnection {
  func prepare() throws {
    let maximum = Int32(clamping: maximumParameterCount)
    sqlite3_limit(core.handle, SQLITE_LIMIT_VARIABLE_NUMBER, maximum)
    try RemoteTable.register(for: self, on: core)
  }

  // MARK: Compiling

  /// Compiles the first statement of a text against the connection's copy of the engine's schema.
  /// Then compiles the substitute that runs in its place, which `RemoteStatement` describes.
  ///
  /// If a table or a column is missing, another process may have changed the schema. The schema is
  /// then copied again, and the statement is compiled again.
  func compile(_ text: Substring) throws -> (CompiledStatement, rest: Substring)? {
    if copiedSchema != database.latestSchema, !core.isInTransaction { try copySchema() }
    let first: (CompiledStatement, rest: Substring)?
    do {
      first = try core.compileHere(text)
    } catch let error as DatabaseError where error.code.primary == .error {
      guard try copySchema() else { throw localOnly(error) }
      // If the open transaction is rolled back, the rollback also undoes this copy. So the schema
      // is copied again after the transaction.
      if core.isInTransaction { copiedSchema = 0 }
      do {
        first = try core.compileHere(text)
      } catch let error as DatabaseError {
        throw localOnly(error)
      }
    }
    guard let (template, rest) = first else { return nil }
    var compiled = template
    do {
      let statement = try makeStatement(compiled.handle, compiled.effects)
      try check(statement)
      compiled.send(
        statement,
        by: statement.hasSubstitute ? try core.compileSubstitute(statement.substitute) : nil)
      return (compiled, rest)
    } catch {
      compiled.finalize()
      throw error
    }
  }

  /// Returns whether a statement certainly ends soon, because it reads no rows in a loop and runs
  /// no trigger.
  /// - SeeAlso: <https://www.sqlite.org/opcode.html>
  func endsSoon(_ text: String) -> Bool {
    guard let program = try? core.compileSubstitute("EXPLAIN " + text) else { return false }
    defer { sqlite3_finalize(program) }
    while sqlite3_step(program) == SQLITE_ROW {
      let name = sqlite3_column_text(program, 1).map { String(cString: $0) } ?? ""
      let (place, target) = (sqlite3_column_int(program, 0), sqlite3_column_int(program, 3))
      // Each program ends with a jump back to its second instruction. This jump is not a loop.
      let isLoop =
        name.hasSuffix("Next") || name == "Prev" || name == "Yield"
        || name == "Goto" && target > 1 && target <= place
      if isLoop || name == "Program" || name == "IntegrityCk" { return false }
    }
    return true
  }

  /// Throws for statements that an engine cannot run: ATTACH, DETACH, and statements with too many
  /// columns.
  private func check(_ statement: RemoteStatement) throws {
    let count = Int(sqlite3_column_count(statement.template))
    guard count <= RemoteTable.maximumColumnCount else {
      throw DatabaseError(
        code: .tooBig,
        message:
          "the result has \(count) columns, and one of \(engine.name) can have "
          + "\(RemoteTable.maximumColumnCount)", sql: statement.sql)
    }
    let word = statement.text.firstTokens.first
    if word == "attach" || word == "detach" {
      throw DatabaseError(
        code: .misuse,
        message: "\(engine.name) has one database; ATTACH and DETACH have no meaning",
        sql: statement.sql)
    }
  }

  /// Adds advice to an error about a missing function, collation or table function, which may exist
  /// only in this process.
  private func localOnly(_ error: DatabaseError) -> DatabaseError {
    let name = engine.name
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

  /// The endings of SQLite's messages about a missing function that Apus uses for migrations.
  private static let migrationFunctions = [
    "convert", "form", "has_form", "reads", "utf8", "is_utf8", "is", "reform",
  ].map { "no such function: apus_\($0)" }

  // MARK: Following the engine

  func runBeforeCopy(_ statement: any RemoteTemplate) throws {
    guard let statement = statement as? RemoteStatement, statement.runsOnCopy else { return }
    try send(statement)
    if statement.changesSchema {
      database.schemaDidChange()
      copiedSchema = database.latestSchema
    }
  }

  func followTransaction(after failure: any Error) {
    guard core.isInTransaction, !hasTransaction(after: failure) else { return }
    try? core.runHere("ROLLBACK")
    copiedSchema = 0
  }

  @discardableResult
  func copySchema() throws -> Bool {
    let latest = database.latestSchema
    var definitions: [(type: String, name: String, sql: String)] = []
    try forEachRow(
      of: "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
    ) { row in
      definitions.append((row.text(at: 0), row.text(at: 1), row.text(at: 2)))
    }
    copiedSchema = latest
    var copied: Set<String> = []
    try forEachCopied { _, _, sql in copied.insert(sql) }
    guard copied != Set(definitions.map(\.sql)) else { return false }
    let copy = try SchemaCopy(of: definitions, in: core, withStatistics: false)
    sqlite3_set_authorizer(core.handle, nil, nil)
    defer { core.installAuthorizer() }
    try forEachCopied { type, name, _ in
      try? core.runHere("DROP \(type) IF EXISTS \(Identifier(name).quoted)")
    }
    // A definition that was created in SQLite's shell may have texts in double quotes, because the
    // shell accepts them.
    core.takesQuotedTextInDefinitions = true
    defer { core.takesQuotedTextInDefinitions = false }
    copy.make(in: core)
    // Only ANALYZE can create SQLite's table of statistics.
    if definitions.contains(where: { $0.name == "sqlite_stat1" }) { try? core.runHere("ANALYZE") }
    return true
  }

  /// Calls a closure for each table, index, view and trigger in the copy of the schema, in an order
  /// in which they can be dropped.
  private func forEachCopied(_ body: (String, String, String) -> Void) throws {
    var statement: OpaquePointer?
    let sql = """
      SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL \
      ORDER BY type = 'table', sql LIKE 'CREATE VIRTUAL%', rowid
      """
    try core.check(sqlite3_prepare_v2(core.handle, sql, -1, &statement, nil), sql: sql)
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
