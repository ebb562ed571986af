/// The effects of a statement, as the authorizer reports them while it is compiled.
struct StatementNotes {
  /// The effects of the statement, other than reading and writing rows.
  var effects: StatementEffects = []
  /// The tables that the statement changes: their schema or their rows.
  private(set) var tableEffects: [TableEffect] = []
  /// The columns that the statement assigns in an UPDATE, its own or that of an upsert. Nil while
  /// SQLite recompiles a statement, which assigns the same columns as before.
  private(set) var assignments: [ColumnDependency]?

  /// Whether a trigger of the statement writes rows.
  var writesInTrigger = false

  /// Notes for a statement that SQLite recompiles.
  init() {}

  /// Notes for a statement that is compiled for the first time.
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

/// A table whose schema or rows a statement changes, as the authorizer reports it.
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
