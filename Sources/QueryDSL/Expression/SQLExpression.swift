import SQLCore

/// A value in a query: a column, a Swift value, or a function of others.
///
/// ```swift
/// Post.where { $0.$views * 2 > 100 }     // … WHERE "views" * ? > ?
/// ```
///
/// Swift values are bound, so the text of the SQL does not depend on them. Only `==` and `!=` write
/// nil, true and false into the SQL.
public struct SQLExpression<Value: ColumnValue>: Sendable {
  @usableFromInline package let node: ExpressionNode
  /// The form in which the expression's value is stored: that of its column.
  @usableFromInline package let form: StoredForm

  @inlinable
  package init(_ node: ExpressionNode, form: StoredForm = .standard) {
    self.node = node
    self.form = form
  }

  /// Makes an expression of a Swift value, which is bound. SQL: `?`
  public init(_ value: Value) {
    self.init(.value(BoundValue(value)))
  }

  /// Makes an expression of raw SQL, whose type the caller states. It can be used wherever an
  /// expression can, and may contain expressions of the query.
  ///
  /// ```swift
  /// Post.where { SQLExpression<Int>(sql: "length(\($0.$title))") > 20 }
  /// // … WHERE (length("title")) > ?
  /// ```
  public init(sql: SQLFragment) {
    self.init(sql.node)
  }

  /// Makes an expression of raw SQL that contains no expressions of the query.
  @_disfavoredOverload
  public init(sql: SQL) {
    self.init(.fragment(sql))
  }

  /// The same value as an optional, for a place that needs one: beside an optional in `<` or in
  /// arithmetic, or as the new value of an optional column. `==` and `!=` need no such conversion.
  ///
  /// ```swift
  /// Post.where { $0.$rating < $0.$views.optional }
  /// ```
  public var optional: SQLExpression<Value?> {
    SQLExpression<Value?>(node, form: form)
  }

  /// Returns the same expression for a place whose values are never NULL, if the program knows that
  /// it is not NULL. SQL: the expression itself
  ///
  /// ```swift
  /// let list = TodoList.where { $0.$title == "Family" }.select(\.$id)
  /// Todo.insert { $0.$title = "Call"; $0.$listID = list.subquery().nonOptional() }
  /// // INSERT INTO "Todo" ("title", "listID") VALUES (?, (SELECT "id" FROM "TodoList" WHERE …))
  /// ```
  /// If it is NULL after all, reading it as a row throws `ColumnValueError`, and storing it in a
  /// column that is NOT NULL throws `DatabaseError`. Compared by `==`, it is SQL's `=`, which is
  /// unknown for NULL. To replace NULL, use `ifNull`.
  public func nonOptional<Wrapped: ColumnValue>() -> SQLExpression<Wrapped>
  where Value == Wrapped? {
    SQLExpression<Wrapped>(node, form: form)
  }

  /// Returns the expression for a place that needs values in that form; nil if it is stored in
  /// another form. A parameter takes the form of its place.
  func node(as form: StoredForm) -> ExpressionNode? {
    if case .parameter(let parameter) = node { return .value(parameter.bound(as: form)) }
    return self.form == form ? node : nil
  }

  /// The expression as it is compared and sorted: with the collation of its type, if it has one.
  @inlinable
  package var collatedNode: ExpressionNode {
    guard let name = Value.collationName else { return node }
    return .collate(node, name)
  }

  /// Returns the error for combining this expression with a value that is stored in another form.
  func mixing(_ other: StoredForm) -> QueryError {
    QueryError(
      "two expressions of \(Value.self) are combined, but stored in different forms, .\(form) and "
        + ".\(other); write a value itself, not SQLExpression(value), to give it its column's form")
  }
}
