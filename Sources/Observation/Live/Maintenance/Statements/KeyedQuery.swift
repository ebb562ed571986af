import QueryDSL
import SQLCore

/// A query that also selects the values that identify and order its rows. After its own columns, it
/// selects the ORDER BY terms and the keys of the tables. With GROUP BY or aggregates, the key
/// consists of the GROUP BY terms, and the aggregates follow the key.
struct KeyedQuery<Row: Sendable>: Sendable {
  private let query: Query<Row>
  /// The query with the further columns, but without its limit. ORDER BY also names the keys, so
  /// that no two rows have the same place in the order.
  let statement: SelectStatement
  let arrangement: ResultArrangement
  /// Whether the query has only one table, and the rowid of the table is the key.
  private let isKeyedByRowID: Bool
  /// The groups of the query; nil if the query has no GROUP BY and no aggregates.
  private let groups: PlannedGroups?
  /// The number of expressions that are selected after the key.
  private let aggregateCount: Int

  /// - Parameters:
  ///   - tables: the tables of the query.
  ///   - others: further expressions to select for each row.
  ///   - reserve: the least number of rows to hold beyond the limit.
  init(
    _ query: Query<Row>, of tables: [PlannedTable], selecting others: [ExpressionNode] = [],
    reserve: Int
  ) throws {
    self.query = query
    arrangement = try ResultArrangement(
      of: query.statement, in: tables, keyCollations: tables.flatMap(\.keyCollations),
      reserve: reserve)
    isKeyedByRowID = tables.count == 1 && tables[0].isKeyedByRowID
    (groups, aggregateCount) = (nil, others.count)
    statement = query.statement.withKeys(
      tables.flatMap(\.keyColumns).map { .column($0) }, others)
  }

  /// Creates a query with GROUP BY or aggregates.
  ///
  /// - Parameter aggregates: the aggregates to select for each row, after its key.
  init(
    _ query: Query<Row>, groupedBy groups: PlannedGroups, aggregates: [ExpressionNode],
    of tables: [PlannedTable], reserve: Int
  ) throws {
    self.query = query
    arrangement = try ResultArrangement(
      of: query.statement, in: tables, keyCollations: groups.nodes.map { _ in .binary },
      reserve: reserve)
    isKeyedByRowID = false
    (self.groups, aggregateCount) = (groups, aggregates.count)
    statement = query.statement.withKeys(groups.nodes, aggregates)
  }

  /// Fetches all rows of the query. If the query has a limit, fetches the rows up to the limit and
  /// some more, as a reserve.
  func fetch(on core: ConnectionCore) throws -> [ResultEntry] {
    var limited = statement
    if let count = arrangement.fetchCount { limited.limit = .number(count) }
    return try entries(of: limited, on: core)
  }

  /// Runs a statement and returns its rows. The statement is `self.statement`, perhaps with further
  /// conditions.
  func entries(
    of statement: SelectStatement, on core: ConnectionCore
  ) throws -> [ResultEntry] {
    let statement = try core.lendStatement(for: statement)
    defer { core.giveBack(statement) }
    var entries: [ResultEntry] = []
    while try core.step(statement) {
      do {
        entries.append(try entry(of: statement, on: core))
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: entries.count)
      }
    }
    return entries
  }

  /// Reads the current row of `statement`.
  private func entry(of statement: StatementPointer, on core: ConnectionCore) throws -> ResultEntry
  {
    let (row, next) = try query.read(statement, on: core)
    let values = StatementRow(statement: statement)
    let keyStart = next + arrangement.order.terms.count
    let orderValues = try (next..<keyStart).map { try values.validValue(at: $0) }
    let end = keyStart + arrangement.order.keyCollations.count
    let key: RowKey
    if isKeyedByRowID {
      key = .rowID(try values.get(Int64.self, at: keyStart))
    } else {
      let keyValues = try (keyStart..<end).map { try values.validValue(at: $0) }
      key = groups?.key(of: keyValues) ?? .values(keyValues)
    }
    let aggregates = try (end..<(end + aggregateCount)).map { try values.validValue(at: $0) }
    return ResultRowEntry(
      key: key, order: orderValues, aggregates: aggregates,
      fingerprint: values.fingerprint(ofFirst: next), row: row)
  }
}

extension SelectStatement {
  /// Returns the query with further columns after the selected columns: the ORDER BY terms, the
  /// keys and other values.
  func withKeys(
    _ keys: [ExpressionNode], _ others: [ExpressionNode] = []
  ) -> SelectStatement {
    var statement = self
    let own: [SelectTerm] =
      switch selection {
      case .table(let table): [.table(table)]
      case .terms(let terms): terms
      }
    statement.selection = .terms(
      own + (order.map(\.expression) + keys + others).map { .expression($0) })
    for key in keys { statement.orderUpwards(by: key) }
    statement.limit = nil
    statement.offset = nil
    return statement
  }
}

extension DatabaseValue {
  /// A form of the value that is the same for all values that GROUP BY puts into one group. GROUP
  /// BY considers 1 and 1.0 equal, so a whole REAL becomes an integer.
  var asGroupKey: DatabaseValue {
    guard case .real(let real) = self, let integer = Int64(exactly: real) else { return self }
    return .integer(integer)
  }

  /// Returns a form of the value that is the same for all values that GROUP BY puts into one group.
  /// With NOCASE, for example, this is the text in lower case.
  func asGroupKey(_ collation: BuiltInCollation) -> DatabaseValue {
    guard collation != .binary, case .text(let text) = self else { return asGroupKey }
    return .text(collation.folded(text))
  }
}

/// The order of a maintained result, and the query's limit and offset.
final class ResultArrangement: Sendable {
  let order: RowOrder
  let limit: Int?
  let offset: Int
  /// The least number of rows to hold beyond the limit.
  let reserve: Int

  init(order: RowOrder, limit: Int?, offset: Int, reserve: Int) {
    (self.order, self.limit, self.offset, self.reserve) = (order, limit, offset, reserve)
  }

  /// Throws a `RerunReason` if a term of ORDER BY has a collation that is not SQLite's own.
  convenience init(
    of select: SelectStatement, in tables: [PlannedTable], keyCollations: [BuiltInCollation],
    reserve: Int
  ) throws {
    let terms = try select.order.map { term in
      RowOrder.Term(
        isDescending: term.isDescending,
        collation: try term.expression.builtInCollation(in: tables), nulls: term.nulls)
    }
    self.init(
      order: RowOrder(terms: terms, keyCollations: keyCollations),
      limit: Self.number(select.limit), offset: Self.number(select.offset) ?? 0, reserve: reserve)
  }

  static func number(_ count: RowCount?) -> Int? {
    if case .number(let number) = count { number } else { nil }
  }

  /// The number of rows to fetch; nil for all rows.
  var fetchCount: Int? {
    guard let limit else { return nil }
    let (needed, overflow) = limit.addingReportingOverflow(offset)
    guard !overflow, needed < Int.max / 4 else { return nil }
    return needed + max(reserve, needed / 2)
  }
}

extension ExpressionNode {
  /// Returns the collation with which SQLite compares the expression. Throws a `RerunReason` if the
  /// collation is not one of SQLite's own.
  func builtInCollation(in tables: [PlannedTable]) throws -> BuiltInCollation {
    if case .column(let column) = self {
      guard let table = tables.first(where: { $0.id == column.table }) else { return .binary }
      return try table.collation(of: Int(column.index))
    }
    return firstCollation.flatMap(BuiltInCollation.init(named:)) ?? .binary
  }
}
