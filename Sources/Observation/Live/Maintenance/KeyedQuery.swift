import QueryDSL
import SQLCore

/// A query whose rows carry what identifies them: the values of its ORDER BY terms and the keys of
/// its tables, in further columns after its own.
struct KeyedQuery<Row: Sendable>: Sendable {
  private let query: Query<Row>
  /// The query without its limit. The keys are also added to the order, so that no two rows are
  /// equal in it.
  let statement: SelectStatement
  let order: RowOrder
  let limit: Int?
  let offset: Int
  /// Whether the rows are identified by the rowid of the only table.
  private let isKeyedByRowID: Bool

  /// - Parameter tables: the tables of the query.
  init(_ query: Query<Row>, of tables: [PlannedTable]) throws {
    let select = query.statement
    let terms = try select.order.map { term in
      RowOrder.Term(
        isDescending: term.isDescending, collation: try Self.collation(of: term, in: tables),
        nulls: term.nulls)
    }
    self.query = query
    order = RowOrder(terms: terms, keyCollations: tables.flatMap(\.keyCollations))
    isKeyedByRowID = tables.count == 1 && tables[0].isKeyedByRowID
    limit = Self.number(select.limit)
    offset = Self.number(select.offset) ?? 0
    statement = select.withKeys(tables.flatMap(\.keyColumns))
  }

  private static func collation(
    of term: SelectStatement.OrderTerm, in tables: [PlannedTable]
  ) throws -> BuiltInCollation {
    switch term.expression {
    case .column(let column):
      guard let table = tables.first(where: { $0.id == column.table }) else { return .binary }
      return try table.collation(of: Int(column.index))
    case .tree(.collate(_, let name), _): return BuiltInCollation(named: name) ?? .binary
    default: return .binary
    }
  }

  private static func number(_ count: RowCount?) -> Int? {
    if case .number(let number) = count { number } else { nil }
  }

  /// Fetches all rows of the query or, if it has a limit, as many as the window holds.
  func fetch(on core: ConnectionCore) throws -> [ResultEntry] {
    var limited = statement
    if let count = ResultWindow.fetchCount(limit: limit, offset: offset) {
      limited.limit = .number(count)
    }
    return try entries(of: limited, on: core)
  }

  /// Runs `statement` or one with further conditions, and returns its rows.
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

  /// Reads the row at which a run of `statement` stands.
  private func entry(of statement: StatementPointer, on core: ConnectionCore) throws -> ResultEntry
  {
    let (row, next) = try query.read(statement, on: core)
    let values = StatementRow(statement: statement)
    let keyStart = next + order.terms.count
    let orderValues = try (next..<keyStart).map { try values.databaseValue(at: $0) }
    let key: RowKey
    if isKeyedByRowID {
      key = .rowID(try values.get(Int64.self, at: keyStart))
    } else {
      let end = keyStart + order.keyCollations.count
      key = .values(try (keyStart..<end).map { try values.databaseValue(at: $0) })
    }
    return ResultRowEntry(
      key: key, order: orderValues, fingerprint: values.fingerprint(ofFirst: next), row: row)
  }
}

extension SelectStatement {
  /// Returns the query with its ORDER BY terms and its keys after the selected columns.
  fileprivate func withKeys(_ keyColumns: [ColumnID]) -> SelectStatement {
    var statement = self
    let keys = keyColumns.map { ExpressionNode.column($0) }
    let own: [SelectTerm] =
      switch selection {
      case .table(let table): [.table(table)]
      case .terms(let terms): terms
      }
    statement.selection = .terms(
      own + order.map { .expression($0.expression) } + keys.map { .expression($0) })
    for key in keys { statement.orderUpwards(by: key) }
    statement.limit = nil
    statement.offset = nil
    return statement
  }
}
