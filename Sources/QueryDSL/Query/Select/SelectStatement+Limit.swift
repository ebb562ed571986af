import SQLCore

extension SelectStatement {
  /// Sets the limit. A second limit is an error, and so is a negative one, which SQL takes as no
  /// limit.
  @usableFromInline
  mutating func setLimit(_ count: Int) {
    if limit != nil { note(QueryError("LIMIT is given twice")) }
    if count < 0 { note(QueryError("LIMIT is negative: \(count)")) }
    limit = .number(count)
  }

  /// Sets the offset. A second offset and a negative one are errors.
  @usableFromInline
  mutating func setOffset(_ count: Int) {
    if offset != nil { note(QueryError("OFFSET is given twice")) }
    if count < 0 { note(QueryError("OFFSET is negative: \(count)")) }
    offset = .number(count)
  }

  /// Sets the limit to a parameter of a prepared query.
  mutating func setLimit(_ count: SQLExpression<Int>) {
    if limit != nil { note(QueryError("LIMIT is given twice")) }
    limit = rowCount(count, "LIMIT")
  }

  /// Sets the offset to a parameter of a prepared query.
  mutating func setOffset(_ count: SQLExpression<Int>) {
    if offset != nil { note(QueryError("OFFSET is given twice")) }
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
