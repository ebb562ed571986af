import SQLCore

/// A function of SQL, built in or of your own, with its types: one line declares it.
///
/// ```swift
/// let soundex = SQLFunction<String, String>("soundex")     // the result, then each argument
///
/// Author.where { soundex($0.$name) == soundex(SQLExpression("Jane")) }
/// // … WHERE "soundex"("name") = "soundex"(?)
/// ```
///
/// That the function is there and gives what is declared, SQLite sees when the query runs.
public struct SQLFunction<Result: ColumnValue, each Argument: ColumnValue>: Sendable {
  private let name: String

  /// The function of that name, which is quoted.
  public init(_ name: String) {
    self.name = Identifier(name).quoted
  }

  /// A call. SQL: `f(a, b)`
  public func callAsFunction(
    _ arguments: repeat SQLExpression<each Argument>
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.function(name, nodes(repeat each arguments)))
  }
}

/// An aggregate of SQL, built in or of your own, with its types.
///
/// ```swift
/// let median = SQLAggregate<Double?, Double>("median")
///
/// Track.select { median($0.$price).filter($0.$isLive == true) }
/// // SELECT "median"("price") FILTER (WHERE "isLive" = ?) FROM "Track"
/// ```
public struct SQLAggregate<Result: ColumnValue, each Argument: ColumnValue>: Sendable {
  private let name: String

  /// The aggregate of that name, which is quoted.
  public init(_ name: String) {
    self.name = Identifier(name).quoted
  }

  /// A call; `filter` and `over` may follow. SQL: `f(a)`, `f(DISTINCT a)`
  public func callAsFunction(
    _ arguments: repeat SQLExpression<each Argument>, distinct: Bool = false
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.aggregate(name, nodes(repeat each arguments), distinct: distinct))
  }
}

private func nodes<each Value: ColumnValue>(
  _ expressions: repeat SQLExpression<each Value>
) -> [ExpressionNode] {
  var nodes: [ExpressionNode] = []
  for expression in repeat each expressions { nodes.append(expression.node) }
  return nodes
}
