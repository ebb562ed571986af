import SQLCore

extension SelectStatement: Renderable {
  package func write(to writer: inout ShapeWriter) {
    write(to: &writer, countingRows: false)
  }

  /// Writes the statement in parentheses, for use inside another statement.
  func write(inParenthesesTo writer: inout ShapeWriter) {
    writer.token(.open)
    write(to: &writer)
    writer.token(.close)
  }

  /// Writes the statement or, if `countingRows` is true, a statement that counts its rows. The
  /// function has no closure that captures the statement, because a capture would copy the
  /// statement each time a query runs.
  func write(to writer: inout ShapeWriter, countingRows: Bool) {
    if let extras {
      return write(to: &writer, countingRows: countingRows, with: extras.content)
    }
    writer.openScope(from, [], nil)
    writeBeginning(to: &writer, countingRows: countingRows)
    Self.write(predicates, behind: .where, to: &writer)
    writeOrderAndLimit(to: &writer)
    writer.closeScope()
  }

  private func write(
    to writer: inout ShapeWriter, countingRows: Bool, with content: SelectExtras.Content
  ) {
    if let problem = content.problem { writer.fail(problem) }
    let commonTables = content.commonTables
    if !commonTables.isEmpty { CommonTableNode.write(commonTables, to: &writer) }
    if let compound = content.compound {
      compound.write(to: &writer)
      writeOrderAndLimit(to: &writer)
    } else {
      writer.openScope(from, content.joins, extras)
      writeBeginning(to: &writer, countingRows: countingRows)
      write(content, to: &writer)
      writeOrderAndLimit(to: &writer)
      writer.closeScope()
    }
    if !commonTables.isEmpty { writer.closeCommonTables() }
  }

  /// Writes SELECT and FROM.
  // This function is inlined into the code that writes a query without extras, because a call of it
  // would make copies.
  @inline(__always)
  private func writeBeginning(to writer: inout ShapeWriter, countingRows: Bool) {
    writer.token(.select)
    if isDistinct { writer.token(.distinct) }
    if countingRows { writer.token(.countStar) } else { writeSelection(to: &writer) }
    if from.isNone { return }
    writer.token(.from)
    Self.write(from, extras, to: &writer)
  }

  /// Writes joins, WHERE, GROUP BY, HAVING and WINDOW.
  private func write(
    _ content: SelectExtras.Content, to writer: inout ShapeWriter
  ) {
    for join in content.joins {
      writer.token(join.kind)
      Self.write(join.table, extras, to: &writer)
      if let condition = join.condition {
        writer.token(.on)
        condition.write(to: &writer)
      }
    }
    writeConditions(content.nearest, to: &writer)
    if !content.groups.isEmpty {
      writer.token(.groupBy)
      ExpressionNode.write(content.groups, to: &writer)
    }
    Self.write(content.having, behind: .having, to: &writer)
    for (index, window) in content.windows.enumerated() {
      writer.token(index == 0 ? .window : .comma)
      writer.alias(window.name)
      writer.token(.as)
      window.window.write(to: &writer)
    }
  }

  @inline(__always)
  private func writeOrderAndLimit(to writer: inout ShapeWriter) {
    switch order {
    case .none: break
    case _ where isOneAggregatedRow: break
    case .one(let term): write(term, behind: .orderBy, to: &writer)
    case .many(let terms):
      for index in terms.indices {
        write(terms[index], behind: index == 0 ? .orderBy : .comma, to: &writer)
      }
    }
    writeLimit(to: &writer)
  }

  /// Whether an aggregate without GROUP BY makes the result a single row, so that no order is
  /// needed.
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
  private func write(
    _ term: OrderTerm, behind token: SQLToken, to writer: inout ShapeWriter
  ) {
    writer.token(token)
    if case .resultColumn(let name) = term.expression {
      return term.write(to: &writer, collation: collation(ofResultColumn: name, &writer))
    }
    if extras?.content.compound != nil { writer.fail(Self.orderOfCompound) }
    term.write(to: &writer)
  }

  /// Writes a table of FROM or a join: a model's table, a query, a common table or a function.
  static func write(
    _ table: TableID, _ extras: SelectExtras?, to writer: inout ShapeWriter
  ) {
    switch extras?.source(of: table) {
    case nil, .common, .row: break
    case .nested(let query, _):
      writer.hideScope(true)
      query.write(inParenthesesTo: &writer)
      writer.hideScope(false)
    case .function(let name, let arguments):
      writer.alias(name)
      ExpressionNode.write(row: arguments, to: &writer)
    }
    writer.table(table)
  }

  private func writeSelection(to writer: inout ShapeWriter) {
    switch selection {
    case .table(let table): writer.allColumns(of: table)
    case .terms(let terms): Self.write(terms, to: &writer)
    }
  }

  /// Writes the terms of a SELECT or RETURNING clause.
  static func write(_ terms: [SelectTerm], to writer: inout ShapeWriter) {
    for (index, term) in terms.enumerated() {
      if index > 0 { writer.token(.comma) }
      switch term {
      case .table(let table): writer.allColumns(of: table)
      case .expression(let expression): expression.write(to: &writer)
      case .aliased(let expression, let alias):
        expression.write(to: &writer)
        writer.token(.as)
        writer.alias(alias)
      }
    }
  }

  static func write(
    _ predicates: ShortList<PredicateNode>, behind keyword: SQLToken, to writer: inout ShapeWriter
  ) {
    switch predicates {
    case .none: break
    case .one(let predicate):
      writer.token(keyword)
      predicate.write(to: &writer)
    case .many(let predicates):
      writer.token(keyword)
      PredicateNode.write(all: predicates, to: &writer)
    }
  }

  /// Returns the collation of the result column that ORDER BY names. If no selected column has this
  /// name, rendering the query fails. Without this check, SQLite would look for a column of a table
  /// with this name, or would reject the statement.
  private func collation(ofResultColumn name: String, _ writer: inout ShapeWriter) -> String? {
    guard let column = resultColumns.first(where: { $0.name.isSame(as: name) }) else {
      writer.fail(QueryError("ORDER BY \(name): no selected column has that name"))
      return nil
    }
    return column.type?.collationName
  }

  private static var orderOfCompound: QueryError {
    QueryError(
      "a UNION, INTERSECT or EXCEPT can be ordered only by the name of a result column; use "
        + "`order(byColumn:)`")
  }

  /// The result columns with a known name: columns of a table, and expressions with an alias. The
  /// type determines the collation that ORDER BY uses. It is nil for the alias of an expression
  /// that is not a column, because such an expression already contains a COLLATE if it needs one.
  private var resultColumns: [(name: String, type: (any ColumnValue.Type)?)] {
    if let compound = extras?.content.compound { return compound.first.resultColumns }
    switch selection {
    case .table(let table): return Self.columns(of: table)
    case .terms(let terms):
      return terms.flatMap { term -> [(name: String, type: (any ColumnValue.Type)?)] in
        switch term {
        case .table(let table): Self.columns(of: table)
        case .aliased(.column(let column), let name):
          [(name, Self.columns(of: column.table)[Int(column.index)].type)]
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
  static func write(
    _ terms: some Collection<SelectStatement.OrderTerm>, to writer: inout ShapeWriter
  ) {
    for (index, term) in terms.enumerated() {
      if index > 0 { writer.token(.comma) }
      term.write(to: &writer)
    }
  }

  func write(to writer: inout ShapeWriter, collation: String? = nil) {
    expression.write(to: &writer)
    if let collation {
      writer.token(.collate)
      writer.alias(collation)
    }
    writer.token(isDescending ? .descending : .ascending)
    if let nulls { writer.token(nulls == .first ? .nullsFirst : .nullsLast) }
  }
}

extension CompoundNode {
  fileprivate func write(to writer: inout ShapeWriter) {
    Self.write(first, isFirst: true, to: &writer)
    for other in others {
      writer.token(other.operation)
      Self.write(other.statement, isFirst: false, to: &writer)
    }
  }

  /// Writes one of the combined queries. If the query has an order, a limit or WITH, or if it is a
  /// compound itself, it is written as a subquery in FROM.
  ///
  /// A query with a RIGHT or FULL JOIN is also written as a subquery. If such a query were an
  /// operand of a UNION ALL in FROM, SQLite 3.40 would flatten the operands, and lose the WHERE of
  /// the others.
  private static func write(
    _ statement: SelectStatement, isFirst: Bool, to writer: inout ShapeWriter
  ) {
    if statement.isSimpleOperand { return statement.write(to: &writer) }
    writer.token(.selectAllFrom)
    statement.write(to: &writer)
    writer.token(.close)
  }
}

extension SelectStatement {
  /// Whether UNION, INTERSECT or EXCEPT can combine the statement as it is, and not only as a
  /// subquery: `SELECT * FROM (…)`.
  var isSimpleOperand: Bool {
    order.isEmpty && limit == nil && offset == nil
      && extras?.content.commonTables.isEmpty ?? true && extras?.content.compound == nil
      && !joins.contains { $0.kind == .right || $0.kind == .full }
  }
}

extension CommonTableNode {
  fileprivate static func write(
    _ tables: [CommonTableNode], to writer: inout ShapeWriter
  ) {
    writer.openCommonTables(tables)
    writer.token(.with)
    if tables.contains(where: \.isRecursive) { writer.token(.recursive) }
    for (index, table) in tables.enumerated() {
      if index > 0 { writer.token(.comma) }
      writer.commonTableDefinition(table)
      switch table.isMaterialized {
      case nil: writer.token(.asQuery)
      case true: writer.token(.materialized)
      case false: writer.token(.notMaterialized)
      }
      table.query.write(to: &writer)
      writer.token(.close)
    }
    writer.token(.space)
  }
}
