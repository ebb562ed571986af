import SQLCore

/// A command that `run` accepts: an insert, an update or a deletion.
///
/// ```swift
/// func report(_ command: some Runnable) throws {
///   print(try command.sql.text, try db.run(command))
/// }
/// ```
public protocol Runnable: Sendable {
  /// The SQL of the command, with its values. Throws `QueryError` if the command is invalid.
  var sql: SQL { get throws }
}

/// An insert, an update or a deletion in one table. It can return the rows that it changes.
public protocol TableCommand<M>: Runnable {
  /// The model of the table.
  associatedtype M: TableModel
  /// The columns of the table; programs do not use it directly.
  var _columns: Columns<M> { get }
}

/// An insert, an update or a deletion, with the functions by which a connection runs it.
protocol ModelCommand: Renderable, Sendable {
  var layout: ModelLayout { get throws }
  /// The columns to which the command assigns values; nil for a deletion.
  var assignedColumns: [String]? { get }

  /// The number of statements that the command runs. An insert of several models, for example, runs
  /// one statement for each model.
  var statementCount: Int { get }

  /// Throws `KeyChanged` if the command may update a row by the key of one of its models, and this
  /// key was changed after the model was loaded. `forEachStatement` and `run` check this, too.
  func requireUnchangedKeys() throws

  /// Passes the statements of the command to a closure, one after another. The values of each
  /// statement are already bound. If the closure throws, details such as the violated foreign key
  /// are added to its error.
  func forEachStatement(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws

  /// Runs the command, and returns the number of rows that it changed.
  func run(on core: ConnectionCore) throws -> Int
}

extension ModelCommand {
  var statementCount: Int { 1 }

  func requireUnchangedKeys() throws {}

  func forEachStatement(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws {
    try withStatement(returning: returning, on: core, body)
  }

  func run(on core: ConnectionCore) throws -> Int {
    var count = 0
    try withStatement(returning: nil, on: core) { statement in
      try core.run(statement)
      count = core.changeCount
    }
    return count
  }

  /// Passes the single statement of the command to a closure. If the closure throws, the violated
  /// foreign key is added to its error.
  func withStatement(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws {
    let statement = try core.lendStatement(for: self, returning: returning)
    defer { core.giveBack(statement) }
    do {
      try body(statement)
    } catch let error as DatabaseError {
      throw locate(error, on: core)
    }
  }

  /// Adds the violated foreign key, or the columns of an integer overflow, to an error. SQLite's
  /// own error does not name them.
  func locate(_ error: DatabaseError, on core: ConnectionCore) -> DatabaseError {
    guard error.isForeignKeyWithoutPlace || error.code.primary == .error, let layout = try? layout
    else { return error }
    return layout.locate(error, running: self, on: core)
  }
}

/// The rows that an update or a deletion changes.
///
/// `DELETE … ORDER BY … LIMIT` needs a compile-time option that many builds of SQLite lack. With a
/// limit, a subquery therefore chooses the rows by their keys, or by their rowids if the table has
/// no key.
/// - SeeAlso: <https://www.sqlite.org/compile.html#enable_update_delete_limit>
struct AffectedRows: Sendable {
  var predicates: ShortList<PredicateNode> = .none
  var order: ShortList<SelectStatement.OrderTerm> = .none
  var limit: RowCount?
  var offset: RowCount?
  /// The expressions of the limit and the offset. An expression is nil if the limit or the offset
  /// is a number or is not set.
  var counts: (limit: ExpressionNode?, offset: ExpressionNode?) = (nil, nil)
  var problem: QueryError?
  /// Whether the order was set on the query from which the command was made, and not on the command
  /// itself. If there is no limit, an order of the query is ignored, but an order of the command
  /// throws an error.
  var hasOrderOfQuery = false

  init() {}

  var isLimited: Bool {
    limit != nil || offset != nil || !order.isEmpty && !hasOrderOfQuery
  }

  mutating func addOrder(
    _ expression: SQLExpression<some ColumnValue>, _ direction: SortDirection, _ nulls: NullOrder?
  ) {
    order.append(SelectStatement.OrderTerm(expression.collatedNode, direction, nulls))
    hasOrderOfQuery = false
  }

  mutating func setLimit(_ count: Int) {
    if limit != nil { problem = problem ?? QueryError("LIMIT is given twice") }
    if count < 0 { problem = problem ?? QueryError("LIMIT is negative: \(count)") }
    limit = .number(count)
  }

  mutating func setOffset(_ count: Int) {
    if offset != nil { problem = problem ?? QueryError("OFFSET is given twice") }
    if count < 0 { problem = problem ?? QueryError("OFFSET is negative: \(count)") }
    offset = .number(count)
  }

  /// Writes the WHERE clause, and closes the scope of the table, which the caller has opened.
  ///
  /// - Parameter source: The other table of an update. The limit counts the updated rows that match
  ///   at least one row of the other table. The conditions are written twice: in the subquery with
  ///   the limit, which chooses the rows to update, and in the update itself, which must find the
  ///   matching row of the other table again.
  func write(
    of table: TableID, _ layout: @autoclosure () throws -> ModelLayout,
    beside source: TableReference? = nil, to writer: inout ShapeWriter
  ) throws {
    if let problem { throw problem }
    guard isLimited else {
      SelectStatement.write(predicates, behind: .where, to: &writer)
      return writer.closeScope()
    }
    let layout = try layout()
    guard limit != nil || offset != nil else {
      throw QueryError("\(layout.tableName): ORDER BY has no effect without LIMIT; add a limit")
    }
    let columns = layout.keyColumns.map {
      ExpressionNode.column(ColumnID(table: table, index: UInt16(truncatingIfNeeded: $0)))
    }
    let key = columns.isEmpty ? [.rowID(table)] : columns
    writer.token(.where)
    if source != nil, !predicates.isEmpty {
      PredicateNode.all(Array(predicates)).writeOperand(to: &writer, binding: .and)
      writer.token(.and)
    }
    (key.count > 1 ? .row(key) : key[0]).write(to: &writer)
    writer.token(.in)
    writer.token(.open)
    // The subquery opens its own scope with the same table.
    writer.closeScope()
    var rows = SelectStatement(selection: .terms(key.map { .expression($0) }), from: table)
    rows.predicates = source.map { .one(.exists($0.matches(where: predicates))) } ?? predicates
    rows.order = order
    (rows.limit, rows.offset) = (limit, offset)
    if counts.limit != nil || counts.offset != nil {
      rows.changeExtras { ($0.limit, $0.offset) = counts }
    }
    rows.write(to: &writer)
    writer.token(.close)
  }
}

extension TableReference {
  /// Returns a query that has a row if at least one row of this table matches the conditions.
  fileprivate func matches(where predicates: ShortList<PredicateNode>) -> SelectStatement {
    var rows = SelectStatement(selection: .terms([.expression(.constant("1"))]), from: table)
    rows.predicates = predicates
    if let source { rows.changeExtras { $0.sources = [(table, source)] } }
    return rows
  }
}
