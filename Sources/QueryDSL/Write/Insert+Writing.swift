import SQLCore

/// An INSERT of one model in memory, of assigned values, of several rows, or of a query's rows.
struct InsertStatement: Renderable {
  enum Source {
    /// A model in memory. The key is left out if the database assigns it.
    case model(UnsafeRawPointer, ModelLayout, assigningKey: Bool)
    case values([Assignment])
    /// Columns, and the values of rows, one row after another.
    case rows([ExpressionNode], ArraySlice<BoundValue>)
    /// Columns, and the values of each: any number of rows, in one statement.
    case arrays([ExpressionNode], [BoundArray])
    case query([ExpressionNode], SelectStatement)
  }

  let table: TableID
  let source: Source
  let conflicts: [ConflictClause]

  func write<Sink: QuerySink>(to sink: inout Sink) throws {
    try sink.openScope(table, [], nil)
    try sink.token(.insertInto)
    try sink.tableName(table)
    switch source {
    case .model(let memory, let layout, let assigningKey):
      try write(memory, layout, layout.orders.inserted(assigningKey: assigningKey), to: &sink)
    case .values(let assignments): try write(assignments, to: &sink)
    case .rows(let columns, let values): try write(columns, values, to: &sink)
    case .arrays(let columns, let arrays): try write(columns, arrays, to: &sink)
    case .query(let columns, let statement):
      try writeNames(of: columns, to: &sink)
      try sink.closeScope()
      try sink.token(.space)
      if try !sink.inserted(statement, into: columns) {
        try conflicts.isEmpty ? statement.write(to: &sink) : statement.writeBeforeOn(to: &sink)
      }
    }
    for conflict in conflicts { try conflict.write(into: table, to: &sink) }
  }

  private func write<Sink: QuerySink>(
    _ memory: UnsafeRawPointer, _ layout: ModelLayout, _ columns: UnsafeBufferPointer<UInt16>,
    to sink: inout Sink
  ) throws {
    guard !columns.isEmpty else { return try writeDefaults(to: &sink) }
    try sink.token(.space)
    try writeList(columns, to: &sink) { index, sink in
      try sink.columnName(ColumnID(table: table, index: index))
    }
    try sink.closeScope()
    try sink.token(.values)
    try writeList(columns, to: &sink) { index, sink in
      let slot = layout.slots.slots[Int(index)]
      do {
        try sink.value(
          .value(
            try slot.type._databaseValue(ofColumnAt: memory + Int(slot.offset), as: slot.form)))
      } catch {
        throw layout.locate(error, column: Int(index), row: nil)
      }
    }
  }

  private func write<Sink: QuerySink>(
    _ assignments: [Assignment], to sink: inout Sink
  ) throws {
    guard !assignments.isEmpty else { return try writeDefaults(to: &sink) }
    try sink.token(.space)
    try writeList(assignments, to: &sink) { try $0.writeColumn(to: &$1) }
    // VALUES has no row, so its expressions cannot name columns.
    try sink.closeScope()
    try sink.token(.values)
    try writeList(assignments, to: &sink) { try $1.assigned($0.value, to: $0.column) }
  }

  private func write<Sink: QuerySink>(
    _ columns: [ExpressionNode], _ values: ArraySlice<BoundValue>, to sink: inout Sink
  ) throws {
    try writeNames(of: columns, to: &sink)
    try sink.closeScope()
    try sink.token(.values)
    for first in stride(from: values.startIndex, to: values.endIndex, by: columns.count) {
      if first > values.startIndex { try sink.token(.comma) }
      let row = values[first..<min(first + columns.count, values.endIndex)]
      try writeList(zip(columns, row), to: &sink) { cell, sink in
        if case .unstorable(let error) = cell.1 {
          let place = cell.0.place
          throw error.at(table: place?.table, column: place?.column, row: first / columns.count)
        }
        try sink.value(cell.1)
      }
    }
  }

  /// Writes `SELECT first.value, (SELECT value FROM … WHERE rowid = first.rowid), … FROM …`.
  private func write<Sink: QuerySink>(
    _ columns: [ExpressionNode], _ arrays: [BoundArray], to sink: inout Sink
  ) throws {
    func writeArray(_ array: BoundArray) throws {
      try sink.function("\(ArrayTable.name)(")
      try sink.value(.array(array))
      try sink.function(")")
    }
    try writeNames(of: columns, to: &sink)
    try sink.closeScope()
    guard let first = arrays.first else { return }
    try sink.function(" SELECT first.value")
    for array in arrays.dropFirst() {
      try sink.function(", (SELECT value FROM ")
      try writeArray(array)
      try sink.function(" WHERE rowid = first.rowid)")
    }
    try sink.function(" FROM ")
    try writeArray(first)
    // Without WHERE, a following ON CONFLICT would be the condition of a join.
    try sink.function(" AS first WHERE 1")
  }

  private func writeNames<Sink: QuerySink>(
    of columns: [ExpressionNode], to sink: inout Sink
  ) throws {
    try sink.token(.space)
    try writeList(columns, to: &sink) { node, sink in
      guard let column = node.columnID else { return try node.write(to: &sink) }
      try sink.columnName(column)
    }
  }

  private func writeDefaults<Sink: QuerySink>(to sink: inout Sink) throws {
    guard conflicts.isEmpty else {
      throw QueryError("an insert of only default values cannot have ON CONFLICT; set a column")
    }
    try sink.token(.defaultValues)
    try sink.closeScope()
  }

  private func writeList<Sink: QuerySink, List: Sequence>(
    _ list: List, to sink: inout Sink, _ write: (List.Element, inout Sink) throws -> Void
  ) throws {
    try sink.token(.open)
    for (index, element) in list.enumerated() {
      if index > 0 { try sink.token(.comma) }
      try write(element, &sink)
    }
    try sink.token(.close)
  }
}

extension SelectStatement {
  /// Writes the query so that a following ON cannot be parsed as the condition of a join: with a
  /// WHERE clause at its end.
  ///
  /// - SeeAlso: <https://www.sqlite.org/lang_upsert.html#parsing_ambiguity>
  fileprivate func writeBeforeOn<Sink: QuerySink>(to sink: inout Sink) throws {
    let isEnded = !order.isEmpty || limit != nil || offset != nil || !predicates.isEmpty
    if isEnded { return try write(to: &sink) }
    if extras?.content.compound != nil {
      try sink.token(.selectAllFrom)
      try write(to: &sink)
      try sink.token(.close)
      try sink.token(.where)
      return try sink.token(.one)
    }
    var ended = self
    ended.predicates = .one(.all([]))
    try ended.write(to: &sink)
  }
}

extension Insert: TableCommand, ModelCommand {
  package func write<Sink: QuerySink>(to sink: inout Sink) throws {
    guard case .models(let models) = source else {
      return try statement().write(to: &sink)
    }
    // The SQL of the first model stands for all, because only the values differ.
    try models.withUnsafeBytes { memory in
      guard let model = memory.baseAddress else {
        throw QueryError("the insert into \(M.tableName) has no models")
      }
      try statement(for: model).write(to: &sink)
    }
  }

  /// Returns the statement of an insert that is not of models.
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

  /// Whether several rows are inserted, which may take a statement each.
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

  var layout: ModelLayout {
    get throws { try M.layout }
  }

  var assignedColumns: [String]? {
    guard let layout = try? layout else { return [] }
    return writtenColumns?.map { layout.columns[Int($0)].name } ?? layout.columns.map(\.name)
  }
}
