import SQLCore

/// A value in SQL: a column, a value of Swift, a function of both.
///
/// ```swift
/// Post.where { $0.$views * 2 > 100 }     // … WHERE "views" * ? > ?
/// ```
///
/// Values of Swift are bound, and the text of the SQL never depends on them.
public struct SQLExpression<Value: ColumnValue>: Sendable {
  @usableFromInline package let node: ExpressionNode
  /// The form in which the expression's value is stored: that of its column.
  @usableFromInline package let form: StoredForm

  @inlinable
  package init(_ node: ExpressionNode, form: StoredForm = .standard) {
    self.node = node
    self.form = form
  }

  /// A value of Swift, bound.
  public init(_ value: Value) {
    self.init(.value(BoundValue(value)))
  }

  /// A piece of raw SQL with its values, of which you say the type. It fits wherever an expression
  /// does, and expressions of the query fit into it.
  ///
  /// ```swift
  /// Post.where { SQLExpression<Int>(sql: "length(\($0.$title))") > 20 }
  /// // … WHERE (length("title")) > ?
  /// ```
  public init(sql: SQLFragment) {
    self.init(sql.node)
  }

  /// A piece of SQL that stands by itself.
  @_disfavoredOverload
  public init(sql: SQL) {
    self.init(.fragment(sql))
  }

  /// The same value where an optional is needed: a nullable key beside a key.
  ///
  /// ```swift
  /// Join(post, on: comment.$postID == post.$id.optional)
  /// ```
  public var optional: SQLExpression<Value?> {
    SQLExpression<Value?>(node, form: form)
  }

  /// The expression where a value of that form is needed; nil where it is stored in another. A
  /// parameter takes the form of its place.
  func node(as form: StoredForm) -> ExpressionNode? {
    if case .parameter(let parameter) = node { return .value(parameter.bound(as: form)) }
    return self.form == form ? node : nil
  }

  /// The expression as it is compared and ordered: with the collation of its type, where it has one.
  @inlinable
  package var collatedNode: ExpressionNode {
    guard let name = Value.collationName else { return node }
    return .collate(node, name)
  }

  /// The error for what would bring a value stored in another form beside this expression.
  func mixing(_ other: StoredForm) -> QueryError {
    QueryError(
      "two expressions of \(Value.self) meet that are stored in different forms, .\(form) and "
        + ".\(other); a value itself, in place of SQLExpression(value), takes its column's form")
  }
}

/// A condition in SQL, true, false or unknown.
///
/// `&&`, `||` and `!` combine it; in a block of `where { }` each line is one, and all must hold.
public struct SQLPredicate: Sendable {
  @usableFromInline package let node: PredicateNode

  @inlinable
  package init(_ node: PredicateNode) {
    self.node = node
  }

  /// A piece of raw SQL with its values and with expressions of the query.
  public init(sql: SQLFragment) {
    self.init(sql.predicate)
  }

  /// A piece of SQL that stands by itself.
  @_disfavoredOverload
  public init(sql: SQL) {
    self.init(.fragment(sql))
  }
}
