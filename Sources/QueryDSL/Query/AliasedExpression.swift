import SQLCore

/// An expression with a name of its own in the result.
///
/// ```swift
/// Post.select { ($0.$status, $0.$views.sum().as("views")) }.group(by: \.$status)
/// // SELECT "status", sum("views") AS "views" FROM "Post" GROUP BY "status"
/// ```
///
/// The name heads the column where the result is looked at: in `table`, and for those who read the
/// SQL. Rows are read by position, as without it.
public struct AliasedExpression<Value: ColumnValue>: Selectable {
  let expression: SQLExpression<Value>
  let name: String

  /// The expression under its name, read as its type.
  public var selection: SelectItem<Value> {
    let form = expression.form
    let name = name
    return SelectItem(
      term: .aliased(expression.collatedNode, name),
      part: RowPart(of: expression.node, as: Value.self, form: form),
      columns: { [ResultColumn(name: name, type: Value.self, form: form)] })
  }
}

extension SQLExpression {
  /// The expression under a name of its own in the result. SQL: `a AS "name"`
  ///
  /// Any text is a name but one that holds U+0000: SQL that holds it is refused.
  public func `as`(_ name: String) -> AliasedExpression<Value> {
    AliasedExpression(expression: self, name: name)
  }
}
