import SQLCore

/// Returns a table of integers from `start` to `end`, both included.
///
/// ```swift
/// let days = try db.fetch(generateSeries(0, through: 30, by: 10).all.select(\.$value))
/// // SELECT "value" FROM "generate_series"(?, ?, ?)          [0, 10, 20, 30]
/// ```
/// A negative step counts downwards; a step of 0 counts as 1. There are no rows if `end` is not in
/// the direction of the step. Each connection of Apus has the function.
/// - SeeAlso: <https://www.sqlite.org/series.html>
public func generateSeries(
  _ start: Int, through end: Int, by step: Int = 1
) -> TableFunctionCall<SeriesElement> {
  generateSeries(SQLExpression(start), through: SQLExpression(end), by: SQLExpression(step))
}

/// Returns a table of integers whose end depends on the tables before it.
/// SQL: `"generate_series"(?, "Order"."amount", ?)`
public func generateSeries(
  _ start: Int, through end: SQLExpression<Int>, by step: Int = 1
) -> TableFunctionCall<SeriesElement> {
  generateSeries(SQLExpression(start), through: end, by: SQLExpression(step))
}

/// Returns a table of integers that depend on the tables before it.
/// SQL: `"generate_series"("Range"."first", "Range"."last", ?)`
public func generateSeries(
  _ start: SQLExpression<Int>, through end: SQLExpression<Int>,
  by step: SQLExpression<Int> = SQLExpression(1)
) -> TableFunctionCall<SeriesElement> {
  TableFunctionCall(name: "generate_series", arguments: [start.node, end.node, step.node])
}
