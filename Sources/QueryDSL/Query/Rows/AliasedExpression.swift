import SQLCore

/// An expression with a name in the result.
///
/// ```swift
/// Post.select { ($0.$status, $0.$views.sum().as("views")) }.group(by: \.$status)
/// // SELECT "status", sum("views") AS "views" FROM "Post" GROUP BY "status"
/// ```
///
/// The name is the heading of the column in `table`, and that of the column in the SQL. It does not
/// change how rows are read, which is by position.
public struct AliasedExpression<Value: ColumnValue>: Selectable {
  let expression: SQLExpression<Value>
  let name: String

  /// The expression with its name; programs do not use it directly.
  public var _selection: _SelectItem<Value> {
    let form = expression.form
    let name = name
    return _SelectItem(
      SelectItem(
        term: .aliased(expression.collatedNode, name),
        part: RowPart(of: expression.node, as: Value.self, form: form),
        columns: { [ResultColumn(name: name, type: Value.self, form: form)] }))
  }
}

extension SQLExpression {
  /// Gives the expression a name in the result. SQL: `a AS "name"`
  ///
  /// The name may be any text without U+0000; SQL that contains U+0000 is refused.
  public func `as`(_ name: String) -> AliasedExpression<Value> {
    AliasedExpression(expression: self, name: name)
  }
}
