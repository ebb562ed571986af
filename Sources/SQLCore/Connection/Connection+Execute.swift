import CSQLite

extension Connection {
  /// Runs one or more statements, separated by semicolons. Rows that the statements return are
  /// ignored.
  ///
  /// ```swift
  /// try connection.execute(
  ///   "UPDATE Post SET status = \(Status.archived) WHERE createdAt < \(date)")
  /// ```
  ///
  /// Interpolated values are bound in order, across all statements. A single statement with no
  /// semicolon inside it is taken from the cache. Several statements are compiled and run one after
  /// another, up to the first error. Throws a `DatabaseError` that names the SQL and, for a syntax
  /// error, its position. Throws misuse if there is no statement.
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

  /// Runs a statement and calls a closure for each row that it returns.
  ///
  /// The row is valid only until the closure returns, and cannot be stored. An error in the closure
  /// or in SQLite ends the statement and is thrown.
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

  /// Returns all rows of a statement, with their values copied.
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

  /// Returns the first row of a statement, with its values copied; nil if the statement returns no
  /// row.
  /// - SeeAlso: <https://www.sqlite.org/cintro.html>
  public func row(_ sql: SQL) throws -> Row? {
    let core = try use()
    let statement = try core.lendStatement(text: sql.text)
    defer { core.giveBack(statement) }
    try core.bind(sql.bindings, to: statement)
    return try core.step(statement) ? try Row(copying: StatementRow(statement: statement)) : nil
  }

  /// Returns the rows of a statement as tuples of the given types. Values are taken by position.
  ///
  /// ```swift
  /// let pairs = try connection.fetch((Int, String).self, "SELECT id, title FROM Post")
  /// ```
  ///
  /// Throws `ColumnValueError` if a value has another type, and `DatabaseError` if the number of
  /// columns differs from the number of types.
  /// - SeeAlso: <https://www.sqlite.org/cintro.html>
  public func fetch<each Value: ColumnValue>(
    _ type: (repeat each Value).Type, _ sql: SQL
  ) throws -> [(repeat each Value)] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples. All overloads of `fetch` call this method, because
  /// a call of `fetch` inside an overload would call the overload itself.
  func tuples<each Value: ColumnValue>(
    of type: (repeat each Value).Type, _ sql: SQL
  ) throws -> [(repeat each Value)] {
    let core = try use()
    let statement = try core.lendStatement(text: sql.text)
    defer { core.giveBack(statement) }
    try core.bind(sql.bindings, to: statement)
    // A statement that writes is checked before its first step, so that it changes nothing if the
    // columns do not match. A statement that reads is checked after its first step, which
    // recompiles it if the schema has changed.
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
  /// Returns whether a text certainly contains at most one statement. The result is true if the
  /// text has no semicolon, or only white space after the first one.
  ///
  /// Any other text is compiled statement by statement. It may still be a single statement, because
  /// a semicolon may belong to a string, a comment or a trigger. A single statement can be compiled
  /// this way, too.
  fileprivate func isCachedOrSingle(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard let semicolon = bytes.firstIndex(of: UInt8(ascii: ";")) else { return true }
      return bytes[(semicolon + 1)...].allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }
  }

  /// Compiles and runs the statements of a text, one after another.
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
        code: .range,
        message: "the SQL has fewer parameters than values; values left over: \(values.count)",
        sql: sql.text)
    }
  }
}

// Single values, and tuples of two to six values, have their own overloads. The overload with a
// parameter pack would work for them, too. But from a pack, Swift 6.3 does not infer that the
// elements of `Set(try db.fetch(Int.self, "SELECT 1"))` are Hashable.

extension Connection {
  /// Returns the values of a statement that has one column.
  ///
  /// ```swift
  /// let titles = try connection.fetch(String.self, "SELECT title FROM Post").sorted()
  /// ```
  /// Throws `ColumnValueError` if a value has another type, and `DatabaseError` if the statement
  /// does not have exactly one column.
  public func fetch<Value: ColumnValue>(_ type: Value.Type, _ sql: SQL) throws -> [Value] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples of two values, taken by position.
  public func fetch<A: ColumnValue, B: ColumnValue>(
    _ type: (A, B).Type, _ sql: SQL
  ) throws -> [(A, B)] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples of three values, taken by position.
  public func fetch<A: ColumnValue, B: ColumnValue, C: ColumnValue>(
    _ type: (A, B, C).Type, _ sql: SQL
  ) throws -> [(A, B, C)] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples of four values, taken by position.
  public func fetch<A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue>(
    _ type: (A, B, C, D).Type, _ sql: SQL
  ) throws -> [(A, B, C, D)] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples of five values, taken by position.
  public func fetch<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue
  >(
    _ type: (A, B, C, D, E).Type, _ sql: SQL
  ) throws -> [(A, B, C, D, E)] {
    try tuples(of: type, sql)
  }

  /// Returns the rows of a statement as tuples of six values, taken by position.
  public func fetch<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue, F: ColumnValue
  >(
    _ type: (A, B, C, D, E, F).Type, _ sql: SQL
  ) throws -> [(A, B, C, D, E, F)] {
    try tuples(of: type, sql)
  }
}
