import SQLCore

/// A column and what it is set to.
struct Assignment: Sendable {
  let column: ExpressionNode
  let value: ExpressionNode
}

extension Assignment {
  /// Writes `"a" = ?, "b" = "b" + ?`.
  static func write<Sink: QuerySink>(_ list: [Assignment], to sink: inout Sink) throws {
    for (index, assignment) in list.enumerated() {
      if index > 0 { try sink.token(.comma) }
      try assignment.writeColumn(to: &sink)
      try sink.token(.equal)
      try assignment.value.write(to: &sink)
    }
  }

  /// Writes the column by its name alone; what is none throws.
  func writeColumn<Sink: QuerySink>(to sink: inout Sink) throws {
    guard let columnID = column.columnID else { return try column.write(to: &sink) }
    try sink.columnName(columnID)
  }
}

extension ExpressionNode {
  /// The column, where the expression is one.
  var columnID: ColumnID? {
    if case .column(let column) = self { column } else { nil }
  }
}

/// The columns of a row that are set: `$0.$views += 1`, `$0.set(\.$title, to: "x")`.
@dynamicMemberLookup
public struct Assignments<M: Model> {
  package let columns: Columns<M>
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

  /// Sets a column to an expression. SQL: `SET a = b`
  public mutating func set<Value: ColumnValue>(
    _ path: KeyPath<M, ColumnReference<Value>>, to expression: SQLExpression<Value>
  ) {
    assign(columns[dynamicMember: path], expression)
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
    append(column.node, value.node(as: column.form) ?? .invalid(column.mixing(value.form)))
  }

  /// A column is assigned once: of two, SQL would keep the last in silence, and neither line sees
  /// what the other does.
  private mutating func append(_ column: ExpressionNode, _ value: ExpressionNode) {
    let isTwice = list.contains { $0.column.columnID == column.columnID && column.columnID != nil }
    let problem = QueryError("\(M.tableName): a column is assigned twice")
    list.append(Assignment(column: column, value: isTwice ? .invalid(problem) : value))
  }
}
