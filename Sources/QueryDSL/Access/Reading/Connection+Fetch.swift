import SQLCore

extension Connection {
  /// Returns all rows of a query. The call runs one statement.
  ///
  /// Throws `QueryError` for a query that cannot be written as SQL, and `DatabaseError` if SQLite
  /// reports an error. A value that is not valid for its column's type throws `ColumnValueError`
  /// with the table, column, row and key. If a query selects only columns, but not the key, it runs
  /// once more to find the key for the error. Queries with joins, groups or DISTINCT, and calls of
  /// prepared queries, do not run again.
  @inlinable
  public func fetch<Q: Fetchable>(_ query: Q) throws -> [Q.Row] {
    try query._rows(on: self)
  }

  /// Returns the first row of a query, or nil. The call runs one statement, and ends it after its
  /// first row.
  ///
  /// The query runs with `LIMIT 1`, unless it already has a limit or an offset. Throws the errors
  /// of `fetch`.
  public func first<Q: Fetchable>(_ query: Q) throws -> Q.Row? {
    try query._first(on: self)
  }

  /// Returns the number of rows of a query. The call runs one statement, `SELECT count(*)`.
  public func count(_ query: some Fetchable) throws -> Int {
    try query._count(on: self)
  }

  /// Returns whether a query has any row. The call runs one statement, `SELECT EXISTS (…)`.
  public func exists(_ query: some Fetchable) throws -> Bool {
    try query._exists(on: self)
  }

  /// Returns the model with the key `id`, or nil. The call runs one statement, with one index seek.
  ///
  /// ```swift
  /// let post = try connection.find(Post.self, id)
  /// // SELECT … FROM "Post" WHERE "id" = ?
  /// ```
  /// A UUID key may be stored as text in upper or lower case. The call first looks for the key in
  /// the case that Apus writes. If no row has this key, a second seek looks for the key in the
  /// other case.
  @inlinable
  public func find<M: Model>(_ model: M.Type, _ id: M.ID) throws -> M? {
    let core = try use()
    let layout = try M.layout
    let statement = try withUnsafePointer(to: id) {
      try core.lendStatement(finding: layout, withKeyAt: UnsafeRawPointer($0))
    }
    defer { core.giveBack(statement) }
    if try !core.step(statement) {
      let isFound = try withUnsafePointer(to: id) {
        try core.step(statement, toOtherSpellingsOf: UnsafeRawPointer($0), layout)
      }
      guard isFound else { return nil }
    }
    return try M.load(layout, rowOf: statement, on: core, row: 0)
  }

  /// Returns the models with these keys, in the order of the keys. The result has nil for a key
  /// that does not exist.
  ///
  /// ```swift
  /// let posts = try connection.find(Post.self, ids)       // [Post?], as many as there are ids
  /// ```
  ///
  /// The call uses one statement, which runs once for each key, with one index seek.
  public func find<M: Model>(_ model: M.Type, _ ids: some Sequence<M.ID>) throws -> [M?] {
    try ids.map { try find(model, $0) }
  }
}

// These methods are for queries that are rendered each time they run. `PreparedCall` implements
// them for prepared queries.

extension Fetchable {
  /// Renders the query and returns all rows; programs do not use it directly, but call `fetch`.
  @inlinable
  public func _rows(on connection: Connection) throws -> [Row] {
    let core = try connection.use()
    let query = query
    let statement = try core.lendStatement(forSelect: query.statement)
    defer { core.giveBack(statement) }
    do {
      return try query.decoding.all(core, statement, query.statement.maximumRowCount)
    } catch let error as ColumnValueError {
      throw query.locate(error, on: core)
    }
  }

  /// Renders the query and returns the first row, or nil; programs do not use it directly, but call
  /// `first`.
  public func _first(on connection: Connection) throws -> Row? {
    let core = try connection.use()
    let query = query.withOneRow
    let statement = try core.lendStatement(for: query.statement)
    defer { core.giveBack(statement) }
    do {
      return try query.decoding.first(of: statement, on: core)
    } catch let error as ColumnValueError {
      throw query.locate(error, on: core)
    }
  }

  /// Renders the query and returns the number of rows; programs do not use it directly, but call
  /// `count`.
  public func _count(on connection: Connection) throws -> Int {
    try integer(of: CountStatement(query: query.statement), on: connection)
  }

  /// Renders the query and returns whether there is any row; programs do not use it directly, but
  /// call `exists`.
  public func _exists(on connection: Connection) throws -> Bool {
    try integer(of: ExistsStatement(query: query.statement), on: connection) != 0
  }

  /// Whether the query has a limit; programs do not use it directly.
  public var _isLimited: Bool { query.statement.limit != nil }

  private func integer(of query: some Renderable, on connection: Connection) throws -> Int {
    let core = try connection.use()
    let statement = try core.lendStatement(for: query)
    defer { core.giveBack(statement) }
    guard try core.step(statement) else { return 0 }
    return try StatementRow(statement: statement).get(Int.self, at: 0)
  }
}

extension Query {
  /// The query with `LIMIT 1`, unless the query already has a limit or an offset.
  var withOneRow: Query<Row> {
    guard statement.limit == nil, statement.offset == nil else { return self }
    var query = self
    query.statement.setLimit(1)
    return query
  }

  /// Returns the error with the key of the row that has the invalid value. To find the key, the
  /// query runs once more and also selects the key, until a row throws the same error. This works
  /// for a query that selects columns of one table, but not the key. For any other query, the error
  /// is returned unchanged.
  @usableFromInline
  func locate(_ error: ColumnValueError, on core: ConnectionCore) -> ColumnValueError {
    guard error.key == nil, statement.extras == nil, !statement.isDistinct, !decoding.isMapped,
      case .terms(let terms) = statement.selection, terms.allSatisfy(\.isColumn),
      let layout = LayoutRegistry.shared.layout(number: statement.from.layout),
      !layout.keyColumns.isEmpty
    else { return error }
    var keyed = statement
    keyed.selection = .terms(
      terms
        + layout.keyColumns.map { index in
          let id = ColumnID(table: keyed.from, index: UInt16(truncatingIfNeeded: index))
          return .expression(.column(id))
        })
    guard let lent = try? core.lendStatement(for: keyed) else { return error }
    defer { core.giveBack(lent) }
    while (try? core.step(lent)) == true {
      var reader = RowReader(core: core, statement: lent)
      do {
        _ = try decoding.one(&reader)
      } catch let found as ColumnValueError
        where found.reason == error.reason && found.column == error.column
      {
        let row = StatementRow(statement: lent)
        let key = layout.keyColumns.indices.compactMap {
          try? row.databaseValue(at: terms.count + $0)
        }
        return error.at(table: nil, column: nil, row: nil, key: key)
      } catch { continue }
    }
    return error
  }
}

extension SelectStatement.SelectTerm {
  /// Whether the term is a single column.
  fileprivate var isColumn: Bool {
    if case .expression(.column) = self { true } else { false }
  }
}

extension RowDecoding {
  /// Returns the first row of a statement, or nil.
  func first(of statement: StatementPointer, on core: ConnectionCore) throws -> Row? {
    guard try core.step(statement) else { return nil }
    var reader = RowReader(core: core, statement: statement)
    do {
      return try one(&reader)
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: nil, row: 0)
    }
  }
}

extension ConnectionCore {
  /// Returns the cached statement that finds a model by its key, with the key bound. The caller
  /// must return the statement with `giveBack(_:)`.
  @usableFromInline
  func lendStatement(
    finding layout: ModelLayout, withKeyAt key: UnsafeRawPointer
  ) throws -> StatementPointer {
    let statement = try lendFindStatement(layout)
    do {
      try bind(key: layout.keySlots, at: key, to: statement)
    } catch {
      giveBack(statement)
      throw error
    }
    return statement
  }

  /// Returns the cached statement that finds a model by its key. The caller must return the
  /// statement with `giveBack(_:)`. SQL: `SELECT … FROM "T" WHERE key = ?`
  func lendFindStatement(_ layout: ModelLayout) throws -> StatementPointer {
    try lendStatement(.find, of: layout) {
      let names = layout.columns.map(\.quotedName).joined(separator: ", ")
      return "SELECT \(names) FROM \(layout.quotedTableName) WHERE \(layout.keyCondition)"
    }
  }

  /// Returns the cached statement that finds a model by its key, and selects the rowid after the
  /// columns.
  func lendFindStatement(
    _ layout: ModelLayout, selecting rowID: String
  ) throws -> StatementPointer {
    try lendStatement(.findWithRowID, of: layout) {
      let names = layout.columns.map(\.quotedName).joined(separator: ", ")
      return "SELECT \(names), \(rowID) FROM \(layout.quotedTableName) "
        + "WHERE \(layout.keyCondition)"
    }
  }
}

extension ModelLayout {
  /// The name by which SQL can refer to the rowid: `rowid`, `_rowid_` or `oid`. Nil if the table
  /// has columns with all three names.
  var rowIDName: String? {
    TableColumn.freeRowIDNames { index(named: $0) != nil }.first
  }

  /// The condition that selects the row with a key: `"id" = ?`, or such a comparison for each of
  /// several key columns. For a model without a key, it compares the rowid.
  var keyCondition: String {
    guard !keyColumns.isEmpty else {
      return rowIDName.map { "\($0) = ?" } ?? "0 = ?"
    }
    return keyColumns.map { "\(columns[$0].quotedName) = ?" }.joined(separator: " AND ")
  }
}
