import SQLCore

extension SelectStatement {
  /// Replaces the limit; nil removes the limit. A negative limit is an error here, although in SQL
  /// it means that there is no limit.
  @usableFromInline
  mutating func setLimit(_ count: Int?) {
    if let count, count < 0 { note(QueryError("LIMIT is negative: \(count)")) }
    limit = count.map { .number($0) }
  }

  /// Replaces the offset; nil removes the offset. A negative offset is an error.
  @usableFromInline
  mutating func setOffset(_ count: Int?) {
    if let count, count < 0 { note(QueryError("OFFSET is negative: \(count)")) }
    offset = count.map { .number($0) }
  }

  /// Replaces the limit by an expression, such as a parameter of a prepared query.
  mutating func setLimit(_ count: SQLExpression<Int>) {
    limit = rowCount(count, "LIMIT")
    if case .expression = limit { changeExtras { $0.limit = count.node } }
  }

  /// Replaces the offset by an expression, such as a parameter of a prepared query.
  mutating func setOffset(_ count: SQLExpression<Int>) {
    offset = rowCount(count, "OFFSET")
    if case .expression = offset { changeExtras { $0.offset = count.node } }
  }

  private mutating func rowCount(_ count: SQLExpression<Int>, _ clause: String) -> RowCount {
    guard case .parameter(let parameter) = count.node else { return .expression }
    switch parameter.bound(as: .standard, part: .rowCount) {
    case .argument(let argument): return .argument(argument)
    case .value(.integer(let count)):
      if count < 0 { note(QueryError("\(clause) is negative: \(count)")) }
      return .number(Int(clamping: count))
    default: return .expression
    }
  }

  func writeLimit(to writer: inout ShapeWriter) {
    if let limit {
      writer.token(.limit)
      write(limit, extras?.content.limit, to: &writer)
    }
    if let offset {
      if limit == nil { writer.token(.noLimit) }
      writer.token(.offset)
      write(offset, extras?.content.offset, to: &writer)
    }
  }

  @inline(__always)
  private func write(
    _ count: RowCount, _ expression: ExpressionNode?, to writer: inout ShapeWriter
  ) {
    switch count {
    case .number(let count): writer.value(Int64(count))
    case .argument(let argument): writer.value(.argument(argument))
    case .expression: write(expression, to: &writer)
    }
  }

  /// Writes the expression of LIMIT or OFFSET. Such an expression cannot name columns of the query,
  /// so the query's tables are hidden from it.
  private func write(_ count: ExpressionNode?, to writer: inout ShapeWriter) {
    guard let count else { return }
    // In a compound query, the tables of the combined queries are already out of scope here.
    guard extras?.content.compound == nil else { return count.write(to: &writer) }
    writer.hideScope(true)
    count.write(to: &writer)
    writer.hideScope(false)
  }
}

/// The number of rows in LIMIT or OFFSET.
///
/// This type is smaller than a `BoundValue`, and is copied without reference counting.
package enum RowCount: Sendable {
  case number(Int)
  /// A parameter of a prepared query.
  case argument(BoundArgument)
  /// Another expression, which the statement's `SelectExtras` contain.
  case expression
}
