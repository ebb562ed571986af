import SQLCore

/// An INSERT of one model in memory, of assigned values, of several rows, or of a query's rows.
struct InsertStatement: Renderable {
  enum Source {
    /// A model in memory. The key is left out if the database assigns it.
    case model(UnsafeRawPointer, ModelLayout, assigningKey: Bool)
    case values([Assignment])
    /// The columns of the insert, and the values of all its rows, one row after another.
    case rows([ExpressionNode], ArraySlice<BoundValue>)
    /// The columns of the insert, and for each column an array with the values of all rows. An
    /// array is a single parameter, so one statement can insert any number of rows.
    case arrays([ExpressionNode], [BoundArray])
    case query([ExpressionNode], SelectStatement)
  }

  let table: TableID
  let source: Source
  let conflicts: [ConflictClause]

  func write(to writer: inout ShapeWriter) throws {
    writer.openScope(table, [], nil)
    writer.token(.insertInto)
    writer.tableName(table)
    switch source {
    case .model(let memory, let layout, let assigningKey):
      try write(memory, layout, layout.orders.inserted(assigningKey: assigningKey), to: &writer)
    case .values(let assignments): write(assignments, to: &writer)
    case .rows(let columns, let values): try write(columns, values, to: &writer)
    case .arrays(let columns, let arrays): write(columns, arrays, to: &writer)
    case .query(let columns, let statement):
      writeNames(of: columns, to: &writer)
      writer.closeScope()
      writer.token(.space)
      let isChecked = statement.mayOverflow
      if isChecked { writer.openCheckedRows(columns.compactMap(\.columnID)) }
      conflicts.isEmpty ? statement.write(to: &writer) : statement.writeBeforeOn(to: &writer)
      if isChecked { writer.closeCheckedRows() }
    }
    for conflict in conflicts { try conflict.write(into: table, to: &writer) }
  }

  private func write(
    _ memory: UnsafeRawPointer, _ layout: ModelLayout, _ columns: UnsafeBufferPointer<UInt16>,
    to writer: inout ShapeWriter
  ) throws {
    guard !columns.isEmpty else { return writeDefaults(to: &writer) }
    writer.token(.space)
    writeList(columns, to: &writer) { index, writer in
      writer.columnName(ColumnID(table: table, index: index))
    }
    writer.closeScope()
    writer.token(.values)
    try writeList(columns, to: &writer) { index, writer in
      let slot = layout.slots.slots[Int(index)]
      do {
        writer.value(
          .value(
            try slot.type._databaseValue(ofColumnAt: memory + Int(slot.offset), as: slot.form)))
      } catch {
        throw layout.locate(error, column: Int(index), row: nil)
      }
    }
  }

  private func write(_ assignments: [Assignment], to writer: inout ShapeWriter) {
    guard !assignments.isEmpty else { return writeDefaults(to: &writer) }
    writer.token(.space)
    writeList(assignments, to: &writer) { $0.writeColumn(to: &$1) }
    // The expressions in VALUES cannot name columns of the table, because the new row does not
    // exist yet.
    writer.closeScope()
    writer.token(.values)
    writeList(assignments, to: &writer) { $1.assigned($0.value, to: $0.column) }
  }

  private func write(
    _ columns: [ExpressionNode], _ values: ArraySlice<BoundValue>, to writer: inout ShapeWriter
  ) throws {
    writeNames(of: columns, to: &writer)
    writer.closeScope()
    writer.token(.values)
    for first in stride(from: values.startIndex, to: values.endIndex, by: columns.count) {
      if first > values.startIndex { writer.token(.comma) }
      let row = values[first..<min(first + columns.count, values.endIndex)]
      try writeList(zip(columns, row), to: &writer) { cell, writer in
        if case .unstorable(let error) = cell.1 {
          let place = cell.0.place
          throw error.at(table: place?.table, column: place?.column, row: first / columns.count)
        }
        writer.value(cell.1)
      }
    }
  }

  /// Writes the query that makes rows from the arrays: `SELECT first.value, (SELECT value FROM …
  /// WHERE rowid = first.rowid), … FROM …`.
  private func write(
    _ columns: [ExpressionNode], _ arrays: [BoundArray], to writer: inout ShapeWriter
  ) {
    func writeArray(_ array: BoundArray) {
      writer.function("\(ArrayTable.name)(")
      writer.value(.array(array))
      writer.function(")")
    }
    writeNames(of: columns, to: &writer)
    writer.closeScope()
    guard let first = arrays.first else { return }
    writer.function(" SELECT first.value")
    for array in arrays.dropFirst() {
      writer.function(", (SELECT value FROM ")
      writeArray(array)
      writer.function(" WHERE rowid = first.rowid)")
    }
    writer.function(" FROM ")
    writeArray(first)
    // Without WHERE, SQLite would read the ON of a following ON CONFLICT as the condition of a
    // join.
    writer.function(" AS first WHERE 1")
  }

  private func writeNames(of columns: [ExpressionNode], to writer: inout ShapeWriter) {
    writer.token(.space)
    writeList(columns, to: &writer) { node, writer in
      guard let column = node.columnID else { return node.write(to: &writer) }
      writer.columnName(column)
    }
  }

  private func writeDefaults(to writer: inout ShapeWriter) {
    if !conflicts.isEmpty {
      writer.fail(
        QueryError("an insert of only default values cannot have ON CONFLICT; set a column"))
    }
    writer.token(.defaultValues)
    writer.closeScope()
  }

  private func writeList<List: Sequence>(
    _ list: List, to writer: inout ShapeWriter,
    _ write: (List.Element, inout ShapeWriter) throws -> Void
  ) rethrows {
    writer.token(.open)
    for (index, element) in list.enumerated() {
      if index > 0 { writer.token(.comma) }
      try write(element, &writer)
    }
    writer.token(.close)
  }
}

extension SelectStatement {
  /// Writes the query and, if necessary, a WHERE clause at its end. Without WHERE, SQLite could
  /// read the ON of a following ON CONFLICT as the condition of a join.
  ///
  /// - SeeAlso: <https://www.sqlite.org/lang_upsert.html#parsing_ambiguity>
  fileprivate func writeBeforeOn(to writer: inout ShapeWriter) {
    let isEnded = !order.isEmpty || limit != nil || offset != nil || !predicates.isEmpty
    if isEnded { return write(to: &writer) }
    if extras?.content.compound != nil {
      writer.token(.selectAllFrom)
      write(to: &writer)
      writer.token(.close)
      writer.token(.where)
      return writer.token(.one)
    }
    var ended = self
    ended.predicates = .one(.all([]))
    ended.write(to: &writer)
  }
}

extension Insert: TableCommand, ModelCommand {
  package func write(to writer: inout ShapeWriter) throws {
    guard case .models(let models) = source else {
      return try statement().write(to: &writer)
    }
    // The SQL of the first model is the SQL of all models, because only the values differ.
    try models.withUnsafeBytes { memory in
      guard let model = memory.baseAddress else {
        throw QueryError("the insert into \(M.tableName) has no models")
      }
      try statement(for: model).write(to: &writer)
    }
  }

  /// Returns the statement of an insert of values, of rows or of a query. Throws for an insert of
  /// models.
  func statement(_ clauses: [ConflictClause]? = nil) throws -> InsertStatement {
    if let problem { throw problem }
    let source: InsertStatement.Source
    switch self.source {
    case .models: throw QueryError("the insert into \(M.tableName) has no models")
    case .values(let assignments): source = .values(assignments)
    case .rows(let rows):
      guard let range = rows.ranges(maximumParameterCount: RowValues.usualParameterCount).first
      else { throw QueryError("the insert into \(M.tableName) has no rows") }
      source = rows.source(of: range)
    case .query(let columns, let statement): source = .query(columns, statement)
    }
    return InsertStatement(
      table: columns.table, source: source, conflicts: clauses ?? conflicts)
  }

  /// Whether the insert has several models or rows, which may need several statements.
  var isSeveral: Bool {
    switch source {
    case .models(let models): models.count > 1
    case .rows(let rows): rows.count > 1
    case .values, .query: false
    }
  }

  /// Returns the statement for a model in memory.
  func statement(
    for model: UnsafeRawPointer, _ clauses: [ConflictClause]? = nil
  ) throws -> InsertStatement {
    if let problem { throw problem }
    let layout = try M.layout
    return InsertStatement(
      table: columns.table,
      source: .model(model, layout, assigningKey: layout.assignsKey(of: model)),
      conflicts: clauses ?? conflicts)
  }

  var statementCount: Int {
    switch source {
    case .models(let models): models.count
    case .rows(let rows): rows.ranges(maximumParameterCount: RowValues.usualParameterCount).count
    case .values, .query: 1
    }
  }

  func requireUnchangedKeys() throws {
    guard case .models(let models) = source else { return }
    try forEach(of: models, layout) { _, _ in }
  }

  var layout: ModelLayout {
    get throws { try M.layout }
  }

  var assignedColumns: [String]? {
    guard let layout = try? layout else { return [] }
    return writtenColumns?.map { layout.columns[Int($0)].name } ?? layout.columns.map(\.name)
  }
}
