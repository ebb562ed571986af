import SQLCore

extension Connection {
  /// The rows of a query as text, to be looked at.
  ///
  /// ```swift
  /// print(try connection.table(Author.all))
  /// // ┏━━━┳━━━━━━━━━━┳━━━━━━━━━━┓
  /// // ┃   ┃ id       ┃ name     ┃
  /// // ┃   ┃ <Int64>  ┃ <String> ┃
  /// // ┡━━━╇━━━━━━━━━━╇━━━━━━━━━━┩
  /// // │ 0 │ 1        │ Jane     │
  /// // └───┴──────────┴──────────┘
  /// // 1 row, 2 columns
  /// ```
  ///
  /// Columns are called as in the SQL (`as` names an expression), their types are those of Swift, and
  /// each cell is the description of its value, nil for NULL. One statement; all its rows are held.
  /// Throws as `fetch` does.
  public func table(_ query: some Fetchable) throws -> ResultTable {
    let core = try use()
    let request = query.request
    let statement = try core.lendStatement(for: request.statement)
    defer { core.giveBack(statement) }
    let columns = try request.decoding.columns()
    var rows: [[String?]] = []
    while try core.step(statement) {
      let row = StatementRow(statement: statement)
      do {
        rows.append(
          try columns.enumerated().map { index, column in try column.text(in: row, at: index) })
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: rows.count)
      }
    }
    let names = StatementRow(statement: statement).columnNames
    return ResultTable(
      columns: zip(names, columns).map { name, column in
        ResultTable.Column(name: name, type: String(describing: column.wrappedType))
      },
      rows: rows)
  }
}

extension DatabaseReader {
  /// The rows of a query as text, to be looked at; throws as `Connection.table` does.
  public func table(_ query: some Fetchable) throws -> ResultTable {
    try readWithoutTransaction { try $0.table(query) }
  }

  /// The rows of a query as text, to be looked at; throws as `Connection.table` does.
  nonisolated(nonsending)
    public func table(_ query: some Fetchable) async throws -> ResultTable
  {
    try await readWithoutTransaction(on: query.execution) { try $0.table(query) }
  }
}

extension ResultColumn {
  /// The type of the values, without the question mark.
  fileprivate var wrappedType: any ColumnValue.Type {
    (type as? any OptionalColumnValue.Type)?.wrappedType ?? type
  }

  /// The description of the value in a row; nil for NULL where it may be.
  fileprivate func text(in row: borrowing StatementRow, at index: Int) throws -> String? {
    if isOptional, try row.isNull(at: index) { return nil }
    return try text(of: wrappedType, in: row, at: index)
  }

  private func text<Value: ColumnValue>(
    of type: Value.Type, in row: borrowing StatementRow, at index: Int
  ) throws -> String {
    String(describing: try row.get(type, at: index, as: form))
  }
}
