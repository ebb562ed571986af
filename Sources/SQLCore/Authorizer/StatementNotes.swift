import CSQLite

/// The effects of a statement, as SQLite reports them to the authorizer during compilation.
struct StatementNotes {
  /// The effects other than reading and writing rows, such as changing the schema.
  var effects: StatementEffects = []
  /// The tables whose schema or rows the statement changes.
  private(set) var tableEffects: [TableEffect] = []
  /// The columns that an UPDATE or upsert assigns. Nil while SQLite recompiles a statement, because
  /// the statement then assigns the same columns as before.
  private(set) var assignments: [ColumnDependency]?

  /// Whether a trigger that the statement fires writes rows.
  var writesInTrigger = false

  /// Creates notes for a statement that SQLite recompiles.
  init() {}

  /// Creates notes for a statement that is compiled for the first time.
  init(assignments: [ColumnDependency]) {
    self.assignments = assignments
  }

  mutating func add(
    _ kind: TableEffect.Kind, _ database: UnsafePointer<CChar>?, table: UnsafePointer<CChar>?
  ) {
    guard let table else { return }
    let effect = TableEffect(
      kind: kind, database: database.map { String(cString: $0) } ?? "main",
      table: String(cString: table))
    if !tableEffects.contains(effect) { tableEffects.append(effect) }
  }

  mutating func addAssignment(
    _ database: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?,
    _ column: UnsafePointer<CChar>?
  ) {
    guard assignments != nil, let table, let column else { return }
    assignments?.append(
      ColumnDependency(
        database: database.map { String(cString: $0) } ?? "main", table: String(cString: table),
        column: String(cString: column)))
  }

  mutating func removeTables() {
    tableEffects = []
  }
}

/// A table whose schema or rows a statement changes, as SQLite reports it to the authorizer.
package struct TableEffect: Hashable, Sendable {
  package enum Kind: Sendable {
    /// The statement creates, alters or drops the table, or an index or trigger of the table.
    case schema
    /// The statement, or a trigger or foreign-key action that it causes, inserts, updates or
    /// deletes rows of the table.
    case rows
  }

  package let kind: Kind
  package let database: String
  package let table: String
}

/// A recorder of the columns that statements read and the functions that they call. It records them
/// while the statements are prepared.
final class ReadRecorder {
  private(set) var columns: Set<ColumnDependency> = []
  /// The names of the functions, folded to lower case.
  private(set) var functions: Set<String> = []

  func addColumn(
    _ database: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?,
    _ column: UnsafePointer<CChar>?
  ) {
    columns.insert(
      ColumnDependency(
        database: database.map { String(cString: $0) } ?? "main",
        table: table.map { String(cString: $0) } ?? "",
        column: column.map { String(cString: $0) } ?? ""))
  }

  func addFunction(_ name: UnsafePointer<CChar>?) {
    if let name { functions.insert(String(cString: name).lowercasedASCII) }
  }
}

/// A column that a statement reads or assigns, or a whole table that it reads.
package struct ColumnDependency: Hashable, Sendable {
  package var database: String
  package var table: String
  /// The name of the column; empty if the statement reads the table but no particular column, as
  /// `count(*)` does.
  package var column: String
}

extension ConnectionCore {
  /// Whether the library, when it prepares a statement, notes the tables whose rows the statement
  /// writes. A change of this setting empties the statement cache, because cached statements were
  /// prepared with the earlier setting.
  package var notesWrittenTables: Bool {
    get { state.pointee.authorizer.notesWrittenTables }
    set {
      guard newValue != state.pointee.authorizer.notesWrittenTables else { return }
      state.pointee.authorizer.noteWrittenTables(newValue)
      for evicted in state.pointee.statements.removeAll() { evicted.destroy() }
    }
  }

  /// Adds the newly noted tables to the list of the tables that a statement writes, if SQLite has
  /// recompiled the statement since `forgetNotedTables()`. The list can grow, because a trigger
  /// that was created in the meantime may write to further tables.
  package func noteTablesAgain(of statement: StatementPointer) {
    let version = sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    guard version != statement.pointee.tableEffectsVersion else { return }
    statement.pointee.tableEffectsVersion = version
    for effect in state.pointee.authorizer.notes.tableEffects
    where !statement.pointee.tableEffects.contains(effect) {
      statement.pointee.tableEffects.append(effect)
    }
  }

  /// Forgets which tables were noted so far. Call it only while no statement runs.
  package func forgetNotedTables() {
    state.pointee.authorizer.forgetTables()
  }

  /// Runs a closure. Returns its result, and the columns that the statements in it read. The
  /// statements are compiled without the cache, because SQLite calls the authorizer only while it
  /// compiles.
  package func recordingReads<Result>(
    _ body: () throws -> Result
  ) throws -> (Result, Set<ColumnDependency>) {
    let recorder = ReadRecorder()
    state.pointee.authorizer.record(into: recorder)
    defer { state.pointee.authorizer.record(into: nil) }
    return (try body(), recorder.columns)
  }

  /// Prepares all statements of a text, without the cache. Returns the columns that they read.
  package func dependencies(of sql: String) throws -> Set<ColumnDependency> {
    try reads(of: sql).columns
  }

  /// Prepares all statements of a text, without the cache. Returns the columns that they read, and
  /// the names of the functions that they call, in lower case.
  package func reads(
    of sql: String
  ) throws -> (columns: Set<ColumnDependency>, functions: Set<String>) {
    let recorder = ReadRecorder()
    state.pointee.authorizer.record(into: recorder)
    defer { state.pointee.authorizer.record(into: nil) }
    var remaining = Substring(sql)
    while let (statement, rest) = try compile(remaining) {
      statement.finalize()
      remaining = rest
    }
    return (recorder.columns, recorder.functions)
  }
}
