import SQLCore

extension SelectStatement {
  /// The limit, once; a negative one, which SQL takes for none, is refused.
  @usableFromInline
  mutating func setLimit(_ count: Int) {
    if limit != nil { problem = problem ?? QueryError("LIMIT is given twice") }
    if count < 0 { problem = problem ?? QueryError("LIMIT is negative: \(count)") }
    limit = BoundValue(count)
  }

  /// The offset, once.
  @usableFromInline
  mutating func setOffset(_ count: Int) {
    if offset != nil { problem = problem ?? QueryError("OFFSET is given twice") }
    if count < 0 { problem = problem ?? QueryError("OFFSET is negative: \(count)") }
    offset = BoundValue(count)
  }
}
