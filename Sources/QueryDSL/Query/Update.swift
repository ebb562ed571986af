import SQLCore

/// A change of rows in the database, without loading them.
///
/// ```swift
/// Post.update { $0.$views += 1 }.where { $0.$id == id }
/// // UPDATE "Post" SET "views" = "views" + ? WHERE "id" = ?
/// ```
public struct Update<M: Model>: Sendable {
  let columns: Columns<M>
  var assignments: [Assignment]
  var predicates: [PredicateNode] = []

  /// Only rows for which each line holds; without it, every row. SQL: `WHERE a AND b`
  public consuming func `where`(
    @PredicateBuilder _ lines: (Columns<M>) -> [SQLPredicate]
  ) -> Self {
    predicates += lines(columns).map(\.node)
    return self
  }

  /// The SQL that it becomes, with its values.
  public var sql: SQL {
    get throws { try rendered() }
  }
}

/// A column and what it is set to.
struct Assignment: Sendable {
  let column: ExpressionNode
  let value: ExpressionNode
}

extension ExpressionNode {
  /// The column, where the expression is one.
  fileprivate var columnID: ColumnID? {
    if case .column(let column) = self { column } else { nil }
  }
}

/// The columns of a row that an update sets: `$0.$views += 1`, `$0.set(\.$title, to: "x")`.
@dynamicMemberLookup
public struct Assignments<M: Model> {
  let columns: Columns<M>
  private(set) var list: [Assignment] = []

  init(_ columns: Columns<M>) {
    self.columns = columns
  }

  /// The column's value; setting it assigns an expression.
  public subscript<Value: ColumnValue>(
    dynamicMember path: KeyPath<M, ColumnReference<Value>>
  ) -> SQLExpression<Value> {
    get { columns[dynamicMember: path] }
    set { assign(columns[dynamicMember: path], newValue) }
  }

  /// Sets a column to a value. SQL: `SET a = ?`
  public mutating func set<Value: ColumnValue>(
    _ path: KeyPath<M, ColumnReference<Value>>, to value: Value
  ) {
    let column = columns[dynamicMember: path]
    append(column.node, .value(BoundValue(Value.canonical(value), as: column.form)))
  }

  /// Sets a column to an expression over the row as it was. SQL: `SET a = a + ?`
  public mutating func set<Value: ColumnValue>(
    _ path: KeyPath<M, ColumnReference<Value>>,
    to expression: (Columns<M>) -> SQLExpression<Value>
  ) {
    assign(columns[dynamicMember: path], expression(columns))
  }

  private mutating func assign<Value: ColumnValue>(
    _ column: SQLExpression<Value>, _ value: SQLExpression<Value>
  ) {
    let isSameForm = column.form == value.form
    append(column.node, isSameForm ? value.node : .invalid(column.mixing(value.form)))
  }

  /// A column is assigned once: of two, SQL would keep the last in silence, and neither line sees
  /// what the other does.
  private mutating func append(_ column: ExpressionNode, _ value: ExpressionNode) {
    let isTwice = list.contains { $0.column.columnID == column.columnID && column.columnID != nil }
    let problem = QueryError("the update of \(M.tableName) assigns a column twice")
    list.append(Assignment(column: column, value: isTwice ? .invalid(problem) : value))
  }
}

/// A deletion of rows in the database, without loading them.
///
/// ```swift
/// Post.delete().where { $0.$status == .archived }
/// // DELETE FROM "Post" WHERE "status" = ?
/// ```
public struct Delete<M: Model>: Sendable {
  let columns: Columns<M>
  var predicates: [PredicateNode] = []

  /// Only rows for which each line holds; without it, every row. SQL: `WHERE a AND b`
  public consuming func `where`(
    @PredicateBuilder _ lines: (Columns<M>) -> [SQLPredicate]
  ) -> Self {
    predicates += lines(columns).map(\.node)
    return self
  }

  /// The SQL that it becomes, with its values.
  public var sql: SQL {
    get throws { try rendered() }
  }
}

extension Model {
  /// A change of rows in the database.
  ///
  /// Each line of the closure assigns a column, from the row as it was: `$0.$views += 1`.
  public static func update(_ assign: (inout Assignments<Self>) -> Void) -> Update<Self> {
    let columns = Columns<Self>(source: 0)
    var assignments = Assignments(columns)
    assign(&assignments)
    return Update(columns: columns, assignments: assignments.list)
  }

  /// A deletion of rows in the database.
  public static func delete() -> Delete<Self> {
    Delete(columns: Columns(source: 0))
  }
}

/// What `run` takes: an update or a deletion.
public protocol Runnable: Sendable {
  /// The SQL that it becomes, with its values; throws `QueryError` where it cannot be SQL.
  var sql: SQL { get throws }
}

extension Update: Runnable, Renderable {
  package func write<Sink: QuerySink>(to sink: inout Sink) throws {
    guard !assignments.isEmpty else {
      throw QueryError("the update of \(M.tableName) assigns no column")
    }
    try sink.openScope([columns.table])
    try sink.token(.update)
    try sink.tableName(columns.table)
    for (index, assignment) in assignments.enumerated() {
      try sink.token(index == 0 ? .set : .comma)
      guard case .column(let column) = assignment.column else {
        return try assignment.column.write(to: &sink)
      }
      try sink.columnName(column)
      try sink.token(.equal)
      try assignment.value.write(to: &sink)
    }
    try SelectStatement.write(predicates, behind: .where, to: &sink)
    try sink.closeScope()
  }
}

extension Delete: Runnable, Renderable {
  package func write<Sink: QuerySink>(to sink: inout Sink) throws {
    try sink.openScope([columns.table])
    try sink.token(.deleteFrom)
    try sink.tableName(columns.table)
    try SelectStatement.write(predicates, behind: .where, to: &sink)
    try sink.closeScope()
  }
}

extension Update: ModelCommand {
  var layout: ModelLayout {
    get throws { try M.layout }
  }

  var assignedColumns: [String]? {
    guard let layout = try? layout else { return [] }
    return assignments.compactMap { $0.column.columnID }.map { layout.columns[Int($0.index)].name }
  }
}

extension Delete: ModelCommand {
  var layout: ModelLayout {
    get throws { try M.layout }
  }

  var assignedColumns: [String]? { nil }
}
