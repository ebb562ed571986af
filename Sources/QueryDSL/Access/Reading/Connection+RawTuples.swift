import SQLCore

/// A type that can be a part of a row of raw SQL: a model, a `ResultRow`, or an optional of these.
/// Programs do not use it directly.
public protocol _RawRowPart: Sendable {
  /// The columns of this type, and how a value is read from them; programs do not use it directly.
  static var _rawPart: _SelectItem<Self> { get }
}

extension ResultRow {
  /// The columns of this type, and how a value is read from them; programs do not use it directly.
  public static var _rawPart: _SelectItem<Self> { Columns<Self>()._selection }
}

extension Optional: _RawRowPart where Wrapped: ResultRow {
  /// The columns of this type, and how a value is read from them; programs do not use it directly.
  public static var _rawPart: _SelectItem<Wrapped?> { OptionalColumns<Wrapped>()._selection }
}

// These methods read rows of raw SQL as tuples of models. The columns are found by position,
// because two models may have columns of the same name. The names of the columns are compared with
// the names in the models.
//
// There is an overload for each number of models instead of one overload with a parameter pack, for
// the reason that `Connection+Execute.swift` gives.

extension Connection {
  /// Returns the rows of a raw statement as pairs of models. Each part of a pair is a model, a
  /// `ResultRow`, or an optional of these.
  ///
  /// ```swift
  /// let pairs = try connection.fetch(
  ///   (Author, Post?).self,
  ///   """
  ///   SELECT \(columnsOf: Author.self), \(columnsOf: Post.self, tableAlias: "p")
  ///   FROM Author LEFT JOIN Post AS p ON p.authorID = Author.id AND p.views > \(100)
  ///   """)
  /// for (author, post) in pairs { print(author.name, post?.title ?? "no post") }
  /// ```
  ///
  /// The result must have the columns of the first part, then the columns of the second part. In
  /// each part, the columns have the order of the properties, as `\(columnsOf:)` writes them. An
  /// optional model is nil if its key is NULL. A model without a key is nil if the columns of all
  /// its non-optional properties are NULL. To read a value beside the models, such as
  /// `count(*) AS posts`, declare a `ResultRow` with that column.
  ///
  /// Inside `write { }`, the statement may also be a write with a RETURNING clause. Throws
  /// `DatabaseError` (`.range`) if the result does not have exactly these columns. Also throws
  /// everything that `fetch` of a query throws.
  public func fetch<A: _RawRowPart, B: _RawRowPart>(
    _ type: (A, B).Type, _ sql: SQL
  ) throws -> [(A, B)] {
    try rows(type, of: [A._rawPart.item, B._rawPart.item], sql)
  }

  /// Returns the rows of a raw statement as tuples of three parts: models or `ResultRow`s, which
  /// may be optional.
  public func fetch<A: _RawRowPart, B: _RawRowPart, C: _RawRowPart>(
    _ type: (A, B, C).Type, _ sql: SQL
  ) throws -> [(A, B, C)] {
    try rows(type, of: [A._rawPart.item, B._rawPart.item, C._rawPart.item], sql)
  }

  /// Returns the rows of a raw statement as tuples of four parts: models or `ResultRow`s, which may
  /// be optional.
  public func fetch<A: _RawRowPart, B: _RawRowPart, C: _RawRowPart, D: _RawRowPart>(
    _ type: (A, B, C, D).Type, _ sql: SQL
  ) throws -> [(A, B, C, D)] {
    try rows(type, of: [A._rawPart.item, B._rawPart.item, C._rawPart.item, D._rawPart.item], sql)
  }

  private func rows<Row>(_ type: Row.Type, of items: [SelectItem], _ sql: SQL) throws -> [Row] {
    let core = try use()
    var parts = RowParts()
    for item in items { parts.append(item.part) }
    let columns = try items.flatMap { try $0.columns() }
    let statement = try core.lendStatement(for: sql)
    defer { core.giveBack(statement) }
    // A statement that writes is checked before it changes anything. Every statement is checked
    // after its first step, which recompiles it if the schema changed.
    if !statement.pointee.isReadOnly { try statement.requireColumns(columns) }
    let isAtRow = try core.step(statement)
    try statement.requireColumns(columns)
    do {
      return try parts.rows(type, of: statement, on: core, limit: .max, isAtRow: isAtRow)
    } catch let error as ColumnValueError where !statement.pointee.isReadOnly {
      // A violated foreign key is reported only at the end of the statement.
      while try core.step(statement) {}
      throw error
    }
  }
}

extension DatabaseReader {
  /// Returns the rows of a raw statement as pairs of models; throws the errors of
  /// `Connection.fetch`.
  public func fetch<A: _RawRowPart, B: _RawRowPart>(
    _ type: (A, B).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(A, B)] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a raw statement as pairs of models; throws the errors of
  /// `Connection.fetch`.
  public func fetch<A: _RawRowPart, B: _RawRowPart>(
    _ type: (A, B).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [(A, B)] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a raw statement as tuples of three models; throws the errors of
  /// `Connection.fetch`.
  public func fetch<A: _RawRowPart, B: _RawRowPart, C: _RawRowPart>(
    _ type: (A, B, C).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(A, B, C)] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a raw statement as tuples of three models; throws the errors of
  /// `Connection.fetch`.
  public func fetch<A: _RawRowPart, B: _RawRowPart, C: _RawRowPart>(
    _ type: (A, B, C).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [(A, B, C)] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a raw statement as tuples of four models; throws the errors of
  /// `Connection.fetch`.
  public func fetch<A: _RawRowPart, B: _RawRowPart, C: _RawRowPart, D: _RawRowPart>(
    _ type: (A, B, C, D).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(A, B, C, D)] {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.fetch(type, sql) }
  }

  /// Returns the rows of a raw statement as tuples of four models; throws the errors of
  /// `Connection.fetch`.
  public func fetch<A: _RawRowPart, B: _RawRowPart, C: _RawRowPart, D: _RawRowPart>(
    _ type: (A, B, C, D).Type, _ sql: SQL, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [(A, B, C, D)] {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.fetch(type, sql) }
  }
}

extension StatementPointer {
  /// Throws unless the columns of the result have these names, in this order.
  fileprivate func requireColumns(_ columns: [ResultColumn]) throws {
    let names = StatementRow(statement: self).columnNames
    for (index, column) in columns.enumerated() {
      guard let needed = column.name else { continue }
      let found = names.indices.contains(index) ? names[index] : nil
      guard found?.lowercasedASCII != needed.lowercasedASCII else { continue }
      throw columnsDiffer(
        "column \(index + 1) of the result must be \"\(needed)\", but "
          + (found.map { "is \"\($0)\"" } ?? "there are \(names.count)"))
    }
    if names.count > columns.count {
      throw columnsDiffer("the models have \(columns.count) columns, the result \(names.count)")
    }
  }

  private func columnsDiffer(_ problem: String) -> DatabaseError {
    DatabaseError(
      code: .range,
      message: problem
        + #"; `SELECT \(columnsOf: Author.self), …` writes the columns of each model"#,
      sql: sql)
  }
}
