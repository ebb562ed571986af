import CSQLite

extension Connection {
  /// Runs one statement or several, separated by semicolons; rows that they give are not read.
  ///
  /// ```swift
  /// try connection.execute("UPDATE Post SET status = \(Status.archived) WHERE createdAt < \(date)")
  /// ```
  ///
  /// The values are bound in order, over all statements. A statement alone is taken from the cache;
  /// several are compiled one after another, and stop at the first error.
  /// Throws `DatabaseError`, with the SQL and the place of a fault in it.
  /// - SeeAlso: <https://www.sqlite.org/cintro.html>
  public func execute(_ sql: SQL) throws {
    let core = try use()
    if core.isCachedOrSingle(sql.text) {
      let statement = try core.lendStatement(text: sql.text)
      defer { core.giveBack(statement) }
      try core.bind(sql.bindings, to: statement)
      try core.run(statement)
    } else {
      try core.runScript(sql)
    }
  }

  /// Runs a statement once for each row that it gives.
  ///
  /// The row is lent: it is gone with the next one, and cannot be kept. An error in the closure or
  /// in SQLite ends the statement and is thrown.
  /// - SeeAlso: <https://www.sqlite.org/cintro.html>
  public func forEach(_ sql: SQL, _ body: (borrowing StatementRow) throws -> Void) throws {
    let core = try use()
    let statement = try core.lendStatement(text: sql.text)
    defer { core.giveBack(statement) }
    try core.bind(sql.bindings, to: statement)
    while try core.step(statement) {
      try body(StatementRow(statement: statement))
      try core.check(lease: lease)
    }
  }

  /// All rows of a statement, with their values copied.
  /// - SeeAlso: <https://www.sqlite.org/cintro.html>
  public func rows(_ sql: SQL) throws -> [Row] {
    var rows: [Row] = []
    try forEach(sql) { row in
      do {
        rows.append(try Row(copying: row))
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: rows.count)
      }
    }
    return rows
  }

  /// The first row of a statement, its values copied; nil where there is none.
  /// - SeeAlso: <https://www.sqlite.org/cintro.html>
  public func row(_ sql: SQL) throws -> Row? {
    let core = try use()
    let statement = try core.lendStatement(text: sql.text)
    defer { core.giveBack(statement) }
    try core.bind(sql.bindings, to: statement)
    return try core.step(statement) ? try Row(copying: StatementRow(statement: statement)) : nil
  }

  /// Rows of a statement as tuples of the given types, by position.
  ///
  /// ```swift
  /// let pairs = try connection.fetch((Int, String).self, "SELECT id, title FROM Post")
  /// ```
  ///
  /// Throws `ColumnValueError` where a value is of another type, and `DatabaseError` where there
  /// are not as many columns as types.
  /// - SeeAlso: <https://www.sqlite.org/cintro.html>
  public func fetch<each Value: ColumnValue>(
    _ type: (repeat each Value).Type, _ sql: SQL
  ) throws -> [(repeat each Value)] {
    let core = try use()
    let statement = try core.lendStatement(text: sql.text)
    defer { core.giveBack(statement) }
    try core.bind(sql.bindings, to: statement)
    // What writes must not run in vain; what reads is asked again, because the first step compiles
    // it anew after a change of the schema.
    if !statement.pointee.isReadOnly {
      try StatementRow(statement: statement).requireColumns(ofTypes: repeat (each Value).self)
    }
    var isAtRow = try core.step(statement)
    try StatementRow(statement: statement).requireColumns(ofTypes: repeat (each Value).self)
    var values: [(repeat each Value)] = []
    while isAtRow {
      var index = -1
      func next<V: ColumnValue>(_: V.Type) throws -> V {
        index += 1
        return try StatementRow(statement: statement).get(V.self, at: index)
      }
      do {
        values.append((repeat try next((each Value).self)))
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: values.count)
      }
      isAtRow = try core.step(statement)
    }
    return values
  }
}

extension ConnectionCore {
  /// Whether a text is one statement, as far as a look for a semicolon in its midst tells.
  ///
  /// A semicolon may stand in text, in a comment or in a trigger: then the script is compiled
  /// statement by statement, which is right for one as well.
  fileprivate func isCachedOrSingle(_ text: String) -> Bool {
    guard let semicolon = text.utf8.firstIndex(of: UInt8(ascii: ";")) else { return true }
    return text.utf8[text.utf8.index(after: semicolon)...].allSatisfy { byte in
      byte == 0x20 || (0x09...0x0D).contains(byte)
    }
  }

  /// Compiles and runs the statements of a text one after another.
  fileprivate func runScript(_ sql: SQL) throws {
    var remaining = Substring(sql.text)
    var values = sql.bindings[...]
    while let (compiled, rest) = try compile(remaining) {
      let statement = StatementPointer.make(compiled)
      defer { giveBack(statement) }
      let count = Int(sqlite3_bind_parameter_count(statement.handle))
      try bind(values.prefix(count), to: statement)
      values = values.dropFirst(count)
      try run(statement)
      remaining = rest
    }
    guard values.isEmpty else {
      throw DatabaseError(
        code: .range, message: "\(values.count) values more than parameters", sql: sql.text)
    }
  }
}
