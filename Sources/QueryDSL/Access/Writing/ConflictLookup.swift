import SQLCore

/// The row that an insert would write, with the values that unique constraints compare.
struct NewRow {
  private enum Value {
    case bound(DatabaseValue)
    case expression(ExpressionNode)
    case sql(String)
  }

  /// The quoted names of the columns, with their values.
  private var columns: [(name: String, value: Value)] = []
  /// The generated columns, which SQLite calculates from other columns.
  private var generated: [(name: String, sql: String)] = []

  init(of insert: InsertStatement, _ layout: ModelLayout, on core: ConnectionCore) throws {
    switch insert.source {
    case .model(let model, let layout, let assigningKey):
      for index in layout.orders.inserted(assigningKey: assigningKey) {
        let slot = layout.slots.slots[Int(index)]
        let value = try slot.type._databaseValue(
          ofColumnAt: model + Int(slot.offset), as: slot.form)
        columns.append((layout.columns[Int(index)].quotedName, .bound(value)))
      }
    case .values(let assignments):
      for assignment in assignments {
        guard let index = assignment.column.columnID?.index else { continue }
        columns.append((layout.columns[Int(index)].quotedName, .expression(assignment.value)))
      }
    case .rows(let targets, let values):
      for (target, value) in zip(targets, values) {
        guard let index = target.columnID?.index else { continue }
        columns.append((layout.columns[Int(index)].quotedName, .expression(.value(value))))
      }
    case .arrays, .query: break
    }
    // Columns that the insert does not set get their default values.
    let known = Set(columns.map(\.name))
    for column in try core.lend().columns(ofTable: layout.tableName)
    where column.generation == .none {
      let name = Identifier(column.name).quoted
      if !known.contains(name) { columns.append((name, .sql(column.defaultText ?? "NULL"))) }
    }
    generated = try layout.generatedDeclarations()
  }

  /// Writes the value that the new row has for a term of a unique constraint. The term is a column,
  /// or an expression such as `lower("email")`.
  fileprivate func write(_ term: String, to writer: inout ShapeWriter) {
    if let column = columns.first(where: { $0.name == term }) {
      return Self.write(column.value, to: &writer)
    }
    writer.function("(SELECT \(term) FROM (SELECT *")
    for column in generated { writer.function(", \(column.sql) AS \(column.name)") }
    writer.function(" FROM (SELECT ")
    for (index, column) in columns.enumerated() {
      if index > 0 { writer.function(", ") }
      Self.write(column.value, to: &writer)
      writer.function(" AS \(column.name)")
    }
    writer.function(")))")
  }

  private static func write(_ value: Value, to writer: inout ShapeWriter) {
    switch value {
    case .bound(let value): writer.value(.value(value))
    case .expression(let node):
      writer.function("(")
      node.write(to: &writer)
      writer.function(")")
    case .sql(let text): writer.function("(\(text))")
    }
  }
}

/// The query that finds the existing row with which a new row conflicts. Both rows have the same
/// values in all columns of a unique constraint. SQL: `SELECT key FROM T WHERE …`
struct ConflictLookup: Renderable {
  let layout: ModelLayout
  let row: NewRow
  let constraint: UniqueConstraint

  func write(to writer: inout ShapeWriter) {
    let key = layout.keyColumns.map { layout.columns[$0].quotedName }.joined(separator: ", ")
    writer.function("SELECT \(key) FROM \(layout.quotedTableName) WHERE ")
    for (index, term) in constraint.terms.enumerated() {
      if index > 0 { writer.function(" AND ") }
      writer.function("\(term) = ")
      row.write(term, to: &writer)
    }
    if let condition = constraint.condition {
      writer.function(" AND (\(condition)) AND ")
      row.write("(\(condition))", to: &writer)
    }
  }
}

extension ConflictClause {
  /// Returns the unique constraints whose violation this ON CONFLICT clause handles.
  func constraints(of layout: ModelLayout, on core: ConnectionCore) throws -> [UniqueConstraint] {
    if let terms {
      return [UniqueConstraint(terms: try terms.get(), condition: try condition.get())]
    }
    if !target.isEmpty {
      let terms = target.compactMap { node in
        node.columnID.map { layout.columns[Int($0.index)].quotedName }
      }
      return [UniqueConstraint(terms: terms, condition: try condition.get())]
    }
    return try core.uniqueConstraints(of: layout)
  }
}

extension Insert {
  /// Runs a closure that inserts rows. If SQLite refuses an ON CONFLICT clause because no unique
  /// constraint has the clause's columns, adds an explanation to the error. The explanation names a
  /// partial index that has these columns.
  func explainingConflicts<Result>(
    on core: ConnectionCore, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch var error as DatabaseError
      where error.message.hasPrefix("ON CONFLICT clause does not match")
    {
      let layout = try M.layout
      let indexes = try core.lend().rows(
        """
        SELECT i.name, s.sql FROM pragma_index_list(\(layout.tableName)) AS i
        JOIN sqlite_schema AS s ON s.type = 'index' AND s.name = i.name
        WHERE i."unique" AND i.partial
        """)
      for index in indexes {
        let partial = ExistingIndex.constraint(in: try index.get(at: 1))
        let isNamed = try conflicts.contains { clause in
          try !clause.isForEveryConstraint && clause.condition.get() == nil
            && clause.constraints(of: layout, on: core).contains {
              Set($0.terms.map(\.unquotedName)) == Set(partial.terms.map(\.unquotedName))
            }
        }
        guard isNamed, let condition = partial.condition else { continue }
        error.message += """
          : the index \(try index.get(String.self, at: 0)) on these columns is partial; give its \
          condition with `matching`, as in \
          `\(layout.tableName).insert(…).onConflictUpdate(…, matching: { … })` (WHERE \(condition))
          """
      }
      throw error
    }
  }
}

extension String {
  /// This term of an index, in a form for comparisons. If the term is a column, this form is the
  /// folded name of the column without quotes. If the term is an expression, it is the unchanged
  /// text.
  fileprivate var unquotedName: String {
    let tokens = SQLTokens(self).tokens
    return tokens.count == 1 ? tokens[0].value.lowercasedASCII : self
  }
}

extension ConnectionCore {
  /// Returns the primary key and all unique constraints and indexes of a table.
  fileprivate func uniqueConstraints(of layout: ModelLayout) throws -> [UniqueConstraint] {
    var constraints: [UniqueConstraint] = []
    if let key = layout.rowIDColumn {
      constraints.append(UniqueConstraint(terms: [layout.columns[key].quotedName]))
    }
    let indexes = try lend().rows(
      """
      SELECT i.name, (SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = i.name)
      FROM pragma_index_list(\(layout.tableName)) AS i WHERE i."unique" ORDER BY i.seq
      """)
    for index in indexes {
      if let sql = try index.get(String?.self, at: 1) {
        constraints.append(ExistingIndex.constraint(in: sql))
        continue
      }
      // An index without SQL in `sqlite_schema` belongs to a constraint of the table. All its terms
      // are columns.
      let columns = try lend().rows(
        """
        SELECT name, coll FROM pragma_index_xinfo(\(try index.get(String.self, at: 0)))
        WHERE key ORDER BY seqno
        """)
      constraints.append(
        UniqueConstraint(
          terms: try columns.map { column in
            let name = Identifier(try column.get(String.self, at: 0)).quoted
            let collation = try column.get(String.self, at: 1)
            return collation == "BINARY"
              ? name : "\(name) COLLATE \(Identifier(collation).quoted)"
          }))
    }
    return constraints
  }
}

extension ModelLayout {
  /// Returns the quoted names of the generated columns, each with the SQL of the expression that
  /// the schema declares for it.
  fileprivate func generatedDeclarations() throws -> [(name: String, sql: String)] {
    func declarations<M: ResultRow>(_: M.Type) throws -> [(name: String, sql: String)] {
      try (schemaElements as? [SchemaElement<M>] ?? []).compactMap { element in
        guard case .generated(let path, _, let expression) = element.kind,
          let index = index(ofColumn: path)
        else { return nil }
        return (columns[index].quotedName, try declaration(of: expression()))
      }
    }
    guard !generatedColumns.isEmpty else { return [] }
    return try declarations(model)
  }
}
