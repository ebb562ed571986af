import CSQLite

/// A statement that was just compiled, with the effects that the authorizer reported.
package struct CompiledStatement {
  package internal(set) var handle: OpaquePointer
  let notes: StatementNotes
  /// The statement that the program wrote, if the database is remote. The text of this statement is
  /// sent to the engine. Nil if the statement runs in this process.
  private(set) var remote: (any RemoteTemplate)?

  init(handle: OpaquePointer, notes: StatementNotes, remote: (any RemoteTemplate)? = nil) {
    self.handle = handle
    self.notes = notes
    self.remote = remote
  }

  /// The effects that the authorizer reported.
  package var effects: StatementEffects { notes.effects }

  /// Records that the text of the program's own statement, `template`, is sent to the engine of a
  /// remote database. If `substitute` is not nil, `substitute` runs in place of `template`.
  package mutating func send(_ template: any RemoteTemplate, by substitute: OpaquePointer?) {
    remote = template
    if let substitute { handle = substitute }
  }

  package func finalize() {
    sqlite3_finalize(handle)
    if let remote, remote.template != handle { sqlite3_finalize(remote.template) }
  }
}

extension ConnectionCore {
  /// Compiles the first statement of a text; returns nil if the text holds only space and comments.
  ///
  /// If the database is remote, the statement is compiled against the local copy of the schema.
  /// Another statement, which sends the text to the engine, then runs in its place.
  func compile(_ text: Substring) throws -> (CompiledStatement, rest: Substring)? {
    guard let remote = state.pointee.remote else { return try compileHere(text) }
    return try remote.compile(text)
  }

  /// Compiles the first statement of a text against the schema of the local SQLite handle, even if
  /// the database is remote.
  package func compileHere(_ text: Substring) throws -> (CompiledStatement, rest: Substring)? {
    // SQLite would silently ignore the text after U+0000.
    guard !text.utf8.contains(0) else {
      throw DatabaseError(
        code: .error, message: "SQL cannot hold U+0000; bind the text as a value",
        sql: String(text).replacing("\0", with: "\u{2400}"))
    }
    var text = text
    if state.pointee.hooks.isInCallback { throw DatabaseError.usedInHook }
    let outer = state.pointee.authorizer.beginNotes()
    defer { state.pointee.authorizer.endNotes(restoring: outer) }
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
          if let failure = state.pointee.hooks.takeFailure() {
            throw failure.thrown(sql: String(decoding: bytes, as: UTF8.self))
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
        handle: statement, notes: state.pointee.authorizer.notes)
      return (compiled, text.utf8.dropFirst(consumed).asSubstring)
    }
  }

  /// Compiles the first statement of a text. If a PRAGMA has replaced the library's WAL hook,
  /// installs the hook again.
  private func prepare(
    _ text: UnsafePointer<CChar>, byteCount: Int, _ statement: inout OpaquePointer?,
    _ tail: inout UnsafePointer<CChar>?
  ) -> Int32 {
    keepWALHook()
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    let length = Int32(clamping: byteCount)
    var code = sqlite3_prepare_v3(handle, text, length, flags, &statement, &tail)
    if code == SQLITE_ERROR, FTS5.lacksFunction(handle) {
      FTS5.registerFunctions(on: self)
      code = sqlite3_prepare_v3(handle, text, length, flags, &statement, &tail)
    }
    if code == SQLITE_OK, state.pointee.wal.asksForPages {
      // `PRAGMA wal_autocheckpoint` returns the number of pages that belongs to SQLite's own WAL
      // hook. SQLite reads this number while it compiles the PRAGMA. During the compilation,
      // SQLite's hook is therefore installed in place of the library's hook.
      sqlite3_finalize(statement)
      statement = nil
      sqlite3_wal_autocheckpoint(handle, state.pointee.wal.autocheckpoint)
      code = sqlite3_prepare_v3(handle, text, length, flags, &statement, &tail)
      installWALHook()
    }
    keepWALHook()
    return code
  }

  /// Compiles a text that must hold exactly one statement.
  func compileOne(_ text: String) throws -> CompiledStatement {
    guard let (statement, rest) = try compile(Substring(text)) else {
      throw DatabaseError(code: .misuse, message: "the SQL contains no statement", sql: text)
    }
    // Only space and comments may follow the statement.
    do {
      if let (other, _) = try compile(rest) {
        other.finalize()
        throw DatabaseError(
          code: .misuse,
          message: "the SQL contains several statements; run them with `execute`", sql: text)
      }
    } catch {
      statement.finalize()
      throw error
    }
    return statement
  }
}

extension Substring.UTF8View {
  /// The same text as a `Substring`. This is valid, because SQLite cuts the text only between
  /// characters.
  fileprivate var asSubstring: Substring { Substring(self) }
}
