import CSQLite

// If a CHECK, an index over expressions or a foreign key is violated, SQLite's message does not
// name the table and the columns. The library looks them up in the schema, but only after a
// statement has failed. The few read statements for this bypass the statement cache and the
// observers. If the message fits several constraints, `WrittenRows` excludes the constraints that
// the rows of the statement satisfy.

extension ConnectionCore {
  /// Adds the table and the columns to the error for a violated constraint, if SQLite's message
  /// does not name the table. The table and the columns are looked up in the schema.
  func locatingConstraint(
    of failure: any Error, _ statement: StatementPointer
  ) -> any Error {
    guard var error = failure as? DatabaseError, let constraint = error.constraint,
      constraint.table == nil
    else { return failure }
    switch constraint.kind {
    case .check: locateCheck(&error, constraint, statement)
    case .unique where constraint.name != nil:
      error.constraint = locatedIndex(constraint, statement)
    case .foreignKey:
      let keys = violatedForeignKeys(statement)
      guard let first = keys.first else { return error }
      if keys.allSatisfy({ $0.table == first.table }) { error.constraint?.table = first.table }
      if keys.count == 1 {
        error.constraint?.columns = first.columns
        error.message += ": " + first.columns.map { "\(first.table).\($0)" }.joined(separator: ", ")
      } else {
        error.message += ": one of " + keys.map(\.description).joined(separator: ", ")
      }
    default: break
    }
    return error
  }

  // MARK: CHECK

  private func locateCheck(
    _ error: inout DatabaseError, _ constraint: ConstraintFailure, _ statement: StatementPointer
  ) {
    guard let name = constraint.name, let writes = writes(of: statement) else { return }
    var found: [(table: WrittenTable, check: CheckDefinition)] = []
    for table in writes.tables {
      let rows = readRows(
        "SELECT sql FROM \(table.schema).sqlite_schema WHERE type = 'table' AND name = ?",
        table.name)
      guard let sql = rows.first?.first ?? nil else { continue }
      found += CheckDefinition.all(in: sql).filter { $0.isCalled(name) }
        .map { (table: table, check: $0) }
    }
    if found.count > 1, let rows = writtenRows(of: statement, writes) {
      let remaining = found.filter {
        !rows.satisfy(check: $0.check.text, of: columns(of: $0.table, namedIn: $0.check.text))
      }
      if !remaining.isEmpty { found = remaining }
    }
    // SQLite reports the name of the CHECK. If several of the remaining CHECKs have this name, the
    // message of the error lists all of them.
    guard let first = found.first else { return }
    if found.allSatisfy({ $0.table == first.table }) { error.constraint?.table = first.table.name }
    guard found.count == 1 else {
      let texts = found.map { ConstraintFailure.withoutParentheses($0.check.text) }
      error.message += ": one of " + texts.joined(separator: ", ")
      return
    }
    error.constraint?.name =
      first.check.name ?? ConstraintFailure.withoutParentheses(first.check.text)
    error.constraint?.columns = columns(of: first.table, namedIn: first.check.text)
  }

  // MARK: Indexes

  private func locatedIndex(
    _ constraint: ConstraintFailure, _ statement: StatementPointer
  ) -> ConstraintFailure {
    let found = (writes(of: statement)?.tables ?? []).flatMap { table in
      readRows(
        "SELECT tbl_name, sql FROM \(table.schema).sqlite_schema WHERE type = 'index' AND name = ?",
        constraint.name ?? ""
      ).filter { $0[0] == table.name }.map { (table: table, sql: $0[1]) }
    }
    guard found.count == 1, let sql = found[0].sql else { return constraint }
    let table = found[0].table
    var located = constraint
    located.table = table.name
    // The indexed terms begin at the first parenthesis. The text before it contains the names of
    // the index and of the table.
    let tokens = SQLTokens(sql)
    let terms = tokens.tokens.drop { !$0.isSign("(") }.prefix { !$0.isWord("where") }
    located.columns = columns(of: table, namedIn: tokens.text(terms))
    return located
  }

  // MARK: Foreign keys

  /// Returns the foreign keys that a failed statement may have violated. After a failed COMMIT or
  /// RELEASE, the violating rows are still in the transaction, so the result has the keys that
  /// these rows violate. After any other statement, it has all keys that the statement can violate.
  private func violatedForeignKeys(_ statement: StatementPointer) -> [StoredForeignKey] {
    if statement.pointee.effects.contains(.controlsTransaction)
      || statement.pointee.savepointAction != nil
    {
      // The result may also contain keys that were violated earlier, while foreign keys were not
      // enforced.
      return foreignKeysOfDanglingRows()
    }
    guard let writes = writes(of: statement) else { return [] }
    guard writes.tables.count == 1, !writes.writesInTrigger else {
      return writes.tables.flatMap { foreignKeys(of: $0, isChild: true) }
        + writes.tables.flatMap { table in
          foreignKeys(of: table, isChild: false).filter { key in
            !writes.tables.contains { $0.isNamed(key.table) }
          }
        }
    }
    let table = writes.tables[0]
    let tokens = SQLTokens(statement.sql ?? "").tokens
    let verb = tokens.first?.value.lowercasedASCII
    // The assigned columns include those that actions of the table's own foreign keys assign. Even
    // a DELETE may have such columns.
    let assigned = statement.pointee.assignments.map(\.column.lowercasedASCII)
    let derived = assigned.isEmpty ? [] : derivedColumns(of: table, assigned)
    var keys = foreignKeys(of: table, isChild: true).filter { key in
      !["update", "delete"].contains(verb)
        || key.columns.contains { (assigned + derived).contains($0.lowercasedASCII) }
    }
    // REPLACE deletes existing rows, and an upsert updates existing rows. Both may violate foreign
    // keys that refer to the table.
    let replaces = replacesRows(table, tokens)
    let actions = ["NO ACTION", "RESTRICT"]
    if verb != "insert" || !assigned.isEmpty || replaces {
      for key in foreignKeys(of: table, isChild: false) {
        let action = verb == "delete" ? key.onDelete : verb == "update" ? key.onUpdate : nil
        let isRefused = replaces || action.map(actions.contains) ?? true
        if isRefused, !keys.contains(key) { keys.append(key) }
      }
    }
    guard keys.count > 1, !replaces, let rows = writtenRows(of: statement, writes) else {
      return keys
    }
    let remaining = keys.filter { !rows.satisfy($0) }
    return remaining.isEmpty ? keys : remaining
  }

  /// Returns the columns that an UPDATE may change although it does not name them. These are the
  /// generated columns and, if the UPDATE assigns `rowid`, the columns of the primary key.
  private func derivedColumns(of table: WrittenTable, _ assigned: [String]) -> [String] {
    columns(of: table).filter { column in
      column.generation.rawValue > 1
        || assigned.contains("rowid") && column.primaryKeyPosition > 0
    }.map(\.name.lowercasedASCII)
  }

  private func foreignKeys(of table: WrittenTable, isChild: Bool) -> [StoredForeignKey] {
    (try? foreignKeys(of: table.name, in: table.database, isChild: isChild)) ?? []
  }

  /// Returns whether a statement may delete rows of a table because of REPLACE. The statement
  /// itself may have OR REPLACE, or the schema may have ON CONFLICT REPLACE.
  private func replacesRows(_ table: WrittenTable, _ tokens: [SQLTokens.Token]) -> Bool {
    if tokens.contains(where: { $0.isWord("replace") }) { return true }
    return readRows(
      "SELECT sql FROM \(table.schema).sqlite_schema WHERE tbl_name = ? COLLATE NOCASE",
      table.name
    ).contains { SQLTokens(($0[0] ?? "")).tokens.contains { $0.isWord("replace") } }
  }

  // MARK: Reading the schema

  /// Returns the tables whose rows the statement or its triggers write. To find them, compiles the
  /// statement once more, so that the authorizer reports the tables.
  private func writes(
    of statement: StatementPointer
  ) -> (tables: [WrittenTable], writesInTrigger: Bool)? {
    guard let sql = statement.sql else { return nil }
    let notes = state.pointee.authorizer.noteWrittenTables(true)
    defer { state.pointee.authorizer.noteWrittenTables(notes) }
    guard let compiled = try? compile(Substring(sql))?.0 else { return nil }
    compiled.finalize()
    let tables = compiled.notes.tableEffects.filter { $0.kind == .rows }.map {
      WrittenTable(database: $0.database, name: $0.table)
    }
    return (tables, compiled.notes.writesInTrigger)
  }

  /// Returns the rows that a statement inserts, updates or deletes. Returns nil if they cannot be
  /// read again, as in these cases:
  ///
  /// - The database is remote.
  /// - There is an authorizer listener, which could hide columns.
  /// - The statement writes several tables, or its triggers or foreign-key actions write.
  private func writtenRows(
    of statement: StatementPointer, _ writes: (tables: [WrittenTable], writesInTrigger: Bool)
  ) -> WrittenRows? {
    guard writes.tables.count == 1, !writes.writesInTrigger, state.pointee.remote == nil,
      state.pointee.hooks.listeners.authorizer.isEmpty,
      let text = expandedText(statement.handle)
    else { return nil }
    let table = writes.tables[0]
    let verb = SQLTokens(text).tokens.first?.value.lowercasedASCII
    // If the table has a foreign key to itself, the actions of this key write further rows of the
    // table.
    let writesMore =
      verb != "insert"
      && foreignKeys(of: table, isChild: false).contains { key in
        let action = verb == "update" ? key.onUpdate : key.onDelete
        return table.isNamed(key.table) && action != "NO ACTION" && action != "RESTRICT"
      }
    return writesMore ? nil : WrittenRows(of: text, table, in: self)
  }

  /// Returns the columns of a table whose names occur in a piece of SQL. They are in the order in
  /// which the table has them.
  private func columns(of table: WrittenTable, namedIn text: String) -> [String] {
    let names = Set(
      SQLTokens(text).tokens.filter { $0.kind == .word || $0.kind == .quotedName }
        .map(\.value.lowercasedASCII))
    return columns(of: table).map(\.name).filter { names.contains($0.lowercasedASCII) }
  }

  /// Returns the columns of a table; an empty array if they cannot be read.
  func columns(of table: WrittenTable) -> [TableColumn] {
    (try? columns(ofTable: table.name, in: table.database)) ?? []
  }

  /// Runs one of the library's own statements, and returns its rows as texts; an empty array if it
  /// fails.
  func readRows(_ sql: String, _ values: String...) -> [[String?]] {
    (try? ownRows(sql, values)) ?? []
  }
}

/// A CHECK constraint in the definition of a table.
private struct CheckDefinition {
  let name: String?
  let text: String

  /// Returns whether this is the constraint that SQLite's message calls `name`. SQLite writes the
  /// constraint's name, or its text if it has no name, such as `price > 0`. If that text begins
  /// with a quoted name, as `"price" > 0` does, SQLite writes only `price`.
  func isCalled(_ name: String) -> Bool {
    if let own = self.name { return own == name }
    if ConstraintFailure.withoutParentheses(text) == name { return true }
    guard let first = SQLTokens(text).tokens.first,
      first.kind == .quotedName || first.kind == .string
    else { return text == name }
    return first.value == name
  }

  static func all(in sql: String) -> [CheckDefinition] {
    let source = SQLTokens(sql)
    let tokens = source.tokens
    var checks: [CheckDefinition] = []
    var index = 0
    while index < tokens.count {
      defer { index += 1 }
      guard tokens[index].isWord("check"), index + 1 < tokens.count, tokens[index + 1].isSign("(")
      else { continue }
      let isNamed = index >= 2 && tokens[index - 2].isWord("constraint")
      var depth = 0
      var end = index + 1
      while end < tokens.count {
        if tokens[end].isSign("(") { depth += 1 }
        if tokens[end].isSign(")") { depth -= 1 }
        if depth == 0 { break }
        end += 1
      }
      guard end < tokens.count else { break }
      checks.append(
        CheckDefinition(
          name: isNamed ? tokens[index - 1].value : nil,
          text: source.text(tokens[(index + 2)..<end])))
      index = end
    }
    return checks
  }
}
