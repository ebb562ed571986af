import QueryDSL
import SQLCore

extension Connection {
  /// Returns the rows of a query as a data frame.
  ///
  /// ```swift
  /// let frame = try connection.dataFrame(
  ///   Post.select { ($0.$status, $0.count().as("posts")) }.group(by: \.$status))
  /// ```
  ///
  /// Each column of the frame has the name that it has in the SQL. Use `as` to name an expression.
  /// If two columns have the same name, the second gets a number: `name_2`. The type of a column is
  /// its Swift type in the query, without an optional. A text that is not UTF-8 becomes a cell
  /// `.invalidText`; reading that column with a type throws. Costs one statement, and memory for all
  /// its rows. Throws the errors of `fetch`.
  public func dataFrame(_ query: some Fetchable) throws -> DataFrame {
    let core = try use()
    let query = query.query
    let statement = try core.lendStatement(for: query.statement)
    defer { core.giveBack(statement) }
    let columns = try query.decoding.columns()
    var cells = columns.map { _ in [DatabaseValue]() }
    var count = 0
    while try core.step(statement) {
      let row = StatementRow(statement: statement)
      do {
        for (index, column) in columns.enumerated() {
          cells[index].append(try column.standardValue(in: row, at: index))
        }
      } catch let error as ColumnValueError {
        throw error.at(row: count, of: statement, query.statement)
      }
      count += 1
    }
    let names = StatementRow(statement: statement).columnNames.numbered
    return try DataFrame(
      columns: columns.indices.map { index in
        DataFrameColumn(names[index], type: columns[index].type.nonOptional, values: cells[index])
      })
  }

  /// Returns the rows of a raw statement as a data frame.
  ///
  /// ```swift
  /// let frame = try connection.dataFrame("SELECT status, count(*) AS posts FROM Post GROUP BY 1")
  /// ```
  ///
  /// The type of a column is Int64, Double, String or Data, according to the type that the table
  /// declares. If there is no declaration, as for an expression, the first value that is not NULL
  /// determines the type. Integers in a column of Double become reals, unless digits would be lost.
  /// If a value has another storage class, the column has no type.
  public func dataFrame(_ sql: SQL) throws -> DataFrame {
    let core = try use()
    let statement = try core.lendStatement(text: sql.text)
    defer { core.giveBack(statement) }
    try core.bind(sql, to: statement)
    var cells: [[DatabaseValue]] = []
    while try core.step(statement) {
      let row = StatementRow(statement: statement)
      if cells.isEmpty { cells = (0..<row.count).map { _ in [] } }
      for index in cells.indices { cells[index].append(try row.databaseValue(at: index)) }
    }
    let names = StatementRow(statement: statement).columnNames.numbered
    let declared = statement.declaredStorageClasses
    if cells.isEmpty { cells = names.map { _ in [] } }
    return try DataFrame(
      columns: names.indices.map { index in
        let first = cells[index].first { !$0.isNull }?.storageClass
        return DataFrameColumn(
          names[index], storageClass: declared[index] ?? first, values: cells[index])
      })
  }
}

extension Connection {
  /// Returns the rows of a table as a data frame.
  ///
  /// ```swift
  /// let frame = try connection.dataFrame(from: "profiles", limit: 10)
  /// ```
  ///
  /// - Parameter limit: the maximum number of rows; nil for all.
  public func dataFrame(from table: TableName, limit: Int? = nil) throws -> DataFrame {
    try dataFrame("SELECT * FROM \(table) LIMIT \(limit ?? -1)")
  }
}

extension DatabaseReader {
  /// Returns the rows of a table as a data frame; throws the errors of `Connection.dataFrame`.
  public func dataFrame(
    from table: TableName, limit: Int? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> DataFrame {
    try _readWithoutTransaction(isReentrant: false, fileID, line) {
      try $0.dataFrame(from: table, limit: limit)
    }
  }

  /// Returns the rows of a table as a data frame; throws the errors of `Connection.dataFrame`.
  public func dataFrame(
    from table: TableName, limit: Int? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> DataFrame {
    try await _readWithoutTransaction(on: .background, fileID, line) {
      try $0.dataFrame(from: table, limit: limit)
    }
  }

  /// Returns the rows of a query as a data frame; throws the errors of `Connection.dataFrame`.
  public func dataFrame(
    _ query: some Fetchable, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> DataFrame {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.dataFrame(query) }
  }

  /// Returns the rows of a query as a data frame; throws the errors of `Connection.dataFrame`.
  public func dataFrame(
    _ query: some Fetchable, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> DataFrame {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.dataFrame(query) }
  }

  /// Returns the rows of a raw statement as a data frame; throws the errors of
  /// `Connection.dataFrame`.
  public func dataFrame(
    _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> DataFrame {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.dataFrame(sql) }
  }

  /// Returns the rows of a raw statement as a data frame; throws the errors of
  /// `Connection.dataFrame`.
  public func dataFrame(
    _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> DataFrame {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.dataFrame(sql) }
  }
}

extension DataFrameColumn {
  /// Creates a column whose type is the Swift type of a storage class. If a value has another
  /// storage class, the column has no type.
  init(_ name: String, storageClass: StorageClass?, values: [DatabaseValue]) {
    var values = values
    // In a column of REAL, integers become REAL values, unless an integer would lose digits.
    let areExact = values.allSatisfy { value in
      if case .integer(let integer) = value { Double(exactly: integer) != nil } else { true }
    }
    if storageClass == .real, areExact {
      values = values.map { value in
        if case .integer(let integer) = value { .real(Double(integer)) } else { value }
      }
    }
    let isOne = values.allSatisfy { $0.isNull || $0.storageClass == storageClass }
    self.init(name, type: isOne ? storageClass?.valueType : nil, values: values)
  }
}

extension ResultColumn {
  /// Returns the value of this column in a row, in the standard form of its type. If the column is
  /// optional, NULL stays NULL.
  fileprivate func standardValue(
    in row: borrowing StatementRow, at index: Int
  ) throws -> DatabaseValue {
    if isOptional, try row.isNull(at: index) { return .null }
    let type = type.nonOptional
    return try value(of: type, in: row, at: index)
  }

  private func value<Value: ColumnValue>(
    of type: Value.Type, in row: borrowing StatementRow, at index: Int
  ) throws -> DatabaseValue {
    do {
      return try row.get(type, at: index, as: form).databaseValue(as: .standard)
    } catch let error as ColumnValueError {
      // The cell keeps the bytes. Reading the column as text later throws an error with the row.
      guard let value = try row.invalidText(at: index) else { throw error }
      return value
    }
  }
}

extension [String] {
  /// The names, changed so that each is unique. If a name occurs again, a number is added, such as
  /// `name_2`.
  fileprivate var numbered: [String] {
    var taken: Set<String> = []
    return map { name in
      var unique = name
      var number = 2
      while !taken.insert(unique.lowercasedASCII).inserted {
        unique = "\(name)_\(number)"
        number += 1
      }
      return unique
    }
  }
}
