import SQLCore

extension TableQuery {
  /// Groups by an expression; `select` can then use aggregates. SQL: `GROUP BY length("title")`
  ///
  /// ```swift
  /// Post.group { $0.$title.length() }.select { ($0.$title.length(), $0.count()) }
  /// // SELECT length("title"), count(*) FROM "Post" GROUP BY length("title")
  /// ```
  public consuming func group<Value: ColumnValue>(
    by expression: (Columns<M>) -> SQLExpression<Value>
  ) -> Self {
    select.statement.groups.append(expression(columns).collatedNode)
    return self
  }

  /// Groups by several expressions. SQL: `GROUP BY "status", length("title")`
  public consuming func group<each Value: ColumnValue>(
    by expressions: (Columns<M>) -> (repeat SQLExpression<each Value>)
  ) -> Self {
    for expression in repeat each expressions(columns) {
      select.statement.groups.append(expression.collatedNode)
    }
    return self
  }
}

extension TableModel {
  /// Returns a query for the groups of rows that have the same values in columns.
  /// SQL: `GROUP BY a, b`
  public static func group<each Value: ColumnValue>(
    by columns: repeat KeyPath<Self, ColumnReference<each Value>>
  ) -> TableQuery<Self, Self> {
    all.group(by: repeat each columns)
  }

  /// Returns a query for the groups of rows that have the same value of an expression.
  /// SQL: `GROUP BY length("title")`
  public static func group<Value: ColumnValue>(
    by expression: (Columns<Self>) -> SQLExpression<Value>
  ) -> TableQuery<Self, Self> {
    all.group(by: expression)
  }

  /// Returns a query for the groups of rows that have the same values of several expressions.
  /// SQL: `GROUP BY "status", length("title")`
  public static func group<each Value: ColumnValue>(
    by expressions: (Columns<Self>) -> (repeat SQLExpression<each Value>)
  ) -> TableQuery<Self, Self> {
    all.group(by: expressions)
  }
}
