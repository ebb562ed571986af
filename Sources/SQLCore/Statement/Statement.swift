import CSQLite

/// A prepared statement of your own: prepared once, bound and run as often as you like.
///
/// ```swift
/// let insert = try connection.prepare("INSERT INTO animal (name, legs) VALUES (?, :legs)")
/// try insert.bind("dog", at: 1)
/// try insert.bind(4, to: ":legs")
/// try insert.run()
/// ```
///
/// Parameters are counted from 1 and columns from 0, as in SQLite. It is confined to its
/// connection: used after the closure that lent it returned, it throws misuse.
/// - SeeAlso: <https://www.sqlite.org/c3ref/stmt.html>
public final class Statement {
  private let connection: Connection
  private let memory: LentStatement
  private var isAtRow = false

  init(_ sql: SQL, connection: Connection) throws {
    self.connection = connection
    let core = try connection.use()
    let pointer = StatementPointer.make(try core.compileOne(sql.text))
    memory = LentStatement(pointer)
    self.sql = sql.text
    parameterCount = Int(sqlite3_bind_parameter_count(pointer.handle))
    core.keep(memory)
    if !sql.bindings.isEmpty { try core.bind(sql.bindings, to: pointer) }
  }

  deinit {
    // Once the lease is over, the core has ended the statement, and may be in use elsewhere.
    guard let core = try? connection.use() else { return }
    core.end(memory)
  }

  func use() throws -> (ConnectionCore, StatementPointer) {
    let core = try connection.use()
    guard let pointer = memory.pointer else { throw Self.ended }
    return (core, pointer)
  }

  private static var ended: DatabaseError {
    .misuse("the statement was lent to a closure that has returned")
  }

  /// The text that was prepared.
  public let sql: String

  /// How many parameters the statement has.
  public let parameterCount: Int

  /// The names of the columns that it gives; empty for a statement that gives no rows.
  public var columnNames: [String] {
    get throws { try use().1.columnNames.names }
  }

  /// How often the statement was run.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>
  public var runCount: Int {
    get throws { Int(sqlite3_stmt_status(try use().1.handle, SQLITE_STMTSTATUS_RUN, 0)) }
  }

  /// Binds NULL to every parameter.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/clear_bindings.html>
  public func clearBindings() throws {
    let (core, pointer) = try use()
    try reset()
    try core.check(sqlite3_clear_bindings(pointer.handle))
  }

  /// Takes one step: true where the statement now stands at a row, false at its end.
  ///
  /// A step after the end begins anew. An error ends the statement and is thrown.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/step.html>
  public func step() throws -> Bool {
    let (core, pointer) = try use()
    isAtRow = false
    isAtRow = try core.step(pointer)
    if !isAtRow { sqlite3_reset(pointer.handle) }
    return isAtRow
  }

  /// Runs the statement to its end; rows that it gives are not read.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/step.html>
  public func run() throws {
    try reset()
    while try step() {}
  }

  /// Makes the statement ready to begin anew; its values stay bound.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/reset.html>
  public func reset() throws {
    let (core, pointer) = try use()
    isAtRow = false
    core.reset(pointer)
  }

  /// The value of the current row at `index`, from 0.
  ///
  /// Throws misuse where the statement stands at no row, and what `StatementRow.get` throws.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, at index: Int, as form: StoredForm = .standard
  ) throws -> Value {
    try withRow { try $0.get(type, at: index, as: form) }
  }

  /// The value of the current row in the column of that name; a name that no column or several
  /// columns have throws.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, named name: String, as form: StoredForm = .standard
  ) throws -> Value {
    try withRow { try $0.get(type, named: name, as: form) }
  }

  /// The current row, copied.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func row() throws -> Row {
    try withRow { try Row(copying: $0) }
  }

  private func withRow<Result>(
    _ body: (borrowing StatementRow) throws -> Result
  ) throws -> Result {
    let (_, pointer) = try use()
    guard isAtRow else {
      throw DatabaseError.misuse(
        "the statement stands at no row; `step()` returned false or was not called")
    }
    return try body(StatementRow(statement: pointer))
  }
}

extension Connection {
  /// Prepares a statement for use as often as you like; values interpolated into it are bound.
  ///
  /// Throws `DatabaseError` with the place of a fault in the SQL.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/prepare.html>
  public func prepare(_ sql: SQL) throws -> Statement {
    try Statement(sql, connection: self)
  }
}
