import SQLCore

// In SQL `NULL IN (…)` is NULL, and so are its negation and `1 IN (2, NULL)`. On optionals `isIn`
// follows Swift instead: nil is in the list if the list contains nil. So it is written as two
// halves, joined by OR. Each is true or false whatever the column holds, and each can use an index.

extension PredicateTree {
  static func writeIsIn<Sink: QuerySink>(
    _ subject: ExpressionNode, _ values: BoundValue, _ containsNull: BoundValue?,
    to sink: inout Sink
  ) throws {
    guard let containsNull else {
      return try writeMembership(subject, values, to: &sink)
    }
    try subject.writeOperand(to: &sink)
    try sink.token(.isNotNull)
    try sink.token(.and)
    try writeMembership(subject, values, to: &sink)
    try sink.token(.or)
    try subject.writeOperand(to: &sink)
    try sink.token(.isNull)
    try sink.token(.and)
    try sink.value(containsNull)
  }

  private static func writeMembership<Sink: QuerySink>(
    _ subject: ExpressionNode, _ values: BoundValue, to sink: inout Sink
  ) throws {
    try subject.writeOperand(to: &sink)
    try sink.token(.in)
    try sink.token(.open)
    try sink.token(.arrayValues)
    try sink.token(.open)
    try sink.value(values)
    try sink.token(.close)
    try sink.token(.close)
  }

  static func writeIsIn<Sink: QuerySink>(
    _ subject: ExpressionNode, _ query: SelectStatement, to sink: inout Sink
  ) throws {
    try subject.writeOperand(to: &sink)
    try sink.token(.in)
    try sink.token(.open)
    try query.write(to: &sink)
    try sink.token(.close)
  }

  static func writeIsInNullable<Sink: QuerySink>(
    _ subject: ExpressionNode, _ query: SelectStatement, to sink: inout Sink
  ) throws {
    let named = query.naming("value")
    try subject.writeOperand(to: &sink)
    try sink.token(.isNotNull)
    try sink.token(.and)
    try subject.writeOperand(to: &sink)
    try sink.token(.in)
    try sink.token(.open)
    try sink.token(.selectValueFrom)
    try named.write(to: &sink)
    try sink.token(.valueIsNotNull)
    try sink.token(.close)
    try sink.token(.or)
    try subject.writeOperand(to: &sink)
    try sink.token(.isNull)
    try sink.token(.and)
    try sink.token(.exists)
    try sink.token(.open)
    try sink.token(.selectValueFrom)
    try named.write(to: &sink)
    try sink.token(.valueIsNull)
    try sink.token(.close)
  }
}

extension SelectStatement {
  /// Returns the statement with a name for its only column.
  func naming(_ name: String) -> SelectStatement {
    var named = self
    if let compound = extras?.content.compound {
      named.changeExtras {
        $0.compound = CompoundNode(first: compound.first.naming(name), others: compound.others)
      }
    }
    switch selection {
    case .terms(let terms) where terms.count == 1:
      switch terms[0] {
      case .expression(let node), .aliased(let node, _):
        named.selection = .terms([.aliased(node, name)])
      case .table: break
      }
    default: break
    }
    return named
  }
}
