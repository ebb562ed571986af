import SQLCore

/// An SQL aggregate, built in or registered by the program, with its types.
///
/// ```swift
/// let median = SQLAggregate<Double?, Double>("median")
///
/// Track.select { median($0.$price).filter($0.$isLive == true) }
/// // SELECT "median"("price") FILTER (WHERE "isLive" = 1) FROM "Track"
/// ```
public struct SQLAggregate<Result: ColumnValue, each Argument: ColumnValue>: Sendable {
  private let name: String

  /// Declares the aggregate with that name, which is written in quotation marks.
  public init(_ name: String) {
    self.name = Identifier(name).quoted
  }

  /// Returns a call of the aggregate; `filter` and `over` may follow. SQL: `f(a)`, `f(DISTINCT a)`
  public func callAsFunction(
    _ arguments: repeat SQLExpression<each Argument>, distinct: Bool = false
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(
      .aggregate(name, expressionNodes(repeat each arguments), distinct: distinct))
  }
}
