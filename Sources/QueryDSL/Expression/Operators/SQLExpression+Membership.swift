import SQLCore

extension SQLExpression {
  /// Tests whether the value is in a list; false for an empty list. nil in the list matches NULL.
  ///
  /// The values are bound as one array, so that the statement is the same for one value and for
  /// 100,000.
  /// ```swift
  /// Post.where { $0.$status.isIn([.draft, .published]) }
  /// // … WHERE "status" IN (SELECT value FROM apus_array(?))
  /// ```
  public func isIn(_ values: some Sequence<Value>) -> SQLPredicate {
    var stored: [DatabaseValue] = []
    var containsNull = false
    for value in values {
      switch BoundValue(value, as: form) {
      case .value(.null): containsNull = true
      case .value(let value): stored.append(value)
      case .unstorable(let error):
        return SQLPredicate(.isIn(collatedNode, .unstorable(error), containsNull: nil))
      case .array, .zeroBlob, .argument: return SQLPredicate(.invalid(.noListElement))
      }
    }
    return SQLPredicate(
      .isIn(
        collatedNode, .array(BoundArray(stored)),
        containsNull: Value.isOptional ? .value(containsNull ? 1 : 0) : nil))
  }
}

extension QueryError {
  /// The error that `isIn` reports if an element of its list cannot be an element of the array that
  /// is bound.
  static var noListElement: QueryError {
    QueryError("isIn: an element of the list is not a stored value; compare it with `==`")
  }
}

extension SQLExpression {
  /// Tests whether the value is among the values that a query returns. NULL is among these values
  /// only if the query returns NULL.
  ///
  /// ```swift
  /// Post.where { $0.$authorID.isIn(Author.where { $0.$name == "Jane" }.select(\.$id)) }
  /// // … WHERE "authorID" IN (SELECT "Author"."id" FROM "Author" WHERE "Author"."name" = ?)
  /// ```
  /// The query must select one column of the expression's type. If the expression is optional and
  /// the selected column is not, write `.optional` after the column. If the query selects another
  /// number of columns, or if its column is stored in another form than the expression, the outer
  /// query throws `QueryError` when it is rendered.
  public func isIn<Q: Fetchable>(_ query: Q) -> SQLPredicate where Q.Row == Value {
    let query = query.query
    guard let column = query.singleColumn else {
      return SQLPredicate(.invalid(query.notOneColumn))
    }
    var statement = query.statement
    guard let node = node(as: statement.adaptSelection(of: [column], to: [form])[0]) else {
      return SQLPredicate(.invalid(mixing(column.form)))
    }
    return SQLPredicate(
      .isInQuery(node.collated(as: Value.self), statement, isOptional: Value.isOptional))
  }
}

// As in Swift, nil is in no range. The tests below are therefore false for NULL, and their
// negations are true.

extension SQLExpression where Value: OrderedColumnValue & Comparable {
  /// Tests whether the value is in a closed range. SQL: `a BETWEEN ? AND ?`
  public func isIn(_ range: ClosedRange<Value>) -> SQLPredicate {
    between(range.lowerBound, and: range.upperBound)
  }

  /// Tests whether the value is in a half-open range. SQL: `a >= ? AND a < ?`
  public func isIn(_ range: Range<Value>) -> SQLPredicate {
    SQLPredicate(
      .and(compare(.greaterOrEqual, range.lowerBound).node, compare(.less, range.upperBound).node))
  }
}

extension SQLExpression {
  /// Tests whether the value is in a closed range; false for NULL.
  /// SQL: `a IS NOT NULL AND a BETWEEN ? AND ?`
  public func isIn<Wrapped: OrderedColumnValue & Comparable>(_ range: ClosedRange<Wrapped>)
    -> SQLPredicate
  where Value == Wrapped? {
    SQLPredicate(
      .and(.isNotNull(node), between(range.lowerBound, and: range.upperBound).node))
  }

  /// Tests whether the value is in a half-open range; false for NULL.
  /// SQL: `a IS NOT NULL AND a >= ? AND a < ?`
  public func isIn<Wrapped: OrderedColumnValue & Comparable>(_ range: Range<Wrapped>)
    -> SQLPredicate
  where Value == Wrapped? {
    SQLPredicate(
      .all([
        .isNotNull(node), compare(.greaterOrEqual, range.lowerBound).node,
        compare(.less, range.upperBound).node,
      ]))
  }
}
