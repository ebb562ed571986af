import SQLCore

extension SelectStatement {
  /// Replaces the limit; nil removes it. A negative one, which SQL takes as no limit, is an error.
  @usableFromInline
  mutating func setLimit(_ count: Int?) {
    if let count, count < 0 { note(QueryError("LIMIT is negative: \(count)")) }
    limit = count.map { .number($0) }
  }

  /// Replaces the offset; nil removes it. A negative one is an error.
  @usableFromInline
  mutating func setOffset(_ count: Int?) {
    if let count, count < 0 { note(QueryError("OFFSET is negative: \(count)")) }
    offset = count.map { .number($0) }
  }

  /// Replaces the limit by a parameter of a prepared query.
  mutating func setLimit(_ count: SQLExpression<Int>) {
    limit = rowCount(count, "LIMIT")
  }

  /// Replaces the offset by a parameter of a prepared query.
  mutating func setOffset(_ count: SQLExpression<Int>) {
    offset = rowCount(count, "OFFSET")
  }

  private mutating func rowCount(_ count: SQLExpression<Int>, _ clause: String) -> RowCount {
    if case .parameter(let parameter) = count.node {
      switch parameter.bound(as: .standard, part: .rowCount) {
      case .argument(let argument): return .argument(argument)
      case .value(.integer(let count)):
        if count < 0 { note(QueryError("\(clause) is negative: \(count)")) }
        return .number(Int(clamping: count))
      default: break
      }
    }
    note(QueryError("\(clause) takes a number or a parameter of `prepare`"))
    return .number(0)
  }
}

/// The number of rows in LIMIT or OFFSET.
///
/// It is smaller than a `BoundValue`, and a number is copied without reference counting.
package enum RowCount: Sendable {
  case number(Int)
  /// A parameter of a prepared query.
  case argument(BoundArgument)

  /// The value to bind.
  var bound: BoundValue {
    switch self {
    case .number(let count): .value(.integer(Int64(count)))
    case .argument(let argument): .argument(argument)
    }
  }
}
