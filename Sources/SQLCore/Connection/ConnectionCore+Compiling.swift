import CSQLite

/// A statement that SQLite just compiled, and what the authorizer said of it.
struct CompiledStatement {
  let handle: OpaquePointer
  let effects: StatementEffects
  let tableEffects: [TableEffect]
  let assignments: [ColumnDependency]
}

extension ConnectionCore {
  /// Compiles the first statement of a text; nil where there is none but space and comments.
  func compile(_ text: Substring) throws -> (CompiledStatement, rest: Substring)? {
    // SQLite would stop at U+0000 in silence.
    guard !text.utf8.contains(0) else {
      throw DatabaseError(
        code: .error, message: "SQL cannot hold U+0000; bind the text as a value",
        sql: String(text).replacing("\0", with: "\u{2400}"))
    }
    var text = text
    if state.pointee.hookDepth > 0 { throw Self.usedInHook }
    // Compiling anew, after a change of the schema, leaves something here as well. A virtual table
    // may run statements of its own while the one that uses it is compiled.
    let outer = state.pointee.authorizer.effects
    let outerTables = state.pointee.authorizer.tableEffects
    let outerAssignments = state.pointee.authorizer.assignments
    state.pointee.authorizer.effects = []
    state.pointee.authorizer.tableEffects = []
    state.pointee.authorizer.assignments = []
    state.pointee.authorizer.wasDeniedByLock = false
    state.pointee.authorizer.isDeclaringTable = false
    defer {
      state.pointee.authorizer.effects = outer
      state.pointee.authorizer.tableEffects = outerTables
      state.pointee.authorizer.assignments = outerAssignments
    }
    return try text.withUTF8 { bytes -> (OpaquePointer, Int)? in
      guard let start = bytes.baseAddress else { return nil }
      var statement: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      var consumed = 0
      while statement == nil, consumed < bytes.count {
        let code = start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
          let code = prepare(
            start + consumed, byteCount: bytes.count - consumed, &statement, &tail)
          if let tail { consumed = tail - start }
          return code
        }
        guard code == SQLITE_OK else {
          if state.pointee.authorizer.wasDeniedByLock {
            throw DatabaseError.schemaIsLocked(sql: String(decoding: bytes, as: UTF8.self))
          }
          if let failure = takeCallbackFailure(sql: String(decoding: bytes, as: UTF8.self)) {
            throw failure
          }
          if code == SQLITE_AUTH, state.pointee.authorizer.isReader {
            throw readOnly(sql: String(decoding: bytes, as: UTF8.self))
          }
          throw KnownModels.adding(to: failure(code, sql: String(decoding: bytes, as: UTF8.self)))
        }
      }
      return statement.map { ($0, consumed) }
    }.map { statement, consumed in
      let compiled = CompiledStatement(
        handle: statement, effects: state.pointee.authorizer.effects,
        tableEffects: state.pointee.authorizer.tableEffects,
        assignments: state.pointee.authorizer.assignments ?? [])
      return (compiled, text.utf8.dropFirst(consumed).asSubstring)
    }
  }

  /// Compiles a text that must be one statement.
  func compileOne(_ text: String) throws -> CompiledStatement {
    guard let (statement, rest) = try compile(Substring(text)) else {
      throw DatabaseError(code: .misuse, message: "the SQL holds no statement", sql: text)
    }
    // What is behind must be space or comments.
    do {
      if let (other, _) = try compile(rest) {
        sqlite3_finalize(other.handle)
        throw DatabaseError(
          code: .misuse, message: "the SQL holds several statements; `execute` runs them all",
          sql: text)
      }
    } catch {
      sqlite3_finalize(statement.handle)
      throw error
    }
    return statement
  }
}

extension Substring.UTF8View {
  /// The text of a part that began and ended where SQLite cut, between characters.
  fileprivate var asSubstring: Substring { Substring(self) }
}
