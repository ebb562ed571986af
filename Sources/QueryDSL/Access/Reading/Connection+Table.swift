import SQLCore

extension Connection {
  /// Returns the rows of a query as a table of text, for example to print it.
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
  /// The heading of a column contains its name in the SQL and its Swift type. `as` gives an
  /// expression a name. Each cell is the description of its value, nil for NULL, or
  /// `CAST(x'FF41' AS TEXT)` for a text that is not UTF-8. The call takes one statement, and holds
  /// all rows in memory. Throws the errors of `fetch`.
  public func table(_ query: some Fetchable) throws -> ResultTable {
    let core = try use()
    let query = query.query
    let statement = try core.lendStatement(for: query.statement)
    defer { core.giveBack(statement) }
    let columns = try query.decoding.columns()
    var rows: [[String?]] = []
    while try core.step(statement) {
      let row = StatementRow(statement: statement)
      do {
        rows.append(
          try columns.enumerated().map { index, column in try column.text(in: row, at: index) })
      } catch let error as ColumnValueError {
        throw error.at(row: rows.count, of: statement, query.statement)
      }
    }
    let names = StatementRow(statement: statement).columnNames
    return ResultTable(
      columns: zip(names, columns).map { name, column in
        ResultTable.Column(name: name, type: String(describing: column.type.nonOptional))
      },
      rows: rows)
  }
}

extension DatabaseReader {
  /// Returns the rows of a query as a table of text; throws the errors of `Connection.table`.
  public func table(
    _ query: some Fetchable, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> ResultTable {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.table(query) }
  }

  /// Returns the rows of a query as a table of text; throws the errors of `Connection.table`.
  public func table(
    _ query: some Fetchable, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> ResultTable {
    try await _readWithoutTransaction(on: query.execution, fileID, line) { try $0.table(query) }
  }
}

extension ResultColumn {
  /// Returns the description of this column's value in a row; nil if the column is optional and the
  /// value is NULL.
  fileprivate func text(in row: borrowing StatementRow, at index: Int) throws -> String? {
    if isOptional, try row.isNull(at: index) { return nil }
    let type = type.nonOptional
    return try text(of: type, in: row, at: index)
  }

  private func text<Value: ColumnValue>(
    of type: Value.Type, in row: borrowing StatementRow, at index: Int
  ) throws -> String {
    do {
      return String(describing: try row.get(type, at: index, as: form))
    } catch let error as ColumnValueError {
      guard let value = try row.invalidText(at: index) else { throw error }
      return value.description
    }
  }
}
