import SQLCore

extension TableModel {
  /// Returns an insert of several rows that sets some columns. The other columns get their declared
  /// defaults, or NULL.
  ///
  /// ```swift
  /// try db.run(Post.insert(\.$title, \.$views, values: [("News", 3), ("Sports", 5)]))
  /// // INSERT INTO "Post" ("title", "views") VALUES (?, ?), (?, ?)
  /// ```
  /// Either all rows are inserted or none. Usually one statement inserts them. If they have more
  /// values than a statement may have parameters (32,766), several statements insert them in one
  /// savepoint. The foreign key of a row may refer to a later row. If a row violates a constraint,
  /// `run` tries the rows again one by one, so that the `DatabaseError` names the row. An insert
  /// without rows does nothing.
  ///
  /// A column that is named twice throws `QueryError` when the statement runs.
  /// - SeeAlso: <https://www.sqlite.org/lang_insert.html>
  public static func insert<each Value: ColumnValue>(
    _ paths: repeat KeyPath<Self, ColumnReference<each Value>>, values rows: [(repeat each Value)]
  ) -> Insert<Self> {
    let columns = Columns<Self>()
    let targets = (repeat columns[dynamicMember: each paths])
    var nodes: [ExpressionNode] = []
    for target in repeat each targets { nodes.append(target.node) }
    var values: [BoundValue] = []
    values.reserveCapacity(rows.count * nodes.count)
    for row in rows {
      for (value, target) in repeat (each row, each targets) { values.append(target.bound(value)) }
    }
    return Insert(columns: columns, RowValues(columns: nodes, values: values))
  }

  /// Returns an insert of several rows that sets one column.
  /// SQL: `INSERT INTO "Tag" ("name") VALUES (?), (?)`
  public static func insert<Value: ColumnValue>(
    _ path: KeyPath<Self, ColumnReference<Value>>, values rows: [Value]
  ) -> Insert<Self> {
    let columns = Columns<Self>()
    let target = columns[dynamicMember: path]
    return Insert(
      columns: columns, RowValues(columns: [target.node], values: rows.map(target.bound)))
  }
}

/// Some columns, and the values of several rows in these columns.
struct RowValues: Sendable {
  let columns: [ExpressionNode]
  /// The values, one row after another.
  let values: [BoundValue]

  /// The maximum number of parameters of a statement, unless a connection has a lower limit.
  static let usualParameterCount = 32_766

  /// The number of rows.
  var count: Int { columns.isEmpty ? 0 : values.count / columns.count }
  var indices: Range<Int> { 0..<count }

  /// Divides the rows among statements. Returns the range of rows that each statement inserts.
  func ranges(maximumParameterCount: Int) -> [Range<Int>] {
    let rows = max(1, maximumParameterCount / max(1, columns.count))
    return stride(from: 0, to: count, by: rows).map { $0..<min($0 + rows, count) }
  }

  func source(of range: Range<Int>) -> InsertStatement.Source {
    .rows(
      columns, values[range.lowerBound * columns.count..<range.upperBound * columns.count])
  }
}

extension SQLExpression {
  /// Returns a value of this column, in the column's stored form.
  func bound(_ value: Value) -> BoundValue {
    BoundValue(Value.canonical(value), as: form)
  }
}

extension Insert {
  init(columns: Columns<M>, _ rows: RowValues) {
    self.init(columns: columns, source: .rows(rows))
    let indices = rows.columns.compactMap { $0.columnID?.index }
    if rows.columns.isEmpty {
      problem = QueryError("the insert into \(M.tableName) names no columns; write them first")
    } else if Set(indices).count < indices.count {
      problem = QueryError("the insert into \(M.tableName) names a column twice")
    }
  }

  /// Returns the statement for some of the rows.
  func statement(
    of rows: RowValues, _ range: Range<Int>, _ clauses: [ConflictClause]? = nil
  ) throws -> InsertStatement {
    if let problem { throw problem }
    return InsertStatement(
      table: columns.table, source: rows.source(of: range), conflicts: clauses ?? conflicts)
  }

  /// Calls a closure with each statement that inserts rows. Either all rows are inserted or none.
  func forEachStatement(
    of rows: RowValues, returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws {
    try forEachRange(of: rows, on: core) { range, isRest in
      let insert = try isRest ? restStatement(of: rows, range) : statement(of: rows, range)
      let lent = try core.lendStatement(for: insert, returning: returning)
      defer { core.giveBack(lent) }
      do {
        try body(lent)
      } catch let error as DatabaseError {
        throw locate(error, rows, range, on: core)
      }
    }
  }

  /// Inserts all rows or none, and returns the number of written rows.
  func run(_ rows: RowValues, on core: ConnectionCore) throws -> Int {
    if let problem { throw problem }
    var count = 0
    try forEachRange(of: rows, on: core) { range, isRest in
      count += try run(rows, range, isRest: isRest, on: core)
    }
    return count
  }

  private func run(
    _ rows: RowValues, _ range: Range<Int>, isRest: Bool = false, on core: ConnectionCore
  ) throws -> Int {
    let wasInTransaction = core.isInTransaction
    do {
      let insert = try isRest ? restStatement(of: rows, range) : statement(of: rows, range)
      let lent = try core.lendStatement(for: insert)
      defer { core.giveBack(lent) }
      try core.run(lent)
      return core.changeCount
    } catch let error as DatabaseError {
      guard range.count > 1 else {
        throw locate(error, on: core).at(row: rows.count > 1 ? range.lowerBound : nil)
      }
      guard ModelWriting.hasWrittenNothing(error, on: core, wasInTransaction) else { throw error }
      if try M.layout.mayReferForward(error, on: core) {
        throw locate(error, rows, range, on: core)
      }
      // Inserts row by row, up to the row that fails.
      var count = 0
      try core.savepoint {
        try ModelWriting.oneByOne(range, after: error) {
          count += try run(rows, $0..<$0 + 1, on: core)
        }
      }
      return count
    }
  }

  /// Returns one statement for all rows of `range`. It binds each column as one array, so the
  /// number of parameters does not depend on the number of rows.
  private func restStatement(of rows: RowValues, _ range: Range<Int>) throws -> InsertStatement {
    let arrays = try rows.columns.indices.map { column in
      BoundArray(
        try range.map { row in
          let value = rows.values[row * rows.columns.count + column]
          if case .unstorable(let error) = value {
            let place = rows.columns[column].place
            throw error.at(table: place?.table, column: place?.column, row: row)
          }
          return try value.databaseValue
        })
    }
    return InsertStatement(
      table: columns.table, source: .arrays(rows.columns, arrays), conflicts: conflicts)
  }

  /// Adds the violated foreign key, and the row that violates it, to an error.
  private func locate(
    _ error: DatabaseError, _ rows: RowValues, _ range: Range<Int>, on core: ConnectionCore
  ) -> DatabaseError {
    guard range.count > 1, let layout = try? M.layout, layout.mayReferForward(error, on: core)
    else { return locate(error, on: core) }
    return layout.locate(error, writing: Array(range), on: core) { row, name in
      guard let index = layout.index(named: name),
        let column = rows.columns.firstIndex(where: { Int($0.columnID?.index ?? .max) == index })
      else { return nil }
      return try? rows.values[row * rows.columns.count + column].databaseValue
    }
  }

  /// Calls `body` for each range of rows that fits into one statement. Either all rows are inserted
  /// or none.
  ///
  /// If a row refers to a row of a later range, `body` gets all remaining rows at once. One
  /// statement then inserts these rows, and SQLite checks the foreign keys at the end of the
  /// statement.
  private func forEachRange(
    of rows: RowValues, on core: ConnectionCore, _ body: (Range<Int>, _ isRest: Bool) throws -> Void
  ) throws {
    let ranges = rows.ranges(maximumParameterCount: core.maximumParameterCount)
    guard ranges.count > 1 else { return try ranges.forEach { try body($0, false) } }
    let layout = try M.layout
    try core.allOrNothing {
      for range in ranges {
        do {
          try body(range, false)
        } catch  where range.upperBound < rows.count && layout.mayReferForward(error, on: core) {
          return try body(range.lowerBound..<rows.count, true)
        }
      }
    }
  }
}
