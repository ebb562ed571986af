import CSQLite

extension ConnectionCore {
  /// Compiles the first statement of a text; nil where there is none but space and comments.
  func compile(_ text: Substring) throws -> (OpaquePointer, rest: Substring)? {
    // SQLite would stop at U+0000 in silence.
    guard !text.utf8.contains(0) else {
      throw DatabaseError(
        code: .error, message: "SQL cannot hold U+0000; bind the text as a value",
        sql: String(text).replacing("\0", with: "\u{2400}"))
    }
    var text = text
    return try text.withUTF8 { bytes -> (OpaquePointer, Int)? in
      guard let start = bytes.baseAddress else { return nil }
      var statement: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      var consumed = 0
      while statement == nil, consumed < bytes.count {
        let code = start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
          let code = sqlite3_prepare_v3(
            handle, start + consumed, Int32(clamping: bytes.count - consumed),
            UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &tail)
          if let tail { consumed = tail - start }
          return code
        }
        guard code == SQLITE_OK else {
          throw error(code, sql: String(decoding: bytes, as: UTF8.self))
        }
      }
      return statement.map { ($0, consumed) }
    }.map { statement, consumed in
      (statement, text.utf8.dropFirst(consumed).asSubstring)
    }
  }

  /// Compiles a text that must be one statement.
  func compileOne(_ text: String) throws -> OpaquePointer {
    guard let (statement, rest) = try compile(Substring(text)) else {
      throw DatabaseError(code: .misuse, message: "the SQL holds no statement", sql: text)
    }
    // What is behind must be space or comments.
    do {
      if let (other, _) = try compile(rest) {
        sqlite3_finalize(other)
        throw DatabaseError(
          code: .misuse, message: "the SQL holds several statements; `execute` runs them all",
          sql: text)
      }
    } catch {
      sqlite3_finalize(statement)
      throw error
    }
    return statement
  }

  /// Lends the statement whose key stands in `state.key`; renders and prepares it where the cache
  /// has none.
  package func lendStatement(sql: () throws -> String) throws -> StatementPointer {
    let key = state.pointee.key.bytes
    let hash = state.pointee.key.hash
    if let found = state.pointee.cache.find(key, hash: hash) {
      #if DEBUG
        let rendered = try sql()
        assert(found.sql == rendered, "a shape stands for two statements: \(rendered)")
      #endif
      if !found.pointee.isInUse {
        found.pointee.isInUse = true
        return found
      }
      // Its twin, for the occasion.
      let handle = try compileOne(try sql())
      let twin = StatementPointer.allocate(capacity: 1)
      twin.initialize(to: PreparedStatement(handle: handle, changesSchema: takeSchemaChange()))
      return twin
    }
    // Rendering may run the user's code, which may use this connection: the key is copied first.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count, alignment: 1)
    copy.copyMemory(from: key)
    do {
      let handle = try compileOne(try sql())
      let statement = StatementPointer.allocate(capacity: 1)
      statement.initialize(
        to: PreparedStatement(
          handle: handle, key: UnsafeRawBufferPointer(copy), hash: hash,
          changesSchema: takeSchemaChange()))
      if !state.pointee.cache.insert(statement) {
        statement.pointee.key = nil
        copy.deallocate()
      }
      return statement
    } catch {
      copy.deallocate()
      throw error
    }
  }

  /// Whether what was prepared since the last call creates, alters or drops something.
  func takeSchemaChange() -> Bool {
    defer { state.pointee.authorizer.sawSchemaChange = false }
    return state.pointee.authorizer.sawSchemaChange
  }

  /// Lends the statement of a raw text.
  package func lendStatement(text: String) throws -> StatementPointer {
    state.pointee.key.begin(.text)
    state.pointee.key.append(unmeasured: text)
    return try lendStatement { text }
  }

  /// Lends a statement by a shape that `write` puts into the key.
  package func lendStatement(
    shape write: (inout StatementKey) throws -> Void, sql: () throws -> String
  ) throws -> StatementPointer {
    state.pointee.key.begin(.shape)
    try write(&state.pointee.key)
    return try lendStatement(sql: sql)
  }

  /// Takes a statement back: ended, its values gone.
  @usableFromInline
  package func giveBack(_ statement: StatementPointer) {
    reset(statement)
    sqlite3_clear_bindings(statement.handle)
    if statement.pointee.key == nil {
      statement.destroy()
    } else {
      statement.pointee.isInUse = false
    }
  }

  /// Takes one step; true where the statement stands at a row.
  @usableFromInline
  package func step(_ statement: StatementPointer) throws -> Bool {
    if !statement.pointee.isRunning { try begin(statement) }
    let code = sqlite3_step(statement.handle)
    if code == SQLITE_ROW { return true }
    statement.pointee.isRunning = false
    guard code == SQLITE_DONE else {
      // The error's words are those of the last call: they are read before anything else runs.
      let failure = error(code, sql: statement.sql)
      sqlite3_reset(statement.handle)
      state.pointee.observer?.statementDidRun(statement, failed: true, on: self)
      throw failure
    }
    state.pointee.observer?.statementDidRun(statement, failed: false, on: self)
    return false
  }

  /// Runs a statement to its end, its rows unread, and makes it ready to run again.
  package func run(_ statement: StatementPointer) throws {
    while try step(statement) {}
    sqlite3_reset(statement.handle)
  }

  private func begin(_ statement: StatementPointer) throws {
    if !state.pointee.allowsWriting, !statement.pointee.isReadOnly {
      throw DatabaseError(
        code: .readOnly,
        message: "this access only reads; write in `write { }`", sql: statement.sql)
    }
    statement.pointee.isRunning = true
    state.pointee.observer?.statementWillRun(statement, on: self)
  }

  /// Ends a statement where it stands.
  package func reset(_ statement: StatementPointer) {
    sqlite3_reset(statement.handle)
    if statement.pointee.isRunning {
      statement.pointee.isRunning = false
      state.pointee.observer?.statementDidRun(statement, failed: false, on: self)
    }
  }

  /// Marks a read statement as running: the loops that step by themselves begin so.
  package func beginReading(_ statement: StatementPointer) throws {
    if !statement.pointee.isRunning { try begin(statement) }
  }
}

extension Substring.UTF8View {
  /// The text of a part that began and ended where SQLite cut, between characters.
  fileprivate var asSubstring: Substring { Substring(self) }
}
