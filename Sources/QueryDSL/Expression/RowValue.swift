import SQLCore

/// Several expressions that are compared together, from the first to the last.
///
/// ```swift
/// Post.where { RowValue($0.$createdAt, $0.$id) < (date, id) }
/// // … WHERE ("createdAt", "id") < (?, ? COLLATE "BINARY")
/// ```
/// A row value is compared with a tuple of values from left to right. If the first expression
/// differs from the first value, these two decide which side is less. If they are equal, the second
/// expression is compared with the second value, and so on. With an index that has the columns in
/// the same order, SQLite finds the rows that match such a condition by a seek. A program can
/// therefore read a table in pages. `page(after:by:)` makes such conditions for any order.
/// - SeeAlso: <https://www.sqlite.org/rowvalue.html>
public struct RowValue<each Value: ColumnValue>: Sendable {
  /// The expressions of the row value. An expression whose type has a collation has a COLLATE.
  private let nodes: [ExpressionNode]
  private let forms: [StoredForm]

  /// Makes a row value of expressions. SQL: `(a, b)`
  public init(_ expressions: repeat SQLExpression<each Value>) {
    var nodes: [ExpressionNode] = []
    var forms: [StoredForm] = []
    for expression in repeat each expressions {
      nodes.append(expression.collatedNode)
      forms.append(expression.form)
    }
    self.nodes = nodes
    self.forms = forms
  }
}

extension RowValue {
  /// Tests whether the row value equals the tuple; nil equals nil.
  /// SQL: `(a, b) = (?, ?)`, or `(a, b) IS (?, ?)` if an element is optional
  public static func == (left: RowValue, right: (repeat each Value)) -> SQLPredicate {
    left.compare(left.isOptional ? .isSame : .equal, repeat each right)
  }

  /// Tests whether the row value differs from the tuple; nil equals nil.
  /// SQL: `(a, b) <> (?, ?)`, or `(a, b) IS NOT (?, ?)` if an element is optional
  public static func != (left: RowValue, right: (repeat each Value)) -> SQLPredicate {
    left.compare(left.isOptional ? .isNotSame : .notEqual, repeat each right)
  }
}

extension RowValue where repeat each Value: OrderedColumnValue {
  /// Tests whether the row value is less than the tuple. The first pair of different elements
  /// decides. If this pair or a pair before it contains NULL, the result is NULL.
  /// SQL: `(a, b) < (?, ?)`
  public static func < (left: RowValue, right: (repeat each Value)) -> SQLPredicate {
    left.compare(.less, repeat each right)
  }

  /// Tests whether the row value is greater than the tuple. The first pair of different elements
  /// decides. If this pair or a pair before it contains NULL, the result is NULL.
  /// SQL: `(a, b) > (?, ?)`
  public static func > (left: RowValue, right: (repeat each Value)) -> SQLPredicate {
    left.compare(.greater, repeat each right)
  }

  /// Tests whether the row value is less than or equal to the tuple. The first pair of different
  /// elements decides. If this pair or a pair before it contains NULL, the result is NULL.
  /// SQL: `(a, b) <= (?, ?)`
  public static func <= (left: RowValue, right: (repeat each Value)) -> SQLPredicate {
    left.compare(.lessOrEqual, repeat each right)
  }

  /// Tests whether the row value is greater than or equal to the tuple. The first pair of different
  /// elements decides. If this pair or a pair before it contains NULL, the result is NULL.
  /// SQL: `(a, b) >= (?, ?)`
  public static func >= (left: RowValue, right: (repeat each Value)) -> SQLPredicate {
    left.compare(.greaterOrEqual, repeat each right)
  }
}

extension RowValue {
  private var isOptional: Bool {
    var isOptional = false
    for type in repeat (each Value).self { isOptional = isOptional || type.isOptional }
    return isOptional
  }

  private func compare(_ sign: SQLToken, _ values: repeat each Value) -> SQLPredicate {
    SQLPredicate(.compareRows(sign, nodes, bound(repeat each values)))
  }

  private func bound(_ values: repeat each Value) -> [BoundValue] {
    var bound: [BoundValue] = []
    for value in repeat each values { bound.append(BoundValue(value, as: forms[bound.count])) }
    return bound
  }

  /// Tests whether the row value is in a list; false for an empty list. nil in a row of the list
  /// matches NULL.
  ///
  /// The values are bound as one array for each expression, so that the statement is the same for
  /// one row and for 100,000. SQLite can use an index if no expression is optional.
  /// ```swift
  /// Item.where { RowValue($0.$region, $0.$number).isIn([("north", 1), ("south", 7)]) }
  /// // … WHERE ("region", "number") IN (SELECT k0.value, k1.value
  /// //   FROM apus_array(?) AS k0 JOIN apus_array(?) AS k1 ON k1.rowid = k0.rowid)
  /// ```
  public func isIn(_ rows: some Sequence<(repeat each Value)>) -> SQLPredicate {
    var columns: [[DatabaseValue]] = nodes.map { _ in [] }
    for row in rows {
      for (index, value) in bound(repeat each row).enumerated() {
        switch value {
        case .value(let value): columns[index].append(value)
        case .unstorable(let error): return SQLPredicate(.isNull(.value(.unstorable(error))))
        case .array, .zeroBlob, .argument: return SQLPredicate(.invalid(.noListElement))
        }
      }
    }
    let arrays = columns.map { BoundValue.array(BoundArray($0)) }
    return SQLPredicate(
      isOptional ? .isSame(nodes, asRowsOf: arrays) : .isIn(nodes, rowsOf: arrays))
  }

  /// Tests whether the row value is among the rows that a query returns.
  /// SQL: `(a, b) IN (SELECT c, d …)`
  ///
  /// If an expression of the row value is optional, nil equals nil. In this case, the SQL is
  /// `EXISTS (SELECT 1 FROM (SELECT c AS "apus_0", …) WHERE a IS "apus_0" AND …)`, and SQLite
  /// compares the rows of the query one by one, without an index. If a column of the query is
  /// stored in another form than the expression with which it is compared, rendering the query
  /// throws `QueryError`.
  public func isIn<Q: Fetchable>(_ query: Q) -> SQLPredicate where Q.Row == (repeat each Value) {
    let query = query.query
    if query.decoding.isMapped { return SQLPredicate(.invalid(.mapped)) }
    var statement = query.statement
    guard let columns = try? query.decoding.columns(),
      statement.adaptSelection(of: columns, to: forms) == forms
    else {
      return SQLPredicate(
        .invalid(
          QueryError(
            "RowValue.isIn(query): the query stores its \(forms.count) columns in other forms than "
              + "the row value")))
    }
    return SQLPredicate(
      isOptional
        ? .isSame(nodes, asRowOf: statement)
        : .isInQuery(.row(nodes), statement, isOptional: false))
  }
}

// Comparisons of tuples of two or three expressions with tuples of values. They work like the
// comparisons of a `RowValue`. They do not slow down the compilation of other comparisons: a single
// expression is not a tuple, so the compiler rejects these operators at once. For longer tuples,
// use `RowValue`, because Swift 6.3 crashes on operands that end with a parameter pack.

/// Tests whether the left tuple is less than the right tuple. The first pair of different elements
/// decides. If this pair or a pair before it contains NULL, the result is NULL.
/// SQL: `(a, b) < (?, ?)`
///
/// ```swift
/// Post.where { ($0.$createdAt, $0.$id) < (date, id) }
/// // … WHERE ("createdAt", "id") < (?, ? COLLATE "BINARY")
/// ```
public func < <A: OrderedColumnValue, B: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) < right
}

/// Tests whether the left tuple is less than the right tuple. The first pair of different elements
/// decides. If this pair or a pair before it contains NULL, the result is NULL.
/// SQL: `(a, b, c) < (?, ?, ?)`
public func < <A: OrderedColumnValue, B: OrderedColumnValue, C: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) < right
}

/// Tests whether the left tuple is greater than the right tuple. The first pair of different
/// elements decides. If this pair or a pair before it contains NULL, the result is NULL.
/// SQL: `(a, b) > (?, ?)`
public func > <A: OrderedColumnValue, B: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) > right
}

/// Tests whether the left tuple is greater than the right tuple. The first pair of different
/// elements decides. If this pair or a pair before it contains NULL, the result is NULL.
/// SQL: `(a, b, c) > (?, ?, ?)`
public func > <A: OrderedColumnValue, B: OrderedColumnValue, C: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) > right
}

/// Tests whether the left tuple is less than or equal to the right tuple. The first pair of
/// different elements decides. If this pair or a pair before it contains NULL, the result is NULL.
/// SQL: `(a, b) <= (?, ?)`
public func <= <A: OrderedColumnValue, B: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) <= right
}

/// Tests whether the left tuple is less than or equal to the right tuple. The first pair of
/// different elements decides. If this pair or a pair before it contains NULL, the result is NULL.
/// SQL: `(a, b, c) <= (?, ?, ?)`
public func <= <A: OrderedColumnValue, B: OrderedColumnValue, C: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) <= right
}

/// Tests whether the left tuple is greater than or equal to the right tuple. The first pair of
/// different elements decides. If this pair or a pair before it contains NULL, the result is NULL.
/// SQL: `(a, b) >= (?, ?)`
public func >= <A: OrderedColumnValue, B: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) >= right
}

/// Tests whether the left tuple is greater than or equal to the right tuple. The first pair of
/// different elements decides. If this pair or a pair before it contains NULL, the result is NULL.
/// SQL: `(a, b, c) >= (?, ?, ?)`
public func >= <A: OrderedColumnValue, B: OrderedColumnValue, C: OrderedColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) >= right
}

/// Tests whether both tuples are equal; nil equals nil.
/// SQL: `(a, b) = (?, ?)`, or `(a, b) IS (?, ?)` if an element is optional
public func == <A: ColumnValue, B: ColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) == right
}

/// Tests whether both tuples are equal; nil equals nil.
/// SQL: `(a, b, c) = (?, ?, ?)`, or `(a, b, c) IS (?, ?, ?)` if an element is optional
public func == <A: ColumnValue, B: ColumnValue, C: ColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) == right
}

/// Tests whether the tuples differ; nil equals nil.
/// SQL: `(a, b) <> (?, ?)`, or `(a, b) IS NOT (?, ?)` if an element is optional
public func != <A: ColumnValue, B: ColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>), right: (A, B)
) -> SQLPredicate {
  RowValue(left.0, left.1) != right
}

/// Tests whether the tuples differ; nil equals nil.
/// SQL: `(a, b, c) <> (?, ?, ?)`, or `(a, b, c) IS NOT (?, ?, ?)` if an element is optional
public func != <A: ColumnValue, B: ColumnValue, C: ColumnValue>(
  left: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), right: (A, B, C)
) -> SQLPredicate {
  RowValue(left.0, left.1, left.2) != right
}
