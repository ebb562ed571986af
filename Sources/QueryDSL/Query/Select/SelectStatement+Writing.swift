import SQLCore

extension SelectStatement: Renderable {
  package func write<Sink: QuerySink>(to sink: inout Sink) throws {
    try write(to: &sink, countingRows: false)
  }

  /// Writes the statement, or one that counts its rows. No closure captures the statement here:
  /// that would copy it each time a query runs.
  func write<Sink: QuerySink>(to sink: inout Sink, countingRows: Bool) throws {
    if let extras {
      return try write(to: &sink, countingRows: countingRows, with: extras.content)
    }
    try sink.openScope(from, [], nil)
    try writeBeginning(to: &sink, countingRows: countingRows)
    try Self.write(predicates, behind: .where, to: &sink)
    try writeOrderAndLimit(to: &sink)
    try sink.closeScope()
  }

  private func write<Sink: QuerySink>(
    to sink: inout Sink, countingRows: Bool, with content: SelectExtras.Content
  ) throws {
    if let problem = content.problem { throw problem }
    let commonTables = content.commonTables
    if !commonTables.isEmpty { try CommonTableNode.write(commonTables, to: &sink) }
    if let compound = content.compound {
      try compound.write(to: &sink)
      try writeOrderAndLimit(to: &sink)
    } else {
      try sink.openScope(from, content.joins, extras)
      try writeBeginning(to: &sink, countingRows: countingRows)
      try write(content, to: &sink)
      try writeOrderAndLimit(to: &sink)
      try sink.closeScope()
    }
    if !commonTables.isEmpty { try sink.closeCommonTables() }
  }

  /// Writes SELECT and FROM.
  // Inlined into the path of a query without extras: as a function it would take copies.
  @inline(__always)
  private func writeBeginning<Sink: QuerySink>(to sink: inout Sink, countingRows: Bool) throws {
    try sink.token(.select)
    if isDistinct { try sink.token(.distinct) }
    if countingRows { try sink.token(.countStar) } else { try writeSelection(to: &sink) }
    if from.isNone { return }
    try sink.token(.from)
    try Self.write(from, extras, to: &sink)
  }

  /// Writes joins, WHERE, GROUP BY, HAVING and WINDOW.
  private func write<Sink: QuerySink>(
    _ content: SelectExtras.Content, to sink: inout Sink
  ) throws {
    for join in content.joins {
      try sink.token(join.kind)
      try Self.write(join.table, extras, to: &sink)
      if let condition = join.condition {
        try sink.token(.on)
        try condition.write(to: &sink)
      }
    }
    try Self.write(predicates, behind: .where, to: &sink)
    if !content.groups.isEmpty {
      try sink.token(.groupBy)
      try ExpressionNode.write(content.groups, to: &sink)
    }
    try Self.write(content.having, behind: .having, to: &sink)
    for (index, window) in content.windows.enumerated() {
      try sink.token(index == 0 ? .window : .comma)
      try sink.alias(window.name)
      try sink.token(.as)
      try window.window.write(to: &sink)
    }
  }

  @inline(__always)
  private func writeOrderAndLimit<Sink: QuerySink>(to sink: inout Sink) throws {
    switch order {
    case .none: break
    case _ where isOneAggregatedRow: break
    case .one(let term): try write(term, behind: .orderBy, to: &sink)
    case .many(let terms):
      for index in terms.indices {
        try write(terms[index], behind: index == 0 ? .orderBy : .comma, to: &sink)
      }
    }
    try writeLimit(to: &sink)
  }

  /// Whether aggregates make one row of all rows. It needs no order.
  private var isOneAggregatedRow: Bool {
    guard case .terms(let terms) = selection, groups.isEmpty else { return false }
    return terms.contains { term in
      switch term {
      case .table: false
      case .expression(let node), .aliased(let node, _): node.containsAggregate
      }
    }
  }

  @inline(__always)
  private func write<Sink: QuerySink>(
    _ term: OrderTerm, behind token: SQLToken, to sink: inout Sink
  ) throws {
    try sink.token(token)
    if case .resultColumn(let name) = term.expression {
      return try term.write(to: &sink, collation: try collation(ofResultColumn: name))
    }
    if extras != nil { try checkOrderOfCompound() }
    try term.write(to: &sink)
  }

  /// Writes a table of FROM or a join: a model's table, a query, a common table or a function.
  static func write<Sink: QuerySink>(
    _ table: TableID, _ extras: SelectExtras?, to sink: inout Sink
  ) throws {
    switch extras?.source(of: table) {
    case nil, .excluded: break
    case .nested(let query, _):
      try sink.token(.open)
      try sink.hideScope()
      try query.write(to: &sink)
      try sink.showScope()
      try sink.token(.close)
    case .common(let name): try sink.commonTable(name)
    case .function(let name, let arguments):
      try sink.alias(name)
      try sink.token(.open)
      try ExpressionNode.write(arguments, to: &sink)
      try sink.token(.close)
    }
    try sink.table(table)
  }

  private func writeSelection<Sink: QuerySink>(to sink: inout Sink) throws {
    switch selection {
    case .table(let table): try sink.allColumns(of: table)
    case .terms(let terms): try Self.write(terms, to: &sink)
    }
  }

  /// Writes the terms of a SELECT or RETURNING clause.
  static func write<Sink: QuerySink>(_ terms: [SelectTerm], to sink: inout Sink) throws {
    for (index, term) in terms.enumerated() {
      if index > 0 { try sink.token(.comma) }
      switch term {
      case .table(let table): try sink.allColumns(of: table)
      case .expression(let expression): try expression.write(to: &sink)
      case .aliased(let expression, let alias):
        try expression.write(to: &sink)
        try sink.token(.as)
        try sink.alias(alias)
      }
    }
  }

  private func writeLimit<Sink: QuerySink>(to sink: inout Sink) throws {
    if let limit {
      try sink.token(.limit)
      try sink.value(limit.bound)
    }
    if let offset {
      if limit == nil { try sink.token(.noLimit) }
      try sink.token(.offset)
      try sink.value(offset.bound)
    }
  }

  static func write<Sink: QuerySink>(
    _ predicates: ShortList<PredicateNode>, behind keyword: SQLToken, to sink: inout Sink
  ) throws {
    switch predicates {
    case .none: break
    case .one(let predicate):
      try sink.token(keyword)
      try predicate.write(to: &sink)
    case .many(let predicates):
      try sink.token(keyword)
      try PredicateNode.write(all: predicates, to: &sink)
    }
  }

  /// Returns the collation of the result column that ORDER BY names. Throws if SELECT gives no
  /// column that name: SQLite would take it for a column of a table, or refuse it.
  private func collation(ofResultColumn name: String) throws -> String? {
    guard let column = resultColumns.first(where: { $0.name.isSame(as: name) }) else {
      throw QueryError("ORDER BY \(name): no selected column has that name")
    }
    return column.type?.collationName
  }

  private func checkOrderOfCompound() throws {
    guard extras?.content.compound != nil else { return }
    throw QueryError(
      "a UNION, INTERSECT or EXCEPT can be ordered only by the name of a result column; use "
        + "`order(byColumn:)`")
  }

  /// The columns of the result whose names are certain. The type is nil if the expression with that
  /// name has its collation already.
  private var resultColumns: [(name: String, type: (any ColumnValue.Type)?)] {
    if let compound = extras?.content.compound { return compound.first.resultColumns }
    switch selection {
    case .table(let table): return Self.columns(of: table)
    case .terms(let terms):
      return terms.flatMap { term -> [(name: String, type: (any ColumnValue.Type)?)] in
        switch term {
        case .table(let table): Self.columns(of: table)
        case .aliased(_, let name): [(name, nil)]
        case .expression(.column(let column)):
          [Self.columns(of: column.table)[Int(column.index)]]
        case .expression: []
        }
      }
    }
  }

  private static func columns(
    of table: TableID
  ) -> [(name: String, type: (any ColumnValue.Type)?)] {
    LayoutRegistry.shared.layout(number: table.layout)?.columns.map { ($0.name, $0.type) } ?? []
  }
}

extension SelectStatement.OrderTerm {
  /// Writes the terms of an ORDER BY clause.
  static func write<Sink: QuerySink>(
    _ terms: some Collection<SelectStatement.OrderTerm>, to sink: inout Sink
  ) throws {
    for (index, term) in terms.enumerated() {
      if index > 0 { try sink.token(.comma) }
      try term.write(to: &sink)
    }
  }

  func write<Sink: QuerySink>(to sink: inout Sink, collation: String? = nil) throws {
    try expression.write(to: &sink)
    if let collation {
      try sink.token(.collate)
      try sink.alias(collation)
    }
    try sink.token(isDescending ? .descending : .ascending)
    if let nulls { try sink.token(nulls == .first ? .nullsFirst : .nullsLast) }
  }
}

extension CompoundNode {
  fileprivate func write<Sink: QuerySink>(to sink: inout Sink) throws {
    try Self.write(first, isFirst: true, to: &sink)
    for other in others {
      try sink.token(other.operation)
      try Self.write(other.statement, isFirst: false, to: &sink)
    }
  }

  /// Writes an operand. One that has an order, a limit, WITH or operands of its own is written in a
  /// FROM.
  ///
  /// So is an operand with a RIGHT or FULL JOIN: if the UNION ALL is itself in a FROM, SQLite 3.40
  /// flattens its operands and loses the WHERE of the others.
  private static func write<Sink: QuerySink>(
    _ statement: SelectStatement, isFirst: Bool, to sink: inout Sink
  ) throws {
    if statement.isSimpleOperand { return try statement.write(to: &sink) }
    try sink.token(.selectAllFrom)
    try statement.write(to: &sink)
    try sink.token(.close)
  }
}

extension SelectStatement {
  /// Whether it is written as an operand of a compound as it is.
  var isSimpleOperand: Bool {
    order.isEmpty && limit == nil && offset == nil
      && extras?.content.commonTables.isEmpty ?? true && extras?.content.compound == nil
      && !joins.contains { $0.kind == .right || $0.kind == .full }
  }
}

extension CommonTableNode {
  fileprivate static func write<Sink: QuerySink>(
    _ tables: [CommonTableNode], to sink: inout Sink
  ) throws {
    try sink.openCommonTables(tables)
    try sink.token(.with)
    if tables.contains(where: \.isRecursive) { try sink.token(.recursive) }
    for (index, table) in tables.enumerated() {
      if index > 0 { try sink.token(.comma) }
      try sink.commonTableDefinition(table)
      switch table.isMaterialized {
      case nil: try sink.token(.asQuery)
      case true: try sink.token(.materialized)
      case false: try sink.token(.notMaterialized)
      }
      try table.query.write(to: &sink)
      try sink.token(.close)
    }
    try sink.token(.space)
  }
}
