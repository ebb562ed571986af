import QueryDSL
import SQLCore

extension Connection {
  /// The rows of a query as a data frame.
  ///
  /// ```swift
  /// let frame = try connection.dataFrame(
  ///   Post.select { ($0.$status, $0.count().as("posts")) }.group(by: \.$status))
  /// ```
  ///
  /// Columns are called as in the SQL (`as` names an expression), of two of one name the second gets
  /// a number: `name_2`. Their types are those of Swift, without the question mark. One statement;
  /// all its rows are held. Throws as `fetch` does.
  public func dataFrame(_ query: some Fetchable) throws -> DataFrame {
    let core = try use()
    let request = query.request
    let statement = try core.lendStatement(for: request.statement)
    defer { core.giveBack(statement) }
    let columns = try request.decoding.columns()
    var cells = columns.map { _ in [DatabaseValue]() }
    var count = 0
    while try core.step(statement) {
      let row = StatementRow(statement: statement)
      do {
        for (index, column) in columns.enumerated() {
          cells[index].append(try column.standardValue(in: row, at: index))
        }
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: count)
      }
      count += 1
    }
    let names = StatementRow(statement: statement).columnNames.numbered
    return try DataFrame(
      columns: columns.indices.map { index in
        DataFrame.Column(names[index], type: columns[index].plainType, values: cells[index])
      })
  }

  /// The rows of a raw statement as a data frame.
  ///
  /// ```swift
  /// let frame = try connection.dataFrame("SELECT status, count(*) AS posts FROM Post GROUP BY 1")
  /// ```
  ///
  /// A column's type is the one of Swift that holds what the column declares: Int64, Double, String
  /// or Data. Where it declares nothing, as an expression does, it is that of the first value that is
  /// not NULL. A column with a value of another storage class has no type.
  public func dataFrame(_ sql: SQL) throws -> DataFrame {
    let core = try use()
    let statement = try core.lendStatement(text: sql.text)
    defer { core.giveBack(statement) }
    try core.bind(sql, to: statement)
    var cells: [[DatabaseValue]] = []
    var count = 0
    while try core.step(statement) {
      let row = StatementRow(statement: statement)
      if cells.isEmpty { cells = (0..<row.count).map { _ in [] } }
      do {
        for index in cells.indices { cells[index].append(try row.databaseValue(at: index)) }
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: count)
      }
      count += 1
    }
    let names = StatementRow(statement: statement).columnNames.numbered
    let declared = statement.declaredStorageClasses
    if cells.isEmpty { cells = names.map { _ in [] } }
    return try DataFrame(
      columns: names.indices.map { index in
        let first = cells[index].first { !$0.isNull }?.storageClass
        return DataFrame.Column(
          names[index], storageClass: declared[index] ?? first, values: cells[index])
      })
  }
}

extension DatabaseReader {
  /// The rows of a query as a data frame; throws as `Connection.dataFrame` does.
  public func dataFrame(_ query: some Fetchable) throws -> DataFrame {
    try readWithoutTransaction { try $0.dataFrame(query) }
  }

  /// The rows of a query as a data frame; throws as `Connection.dataFrame` does.
  nonisolated(nonsending)
    public func dataFrame(_ query: some Fetchable) async throws -> DataFrame
  {
    try await readWithoutTransaction(on: .background) { try $0.dataFrame(query) }
  }

  /// The rows of a raw statement as a data frame; throws as `Connection.dataFrame` does.
  public func dataFrame(_ sql: SQL) throws -> DataFrame {
    try readWithoutTransaction { try $0.dataFrame(sql) }
  }

  /// The rows of a raw statement as a data frame; throws as `Connection.dataFrame` does.
  nonisolated(nonsending)
    public func dataFrame(_ sql: SQL) async throws -> DataFrame
  {
    try await readWithoutTransaction(on: .background) { try $0.dataFrame(sql) }
  }
}

extension DataFrame.Column {
  /// A column of a storage class; without a type where a value is of another.
  init(_ name: String, storageClass: StorageClass?, values: [DatabaseValue]) {
    var values = values
    if storageClass == .real {
      // A REAL may be shown as the INTEGER that it is stored as.
      values = values.map { value in
        if case .integer(let integer) = value { .real(Double(integer)) } else { value }
      }
    }
    let isOne = values.allSatisfy { $0.isNull || $0.storageClass == storageClass }
    self.init(name, type: isOne ? storageClass?.swiftType : nil, values: values)
  }
}

extension ResultColumn {
  /// The type without the question mark.
  fileprivate var plainType: any ColumnValue.Type {
    (type as? any OptionalColumnValue.Type)?.wrappedType ?? type
  }

  /// The value in a row, in the standard form of its type; NULL where it may be.
  fileprivate func standardValue(
    in row: borrowing StatementRow, at index: Int
  ) throws -> DatabaseValue {
    if isOptional, try row.isNull(at: index) { return .null }
    return try value(of: plainType, in: row, at: index)
  }

  private func value<Value: ColumnValue>(
    of type: Value.Type, in row: borrowing StatementRow, at index: Int
  ) throws -> DatabaseValue {
    try row.get(type, at: index, as: form).databaseValue(as: .standard)
  }
}

extension [String] {
  /// The names, of equal ones the later with a number behind.
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
