import SQLCore

/// A value in a query: a column, a Swift value, or a function of other expressions.
///
/// ```swift
/// Post.where { $0.$views * 2 > 100 }     // … WHERE "views" * ? > ?
/// ```
///
/// Swift values are bound, so the text of the SQL does not depend on them. Only `==` and `!=` write
/// nil, true and false into the SQL.
public struct SQLExpression<Value: ColumnValue>: Sendable {
  @usableFromInline package let node: ExpressionNode
  /// The form in which the value is stored, such as text for a date. A column declares its form.
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

  /// Makes an expression of raw SQL. The caller states the type of its value. The SQL may contain
  /// expressions of the query.
  ///
  /// ```swift
  /// Post.where { SQLExpression<Int>(sql: "length(\($0.$title))") > 20 }
  /// // … WHERE (length("title")) > ?
  /// ```
  /// If the type has several stored forms, such as Date, `form` states the form of the value. A
  /// form that the type does not have throws `QueryError` when the query is rendered.
  /// ```swift
  /// Post.update { $0.$readAt = SQLExpression(sql: "unixepoch()", as: .unixEpoch) }
  /// ```
  public init(sql: SQLFragment, as form: StoredForm = .standard) {
    self.init(stating: form, sql.node)
  }

  /// Makes an expression of raw SQL that contains no expressions of the query.
  @_disfavoredOverload
  public init(sql: SQL, as form: StoredForm = .standard) {
    self.init(stating: form, .fragment(sql))
  }

  private init(stating form: StoredForm, _ node: ExpressionNode) {
    guard form == .standard || Value.storageClass(as: form) != nil else {
      self.init(.invalid(QueryError("\(Value.self) has no stored form .\(form)")))
      return
    }
    self.init(node, form: form)
  }

  /// The same value as an optional. Use it in `<` or in arithmetic with another optional, or as the
  /// new value of an optional column. `==` and `!=` need no such conversion.
  ///
  /// ```swift
  /// Post.where { $0.$rating < $0.$views.optional }
  /// ```
  public var optional: SQLExpression<Value?> {
    SQLExpression<Value?>(node, form: form)
  }

  /// Returns the same expression as a value that is never NULL. Use it if you know that the value
  /// is not NULL. The SQL stays the same.
  ///
  /// ```swift
  /// let list = TodoList.where { $0.$title == "Family" }.select(\.$id)
  /// Todo.insert { $0.$title = "Call"; $0.$listID = list.subquery().nonOptional() }
  /// // INSERT INTO "Todo" ("title", "listID") VALUES (?, (SELECT "id" FROM "TodoList" WHERE …))
  /// ```
  /// If the value is NULL after all, reading it throws `ColumnValueError`, and storing it in a NOT
  /// NULL column throws `DatabaseError`. A comparison with `==` becomes SQL's `=`, whose result is
  /// NULL if the value is NULL. To replace NULL, use `ifNull`.
  public func nonOptional<Wrapped: ColumnValue>() -> SQLExpression<Wrapped>
  where Value == Wrapped? {
    SQLExpression<Wrapped>(node, form: form)
  }

  /// The expression as it is written in a comparison and in ORDER BY. If the type of the expression
  /// has a collation, a COLLATE follows the expression.
  @inlinable
  package var collatedNode: ExpressionNode {
    guard let name = Value.collationName else { return node }
    return .collate(node, name)
  }
}
