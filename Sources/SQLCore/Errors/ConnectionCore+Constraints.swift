import CSQLite

// For some constraint failures SQLite's message does not have the table or the columns: it names
// only the columns of a unique constraint, and no table for a CHECK, an index over expressions or a
// foreign key. These are looked up in the schema, only after a statement failed, with a few read
// statements that bypass the statement cache and the observers.

extension ConnectionCore {
  /// Adds to a constraint failure the table and columns that are found in the schema.
  func locatingConstraint(
    of failure: any Error, _ statement: StatementPointer
  ) -> any Error {
    guard var error = failure as? DatabaseError, let constraint = error.constraint,
      constraint.table == nil
    else { return failure }
    switch constraint.kind {
    case .check: error.constraint = locatedCheck(constraint, statement)
    case .unique where constraint.name != nil:
      error.constraint = locatedIndex(constraint, statement)
    case .foreignKey:
      guard let key = violatedForeignKey(statement) else { return error }
      error.constraint?.table = key.table
      error.constraint?.columns = key.columns
      error.message += ": " + key.columns.map { "\(key.table).\($0)" }.joined(separator: ", ")
    default: break
    }
    return error
  }

  // MARK: CHECK

  private func locatedCheck(
    _ constraint: ConstraintFailure, _ statement: StatementPointer
  ) -> ConstraintFailure {
    guard let name = constraint.name else { return constraint }
    var found: [(table: WrittenTable, check: CheckDefinition)] = []
    for table in tablesWritten(by: statement) {
      let rows = readRows(
        "SELECT sql FROM \(table.schema).sqlite_schema WHERE type = 'table' AND name = ?",
        table.name)
      guard let sql = rows.first?.first ?? nil else { continue }
      found += CheckDefinition.all(in: sql).filter { $0.isCalled(name) }
        .map { (table: table, check: $0) }
    }
    // If several CHECKs have the name that SQLite reports, it is unknown which of them failed.
    guard let first = found.first, found.allSatisfy({ $0.table == first.table }) else {
      return constraint
    }
    var located = constraint
    located.table = first.table.name
    guard found.count == 1 else { return located }
    located.name = first.check.name ?? ConstraintFailure.withoutParentheses(first.check.text)
    located.columns = columns(of: first.table, namedIn: first.check.text)
    return located
  }

  // MARK: Indexes

  private func locatedIndex(
    _ constraint: ConstraintFailure, _ statement: StatementPointer
  ) -> ConstraintFailure {
    let found = tablesWritten(by: statement).flatMap { table in
      readRows(
        "SELECT tbl_name, sql FROM \(table.schema).sqlite_schema WHERE type = 'index' AND name = ?",
        constraint.name ?? ""
      ).filter { $0[0] == table.name }.map { (table: table, sql: $0[1]) }
    }
    guard found.count == 1, let sql = found[0].sql else { return constraint }
    let table = found[0].table
    var located = constraint
    located.table = table.name
    // The text before the first parenthesis names the index and the table.
    let tokens = SQLTokens(sql)
    let terms = tokens.tokens.drop { !$0.isSign("(") }.prefix { !$0.isWord("where") }
    located.columns = columns(of: table, namedIn: tokens.text(terms))
    return located
  }

  // MARK: Foreign keys

  private struct ForeignKey: Hashable {
    let table: String
    let columns: [String]
  }

  /// Returns the violated foreign key if it can be determined: from the violating row, if the
  /// transaction still has it, or because the statement can violate only one foreign key.
  private func violatedForeignKey(_ statement: StatementPointer) -> ForeignKey? {
    if statement.pointee.effects.contains(.controlsTransaction)
      || statement.pointee.savepointAction != nil
    {
      let rows = readRows(
        """
        SELECT c."table", f."from" FROM (SELECT * FROM pragma_foreign_key_check LIMIT 1) AS c
        JOIN pragma_foreign_key_list(c."table") AS f ON f.id = c.fkid ORDER BY f.seq
        """)
      guard let table = rows.first?.first ?? nil else { return nil }
      return ForeignKey(table: table, columns: rows.compactMap { $0[1] })
    }
    let tables = tablesWritten(by: statement)
    guard tables.count == 1, tables[0].database == "main" else { return nil }
    let table = tables[0].name
    let verb = SQLTokens(statement.sql ?? "").tokens.first?.value.lowercasedASCII
    let assigned = statement.pointee.assignments.map(\.column.lowercasedASCII)
    var keys: Set<ForeignKey> = []
    for row in foreignKeys(where: "lower(m.name) = lower(?)", table) where verb != "delete" {
      let isAssigned = row.columns.contains { assigned.contains($0.lowercasedASCII) }
      guard verb != "update" || isAssigned else { continue }
      keys.insert(row)
    }
    if verb != "insert" {
      keys.formUnion(
        foreignKeys(
          where: "lower(f.\"table\") = lower(?) AND f.on_delete IN ('NO ACTION', 'RESTRICT')",
          table))
    }
    return keys.count == 1 ? keys.first : nil
  }

  private func foreignKeys(where condition: String, _ table: String) -> [ForeignKey] {
    let rows = readRows(
      """
      SELECT m.name, f.id, f."from" FROM sqlite_schema AS m JOIN pragma_foreign_key_list(m.name) AS f
      WHERE m.type = 'table' AND \(condition) ORDER BY m.name, f.id, f.seq
      """, table)
    var keys: [ForeignKey] = []
    var last: [String?] = []
    for row in rows {
      guard let table = row[0], let column = row[2] else { continue }
      if Array(row[0...1]) == last, let key = keys.popLast() {
        keys.append(ForeignKey(table: table, columns: key.columns + [column]))
      } else {
        keys.append(ForeignKey(table: table, columns: [column]))
      }
      last = Array(row[0...1])
    }
    return keys
  }

  // MARK: Reading the schema

  private struct WrittenTable: Hashable {
    let database: String
    let name: String

    /// The quoted name of the database.
    var schema: String { Identifier(database).quoted }
  }

  /// Returns the tables whose rows the statement writes, itself or by triggers. It is compiled once
  /// more, so that the authorizer reports them.
  private func tablesWritten(by statement: StatementPointer) -> [WrittenTable] {
    guard let sql = statement.sql else { return [] }
    let notes = state.pointee.authorizer.noteWrittenTables(true)
    defer { state.pointee.authorizer.noteWrittenTables(notes) }
    guard let compiled = try? compile(Substring(sql))?.0 else { return [] }
    compiled.finalize()
    return compiled.notes.tableEffects.filter { $0.kind == .rows }.map {
      WrittenTable(database: $0.database, name: $0.table)
    }
  }

  /// Returns the columns of a table that are named in a piece of SQL, in the order of the table.
  private func columns(of table: WrittenTable, namedIn text: String) -> [String] {
    let names = Set(
      SQLTokens(text).tokens.filter { $0.kind == .word || $0.kind == .quotedName }
        .map(\.value.lowercasedASCII))
    return readRows(
      "SELECT name FROM pragma_table_xinfo(?, ?)", table.name, table.database
    )
    .compactMap { $0[0] }.filter { names.contains($0.lowercasedASCII) }
  }

  /// Returns the rows of one of the library's own statements, as texts; none if it fails.
  private func readRows(_ sql: String, _ values: String...) -> [[String?]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() {
      var value = value
      value.withUTF8 { bytes in
        _ = bytes.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text_copy(statement, Int32(index + 1), $0.baseAddress, UInt64($0.count))
        }
      }
    }
    var rows: [[String?]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) }
        })
    }
    return rows
  }
}

/// A CHECK constraint in the definition of a table.
private struct CheckDefinition {
  let name: String?
  let text: String

  /// Whether SQLite's message would call the constraint `name`: its name or, if it has none, its
  /// text. If the text begins with a quoted name, SQLite takes that name for the whole.
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
