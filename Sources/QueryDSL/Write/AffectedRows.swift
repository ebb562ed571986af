import SQLCore

/// The rows that an update or a deletion changes.
///
/// `DELETE … ORDER BY … LIMIT` needs a compile-time option that few builds of SQLite have. With a
/// limit, the rows are therefore chosen by their keys, in a subquery.
/// - SeeAlso: <https://www.sqlite.org/compile.html#enable_update_delete_limit>
struct AffectedRows: Sendable {
  var predicates: ShortList<PredicateNode> = .none
  var order: ShortList<SelectStatement.OrderTerm> = .none
  var limit: RowCount?
  var problem: QueryError?
  /// Whether the rows have the order of a query. It is left out if no limit is set; an order that is
  /// given to the command itself needs a limit.
  var hasOrderOfQuery = false

  init() {}

  var isLimited: Bool { limit != nil || !order.isEmpty && !hasOrderOfQuery }

  mutating func addOrder(
    _ expression: ExpressionNode, _ direction: SortDirection, _ nulls: NullOrder?
  ) {
    order.append(SelectStatement.OrderTerm(expression, direction, nulls))
    hasOrderOfQuery = false
  }

  mutating func setLimit(_ count: Int) {
    if limit != nil { problem = problem ?? QueryError("LIMIT is given twice") }
    if count < 0 { problem = problem ?? QueryError("LIMIT is negative: \(count)") }
    limit = .number(count)
  }

  /// Writes the WHERE clause, and closes the scope of the table, which the caller has opened.
  func write<Sink: QuerySink>(
    of table: TableID, _ layout: @autoclosure () throws -> ModelLayout, to sink: inout Sink
  ) throws {
    if let problem { throw problem }
    guard isLimited else {
      try SelectStatement.write(predicates, behind: .where, to: &sink)
      return try sink.closeScope()
    }
    let layout = try layout()
    guard limit != nil else {
      throw QueryError("\(layout.tableName): ORDER BY has no effect without LIMIT; add a limit")
    }
    guard !layout.keyColumns.isEmpty else {
      throw QueryError("\(layout.tableName): LIMIT needs a primary key")
    }
    let key = layout.keyColumns.map {
      ColumnID(table: table, index: UInt16(truncatingIfNeeded: $0))
    }
    try sink.token(.where)
    if key.count > 1 { try sink.token(.open) }
    for (index, column) in key.enumerated() {
      if index > 0 { try sink.token(.comma) }
      try sink.column(column)
    }
    if key.count > 1 { try sink.token(.close) }
    try sink.token(.in)
    try sink.token(.open)
    // The subquery has its own scope, in which the table stands again.
    try sink.closeScope()
    var rows = SelectStatement(
      selection: .terms(key.map { .expression(.column($0)) }), from: table)
    rows.predicates = predicates
    rows.order = order
    rows.limit = limit
    try rows.write(to: &sink)
    try sink.token(.close)
  }
}
