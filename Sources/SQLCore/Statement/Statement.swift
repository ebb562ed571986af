import CSQLite

/// A prepared statement and its bindings. Prepare it once, then bind values and run it any number
/// of times.
///
/// ```swift
/// let insert = try connection.prepare("INSERT INTO animal (name, legs) VALUES (?, :legs)")
/// try insert.bind("dog", at: 1)
/// try insert.bind(4, to: ":legs")
/// try insert.run()
/// ```
///
/// Parameters are counted from 1 and columns from 0, as in SQLite. Use a statement only inside the
/// closure to which its connection was passed. After the closure has returned, every call throws
/// `DatabaseError` (`.misuse`).
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
    // If the access has ended, the core has already ended the statement, and another access may be
    // using the core.
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

  /// The SQL text that was prepared.
  public let sql: String

  /// The number of parameters.
  public let parameterCount: Int

  /// The names of the result's columns; empty for a statement without a result, such as an INSERT.
  public var columnNames: [String] {
    get throws { try use().1.columnNames.names }
  }

  /// The number of times the statement was run.
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

  /// Takes one step. Returns true if the statement is now at a row, and false at the end of the
  /// result.
  ///
  /// A step after the end runs the statement again from the start. An error ends the statement.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/step.html>
  public func step() throws -> Bool {
    let (core, pointer) = try use()
    isAtRow = false
    isAtRow = try core.step(pointer)
    if !isAtRow { sqlite3_reset(pointer.handle) }
    return isAtRow
  }

  /// Runs the statement to its end, ignoring any rows.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/step.html>
  public func run() throws {
    try reset()
    while try step() {}
  }

  /// Resets the statement, so that it can run again. Its values stay bound.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/reset.html>
  public func reset() throws {
    let (core, pointer) = try use()
    isAtRow = false
    core.reset(pointer)
  }

  /// Returns the value at `index`, counted from 0, of the current row.
  ///
  /// Throws `DatabaseError` (`.misuse`) if the statement is not at a row. Also throws the errors of
  /// `StatementRow.get`.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, at index: Int, as form: StoredForm = .standard
  ) throws -> Value {
    try withRow { try $0.get(type, at: index, as: form) }
  }

  /// Returns the value of the current row in the column named `name`. Throws if no column has that
  /// name, or if several have it.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, named name: String, as form: StoredForm = .standard
  ) throws -> Value {
    try withRow { try $0.get(type, named: name, as: form) }
  }

  /// Returns a copy of the current row.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  public func row() throws -> Row {
    try withRow { try Row(copying: $0) }
  }

  /// Passes the current row to a closure without copying it. Throws `DatabaseError` (`.misuse`) if
  /// the statement is not at a row.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/column_blob.html>
  @_spi(Tools)
  public func withRow<Result>(
    _ body: (borrowing StatementRow) throws -> Result
  ) throws -> Result {
    let (_, pointer) = try use()
    guard isAtRow else {
      throw DatabaseError.misuse(
        "the statement is not at a row; `step()` returned false or was not called")
    }
    return try body(StatementRow(statement: pointer))
  }
}

extension Connection {
  /// Prepares a statement that can be run any number of times. Interpolated values are bound.
  ///
  /// Throws `DatabaseError` if the SQL does not compile. The error contains the position of the
  /// mistake.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/prepare.html>
  public func prepare(_ sql: SQL) throws -> Statement {
    try Statement(sql, connection: self)
  }
}
