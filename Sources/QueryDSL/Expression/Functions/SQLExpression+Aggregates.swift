import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// If there are no rows, every aggregate except `count` and `total` is NULL, so its result is
// optional. With `distinct`, each value counts once. `filter` and `over` may follow an aggregate.
// https://www.sqlite.org/lang_aggfunc.html

extension SQLExpression {
  /// Counts the rows in which the expression is not NULL. SQL: `count(a)`, `count(DISTINCT a)`
  public func count(distinct: Bool = false) -> SQLExpression<Int> {
    SQLExpression<Int>(.aggregate("count", [distinct ? collatedNode : node], distinct: distinct))
  }

  /// Restricts an aggregate to the rows for which a predicate holds.
  /// SQL: `count(a) FILTER (WHERE b)`
  ///
  /// `filter` must directly follow an aggregate, before `over`. Elsewhere it throws `QueryError`
  /// when the query is rendered. A second filter is combined with the first by AND.
  public func filter(_ predicate: SQLPredicate) -> SQLExpression {
    SQLExpression(
      node.changingCall(for: "FILTER") { call in
        if call.window != nil { return QueryError("FILTER must be written before OVER") }
        call.filter = call.filter.map { .and($0, predicate.node) } ?? predicate.node
        return nil
      }, form: form)
  }
}

extension Columns {
  /// Counts the rows. SQL: `count(*)`
  public func count() -> SQLExpression<Int> {
    SQLExpression(.countOfRows)
  }

  /// Counts the different values that are not NULL. SQL: `count(DISTINCT a)`
  public func count<Value: ColumnValue>(
    distinct expression: SQLExpression<Value>
  ) -> SQLExpression<Int> {
    expression.count(distinct: true)
  }
}

// `min` and `max` have two overloads each, and for an optional value, both match. The compiler then
// prefers the overload whose result is `Value` instead of `Value?`.

extension SQLExpression where Value: OrderedColumnValue {
  /// Returns the least value; NULL if there are no rows. SQL: `min(a)`
  @_disfavoredOverload
  public func min() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.aggregate("min", [collatedNode]), form: form)
  }

  /// Returns the greatest value; NULL if there are no rows. SQL: `max(a)`
  @_disfavoredOverload
  public func max() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.aggregate("max", [collatedNode]), form: form)
  }

  /// Returns the least value that is not NULL. SQL: `min(a)`
  public func min<Wrapped>() -> SQLExpression<Value> where Value == Wrapped? {
    SQLExpression(.aggregate("min", [collatedNode]), form: form)
  }

  /// Returns the greatest value that is not NULL. SQL: `max(a)`
  public func max<Wrapped>() -> SQLExpression<Value> where Value == Wrapped? {
    SQLExpression(.aggregate("max", [collatedNode]), form: form)
  }
}

extension SQLExpression where Value: AdditiveColumnValue & Numeric {
  /// Returns the sum; NULL if there are no rows. SQL: `sum(a)`, or `decimal_sum(a)` for decimals
  ///
  /// A sum of integers that exceeds 64 bits throws `DatabaseError` when the query runs.
  public func sum(distinct: Bool = false) -> SQLExpression<Value?> {
    SQLExpression<Value?>(sum(by: Value.arithmetic, distinct))
  }
}

extension SQLExpression where Value: ArithmeticColumnValue {
  /// Returns the mean of the values that are not NULL. SQL: `avg(a)`
  public func avg(distinct: Bool = false) -> SQLExpression<Double?> {
    SQLExpression<Double?>(.aggregate("avg", [node], distinct: distinct))
  }

  /// Returns the sum as a REAL; 0.0 if there are no rows. SQL: `total(a)`
  public func total(distinct: Bool = false) -> SQLExpression<Double> {
    SQLExpression<Double>(.aggregate("total", [node], distinct: distinct))
  }
}

// Decimals have no `avg`: SQL's mean would be a rounded Double, and an exact mean rarely has a
// finite number of digits. The sum is exact.

extension SQLExpression where Value == Decimal {
  /// Returns the exact sum; 0 if there are no rows. SQL: `ifnull(decimal_sum(a), ?)`
  public func total(distinct: Bool = false) -> SQLExpression<Decimal> {
    sum(distinct: distinct).ifNull(0)
  }

  /// Not available: the mean of decimals rarely has a finite number of digits.
  @available(
    *, unavailable,
    message: "SQL has no exact mean of decimal numbers: divide sum() by count() in Swift"
  )
  public func avg(distinct: Bool = false) -> SQLExpression<Decimal?> { optional }
}

extension SQLExpression where Value == Decimal? {
  /// Returns the exact sum of the values that are not NULL; 0 if there are no rows.
  /// SQL: `ifnull(decimal_sum(a), ?)`
  public func total(distinct: Bool = false) -> SQLExpression<Decimal> {
    sum(distinct: distinct).ifNull(0)
  }

  /// Not available: the mean of decimals rarely has a finite number of digits.
  @available(
    *, unavailable,
    message: "SQL has no exact mean of decimal numbers: divide sum() by count() in Swift"
  )
  public func avg(distinct: Bool = false) -> SQLExpression<Decimal?> { self }
}

extension SQLExpression {
  /// Returns the sum of the values that are not NULL.
  /// SQL: `sum(a)`, or `decimal_sum(a)` for decimals
  public func sum<Wrapped: AdditiveColumnValue & Numeric>(
    distinct: Bool = false
  ) -> SQLExpression<Value> where Value == Wrapped? {
    SQLExpression(sum(by: Wrapped.arithmetic, distinct))
  }

  private func sum(by functions: ArithmeticFunctions?, _ isDistinct: Bool) -> ExpressionNode {
    .aggregate(
      functions?.sum ?? "sum", [isDistinct ? collatedNode : node], distinct: isDistinct)
  }
}

extension SQLExpression {
  /// Joins the values as texts, in an order that SQL does not define. SQL: `group_concat(a, ?)`
  ///
  /// SQLite converts numbers to text. A date or a UUID is joined as its column stores it.
  public func groupConcat(_ separator: String = ",") -> SQLExpression<String?> {
    SQLExpression<String?>(.aggregate("group_concat", [node, .value(BoundValue(separator))]))
  }

  /// Joins the values as texts. The separator is an expression, such as a column: each value except
  /// the first is joined with the separator of its own row, which stands before the value.
  /// SQL: `group_concat(a, b)`
  ///
  /// SQL does not define the order. If the separator is NULL, nothing stands between the values.
  public func groupConcat(_ separator: SQLExpression<String>) -> SQLExpression<String?> {
    SQLExpression<String?>(.aggregate("group_concat", [node, separator.node]))
  }

  /// Joins the different values as texts with commas, in an order that SQL does not define.
  ///
  /// SQL: `group_concat(DISTINCT a)`. SQLite allows no separator with DISTINCT.
  public func groupConcatDistinct() -> SQLExpression<String?> {
    SQLExpression<String?>(.aggregate("group_concat", [collatedNode], distinct: true))
  }
}

/// An aggregate of a live query, such as `avg(a)`. Three properties return further aggregates, such
/// as `sum(a)` and `count(a)`. With their values, a live query can update `avg(a)` without reading
/// all rows again.
package struct AggregateNode: Sendable {
  package let node: ExpressionNode
  /// The name of the function, in lower case.
  package let name: String
  /// The argument, if the aggregate has exactly one; otherwise nil.
  package let argument: ExpressionNode?
  package let isDistinct: Bool
  package let filter: PredicateNode?

  /// Creates the aggregate that an expression calls. Returns nil if the expression itself is not a
  /// call of an aggregate, such as `avg(a) + 1`.
  package init?(_ node: ExpressionNode) {
    self.node = node
    switch node {
    case .countOfRows:
      (name, argument, isDistinct, filter) = ("count", nil, false, nil)
    case .tree(.call(let call), _) where call.kind == .aggregate && call.window == nil:
      name = call.name.lowercasedASCII
      argument = call.arguments?.count == 1 ? call.arguments?.first : nil
      isDistinct = call.isDistinct
      filter = call.filter
    default: return nil
    }
  }

  /// Returns a call of another aggregate function, such as `count(a)`, with the same FILTER.
  private func call(_ name: String, _ argument: ExpressionNode) -> ExpressionNode {
    .call(FunctionCall(kind: .aggregate, name: name, arguments: [argument], filter: filter))
  }

  /// `count(a)`, which counts the rows in which the argument is not NULL.
  package var countOfValues: ExpressionNode? { argument.map { call("count", $0) } }

  /// `sum(a)`, which is an INTEGER if all values of the argument are INTEGERs.
  package var sumOfValues: ExpressionNode? { argument.map { call("sum", $0) } }

  /// `total(abs(a * 1.0))`: the sum of the argument's absolute values, as a REAL.
  package var totalMagnitude: ExpressionNode? {
    argument.map { call("total", .function("abs", [.binary(.times, $0, .constant("1.0"))])) }
  }
}

extension ExpressionNode {
  /// Whether the expression contains an aggregate without OVER, such as `sum(a)`, which turns many
  /// rows into one row. Calls in raw SQL are ignored.
  var containsAggregate: Bool { first { $0.isAggregate ? true : nil } ?? false }

  /// Whether the expression contains an aggregate or a window function. Calls in raw SQL are
  /// ignored.
  var containsAggregateOrWindow: Bool { first { $0.isCall ? true : nil } ?? false }

  private var isAggregate: Bool {
    switch self {
    case .countOfRows: true
    case .tree(.call(let call), _): call.kind == .aggregate && call.window == nil
    default: false
    }
  }

  private var isCall: Bool {
    switch self {
    case .countOfRows, .tree(.call, _): true
    default: false
    }
  }
}
