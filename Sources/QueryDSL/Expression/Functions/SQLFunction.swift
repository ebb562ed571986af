import SQLCore

/// An SQL function, built in or registered by the program, with the types of its result and of its
/// arguments.
///
/// ```swift
/// let soundex = SQLFunction<String, String>("soundex")     // the result, then each argument
///
/// Author.where { soundex($0.$name) == soundex(SQLExpression("Jane")) }
/// // … WHERE "soundex"("name") = "soundex"(?)
/// ```
///
/// Arguments may be expressions, conditions and Swift values: `soundex("Jane")`. Declare a function
/// without a result as `SQLFunction<Never?, String>`.
///
/// The compiler cannot check the declaration. A function that does not exist throws `DatabaseError`
/// when the query runs; a result of another type throws `ColumnValueError` when it is read.
public struct SQLFunction<Result: ColumnValue, each Argument: ColumnValue>: Sendable {
  private let name: String

  /// Declares a function by its name. The name is quoted in SQL.
  public init(_ name: String) {
    self.name = Identifier(name).quoted
  }

  /// Returns a call of the function. SQL: `f(a, b)`
  public func callAsFunction(
    _ arguments: repeat SQLExpression<each Argument>
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.function(name, expressionNodes(repeat each arguments)))
  }

  /// Returns a call of the function in which some arguments are values. SQL: `f(a, ?)`
  @_disfavoredOverload
  public func callAsFunction<each Operand: Selectable>(
    _ arguments: repeat each Operand
  ) -> SQLExpression<Result> where repeat (each Operand).Selected == each Argument {
    SQLExpression<Result>(.function(name, operandNodes(repeat each arguments)))
  }
}

/// Returns the nodes of a function's arguments, which may be expressions and values.
private func operandNodes<each Operand: Selectable>(
  _ operands: repeat each Operand
) -> [ExpressionNode] {
  var nodes: [ExpressionNode] = []
  for operand in repeat each operands {
    switch operand.selectItem.term {
    case .expression(let node), .aliased(let node, _): nodes.append(node)
    case .table:
      nodes.append(
        .invalid(QueryError("a table is no argument of a function; name a column of it")))
    }
  }
  return nodes
}

/// Returns the nodes of a function's arguments, which are all expressions.
func expressionNodes<each Value: ColumnValue>(
  _ expressions: repeat SQLExpression<each Value>
) -> [ExpressionNode] {
  var nodes: [ExpressionNode] = []
  for expression in repeat each expressions { nodes.append(expression.node) }
  return nodes
}

/// An SQL aggregate, built in or registered by the program, with the types of its result and of its
/// arguments.
///
/// ```swift
/// let median = SQLAggregate<Double?, Double>("median")
///
/// Track.select { median($0.$price).filter($0.$isLive == true) }
/// // SELECT "median"("price") FILTER (WHERE "isLive" = 1) FROM "Track"
/// ```
public struct SQLAggregate<Result: ColumnValue, each Argument: ColumnValue>: Sendable {
  private let name: String

  /// Declares an aggregate by its name. The name is quoted in SQL.
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

  /// Returns a call of the aggregate in which some arguments are values. SQL: `f(a, ?)`
  @_disfavoredOverload
  public func callAsFunction<each Operand: Selectable>(
    _ arguments: repeat each Operand, distinct: Bool = false
  ) -> SQLExpression<Result> where repeat (each Operand).Selected == each Argument {
    SQLExpression<Result>(
      .aggregate(name, operandNodes(repeat each arguments), distinct: distinct))
  }
}
