import SQLCore

// Over no rows every aggregate but a count is NULL, so their results are optional. `distinct` takes
// each value once. What follows an aggregate: `filter` and `over`.
// https://www.sqlite.org/lang_aggfunc.html

extension SQLExpression {
  /// How many rows have a value that is not NULL. SQL: `count(a)`, `count(DISTINCT a)`
  public func count(distinct: Bool = false) -> SQLExpression<Int> {
    SQLExpression<Int>(.aggregate("count", [distinct ? collatedNode : node], distinct: distinct))
  }

  /// Only the rows for which a predicate holds. SQL: `count(a) FILTER (WHERE b)`
  ///
  /// It stands directly behind an aggregate; elsewhere it throws `QueryError` when the query is
  /// rendered.
  public func filter(_ predicate: SQLPredicate) -> SQLExpression {
    SQLExpression(
      node.changingCall(for: "FILTER") { call in
        if call.window != nil { return QueryError("FILTER stands before OVER") }
        call.filter = call.filter.map { .and($0, predicate.node) } ?? predicate.node
        return nil
      }, form: form)
  }
}

extension Columns {
  /// How many rows there are. SQL: `count(*)`
  public func count() -> SQLExpression<Int> {
    SQLExpression(.countOfRows)
  }

  /// How many values there are that are not NULL, each counted once. SQL: `count(DISTINCT a)`
  public func count<Value: ColumnValue>(
    distinct expression: SQLExpression<Value>
  ) -> SQLExpression<Int> {
    expression.count(distinct: true)
  }
}

// On an optional both overloads fit; the one that gives `Value` is meant, not an optional of one.

extension SQLExpression where Value: OrderedColumnValue {
  /// The least value. SQL: `min(a)`
  @_disfavoredOverload
  public func min() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.aggregate("min", [collatedNode]), form: form)
  }

  /// The greatest value. SQL: `max(a)`
  @_disfavoredOverload
  public func max() -> SQLExpression<Value?> {
    SQLExpression<Value?>(.aggregate("max", [collatedNode]), form: form)
  }

  /// The least value that is not NULL. SQL: `min(a)`
  public func min<Wrapped>() -> SQLExpression<Value> where Value == Wrapped? {
    SQLExpression(.aggregate("min", [collatedNode]), form: form)
  }

  /// The greatest value that is not NULL. SQL: `max(a)`
  public func max<Wrapped>() -> SQLExpression<Value> where Value == Wrapped? {
    SQLExpression(.aggregate("max", [collatedNode]), form: form)
  }
}

extension SQLExpression where Value: AdditiveColumnValue & Numeric {
  /// The sum; integers that leave 64 bits are an error. SQL: `sum(a)`, of decimals `decimal_sum(a)`
  public func sum(distinct: Bool = false) -> SQLExpression<Value?> {
    SQLExpression<Value?>(sum(by: Value.arithmetic, distinct))
  }
}

extension SQLExpression where Value: ArithmeticColumnValue {
  /// The mean of the values that are not NULL. SQL: `avg(a)`
  public func avg(distinct: Bool = false) -> SQLExpression<Double?> {
    SQLExpression<Double?>(.aggregate("avg", [node], distinct: distinct))
  }

  /// The sum as a REAL, 0.0 over no rows. SQL: `total(a)`
  public func total(distinct: Bool = false) -> SQLExpression<Double> {
    SQLExpression<Double>(.aggregate("total", [node], distinct: distinct))
  }
}

extension SQLExpression {
  /// The sum of the values that are not NULL. SQL: `sum(a)`, of decimals `decimal_sum(a)`
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

extension SQLExpression where Value: TextColumnValue {
  /// The texts one behind another, in no order that SQL says. SQL: `group_concat(a, ?)`
  public func groupConcat(_ separator: String = ",") -> SQLExpression<String?> {
    SQLExpression<String?>(.aggregate("group_concat", [node, .value(BoundValue(separator))]))
  }

  /// Each text once, with commas between them, in no order that SQL says.
  ///
  /// SQL: `group_concat(DISTINCT a)`; SQLite takes no separator beside DISTINCT.
  public func groupConcatDistinct() -> SQLExpression<String?> {
    SQLExpression<String?>(.aggregate("group_concat", [node], distinct: true))
  }
}
