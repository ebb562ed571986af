import QueryDSL
import SQLCore

/// The row that a query returns if it has aggregates over all rows, such as `SELECT count(*)`. Such
/// a query returns only one row. This row can be calculated from the values of the aggregates,
/// without reading the tables.
struct TotalRow<Row: Sendable>: Sendable {
  private let query: KeyedQuery<Row>
  /// The query with its aggregates. ORDER BY is left out, because there is only one row.
  private let shown: SelectStatement
  /// The shadow table from which SQLite calculates the shown row. During the calculation, it holds
  /// one row of NULLs.
  private let shadow: ShadowTable

  /// Throws a `RerunReason` if the row depends on more than the values of the aggregates.
  ///
  /// - Parameter aggregates: the aggregates whose values are stored with the row.
  init(
    _ query: Query<Row>, by groups: PlannedGroups, aggregates: [ExpressionNode],
    of tables: [PlannedTable]
  ) throws {
    let select = query.statement
    guard select.having.isEmpty, select.limit == nil, select.offset == nil,
      try SelectStatement(selection: select.selection, from: select.from).scopes().count == 1
    else {
      throw RerunReason("aggregates over all rows have HAVING, a limit or a subquery beside them")
    }
    shown = select.withKeys([])
    self.query = try KeyedQuery(
      query, groupedBy: groups, aggregates: aggregates, of: tables, reserve: 0)
    shadow = tables[0].shadow
  }

  func fetch(on core: ConnectionCore) throws -> ResultEntry? { try query.fetch(on: core).first }

  /// Returns the row that the query shows for the given values of its aggregates; nil if SQLite
  /// returns no row.
  ///
  /// - Parameters:
  ///   - values: the values of the query's aggregates, in the order of the aggregates.
  ///   - carried: the values to store with the row, in the order of the aggregates given to `init`.
  func row(
    of values: [DatabaseValue], carrying carried: [DatabaseValue], _ evaluators: RowEvaluators
  ) throws -> ResultEntry? {
    var rest = values[...]
    var statement = try shown.replacingAggregates { _ in
      .value(.value(rest.popFirst() ?? .null))
    }.withoutGroups
    statement.joins = []
    statement = statement.withKeys([], carried.map { .value(.value($0)) })
    statement.order = .none
    let column = shadow.columns.first?.name ?? ""
    return try evaluators.evaluating([[.null]], columns: [column], in: shadow) { core in
      try query.entries(of: statement, on: core).first
    }
  }

  /// Returns a copy of a row. The copy has the given key and the given order values.
  func entry(of row: ResultEntry, key: RowKey, order: [DatabaseValue]) -> ResultEntry {
    ResultRowEntry(
      key: key, order: order, aggregates: row.aggregates, fingerprint: row.fingerprint,
      row: row.row(as: Row.self))
  }
}
