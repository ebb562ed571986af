import QueryDSL
import SQLCore

/// The plan by which the result of a query over one table is kept up to date, from the rows that
/// change.
final class MaintenancePlan<Row: Sendable>: Sendable {
  let query: Query<Row>
  let table: ShadowTable
  /// The query without its limit, with further columns after its own: its ORDER BY terms and the
  /// key. The key is also added to the order, so that no two rows are equal in it.
  let statement: SelectStatement
  let order: RowOrder
  /// Whether the table's rows are identified by their rowid.
  let isKeyedByRowID: Bool
  let limit: Int?
  let offset: Int
  /// The columns that the query reads, folded.
  let columns: Set<String>
  /// The keys that the result's rows may have, if the query says so: `WHERE id = ?`.
  let keys: Set<RowKey>?
  /// A column, folded, and the value that all rows of the result have in it, if the query says so.
  let requiredValue: (column: String, value: DatabaseValue)?

  /// Creates the plan. Returns nil if the query has to be fetched again after each change.
  ///
  /// - Parameter dependencies: the columns that the query reads.
  init?(
    _ query: Query<Row>, reading dependencies: Set<ColumnDependency>,
    on connection: Connection
  ) throws {
    let select = query.statement
    // The values of an array parameter are read through a virtual table.
    let dependencies = dependencies.filter { $0.table != ArrayTable.name }
    guard try select.isMaintainable(on: connection),
      let layout = LayoutRegistry.shared.layout(number: select.from.layout),
      dependencies.allSatisfy({ $0.database == "main" }),
      // In UTF-16, SQLite orders text by other bytes than this process does.
      try connection.textEncoding() == .utf8,
      Set(dependencies.map { QualifiedTableName($0.table) }) == [
        QualifiedTableName(layout.tableName)
      ],
      let tracked = try TrackedTable(
        named: QualifiedTableName(layout.tableName), recording: nil, on: connection)
    else { return nil }
    let table = try ShadowTable(of: tracked, on: connection)
    let read = Set(dependencies.map(\.column.lowercasedASCII))
    // Columns that the hook does not report cannot be followed.
    guard read.isSubset(of: Set(table.columns.map(\.name.lowercasedASCII)).union([""])) else {
      return nil
    }
    // The model's key must be that of the table.
    let keys = layout.keyColumns.map { layout.columns[$0].name.lowercasedASCII }
    guard !keys.isEmpty, keys == tracked.names.keys.map(\.lowercasedASCII) else { return nil }
    func collation(of column: String) -> BuiltInCollation? {
      table.columns.first { $0.name.isSame(as: column) }?.collation
    }
    let keyCollations = keys.compactMap(collation)
    guard keyCollations.count == keys.count else { return nil }
    var terms: [RowOrder.Term] = []
    for term in select.order {
      var known: BuiltInCollation? = .binary
      if case .column(let column) = term.expression {
        known = collation(of: layout.columns[Int(column.index)].name)
      }
      guard let known else { return nil }
      terms.append(RowOrder.Term(isDescending: term.isDescending, collation: known))
    }
    self.query = query
    self.table = table
    order = RowOrder(terms: terms, keyCollations: keyCollations)
    isKeyedByRowID = tracked.isKeyedByRowID
    limit = Self.number(select.limit)
    offset = Self.number(select.offset) ?? 0
    columns = read
    statement = select.withKeys(layout.keyColumns)
    let key = layout.keyColumns.first.flatMap { key in
      keyCollations == [.binary] ? select.requiredValue(of: [key]) : nil
    }
    self.keys = key.map { Set(RowKey.candidates([$0.value])) }
    let compared = layout.columns.indices.filter { index in
      !layout.columns[index].isPrimaryKey && collation(of: layout.columns[index].name) == .binary
    }
    requiredValue = select.requiredValue(of: Set(compared)).map { found in
      (layout.columns[found.column].name.lowercasedASCII, found.value)
    }
  }

  private static func number(_ count: RowCount?) -> Int? {
    if case .number(let number) = count { number } else { nil }
  }
}

extension SelectStatement {
  /// Returns the query with its ORDER BY terms and its key after the selected columns.
  fileprivate func withKeys(_ keyColumns: [Int]) -> SelectStatement {
    var statement = self
    let keys = keyColumns.map {
      ExpressionNode.column(ColumnID(table: from, index: UInt16(truncatingIfNeeded: $0)))
    }
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
