import SQLCore

/// A condition in SQL, as a tree. The commonest one, a column beside a value, needs no allocation.
@usableFromInline
package enum PredicateNode: Sendable {
  case compareColumn(SQLToken, ColumnID, BoundValue)
  indirect case compare(SQLToken, ExpressionNode, ExpressionNode)
  indirect case and(PredicateNode, PredicateNode)
  indirect case or(PredicateNode, PredicateNode)
  indirect case not(PredicateNode)
  case all([PredicateNode])
  case any([PredicateNode])
  indirect case like(ExpressionNode, pattern: BoundValue, escape: BoundValue?)
  indirect case between(ExpressionNode, ExpressionNode, ExpressionNode)
  /// `containsNull` is there for a nullable expression: NULL is in the list only if nil is.
  indirect case isIn(ExpressionNode, BoundValue, containsNull: BoundValue?)
  indirect case isInQuery(ExpressionNode, SelectStatement)
  indirect case exists(SelectStatement)
  case fragment(SQL)
  case invalid(QueryError)
}

extension PredicateNode {
  package func write<Sink: QuerySink>(to sink: inout Sink) throws {
    switch self {
    case .compareColumn(let sign, let column, let value):
      try sink.column(column)
      try sink.token(sign)
      try sink.value(value)
    case .compare(let sign, let left, let right):
      try left.writeOperand(to: &sink)
      try sink.token(sign)
      try right.writeOperand(to: &sink)
    case .and(let left, let right):
      try left.writeOperand(to: &sink, inside: .and)
      try sink.token(.and)
      try right.writeOperand(to: &sink, inside: .and)
    case .or(let left, let right):
      try left.writeOperand(to: &sink, inside: .or)
      try sink.token(.or)
      try right.writeOperand(to: &sink, inside: .or)
    case .not(let operand):
      try sink.token(.not)
      try sink.token(.open)
      try operand.write(to: &sink)
      try sink.token(.close)
    case .all(let operands): try Self.write(operands, joinedBy: .and, ifEmpty: .one, to: &sink)
    case .any(let operands): try Self.write(operands, joinedBy: .or, ifEmpty: .zero, to: &sink)
    case .like(let subject, let pattern, let escape):
      try subject.writeOperand(to: &sink)
      try sink.token(.like)
      try sink.value(pattern)
      if let escape {
        try sink.token(.escape)
        try sink.value(escape)
      }
    case .between(let subject, let lower, let upper):
      try subject.writeOperand(to: &sink)
      try sink.token(.between)
      try lower.writeOperand(to: &sink)
      try sink.token(.and)
      try upper.writeOperand(to: &sink)
    case .isIn(let subject, let values, let containsNull):
      try writeIsIn(subject, values, containsNull, to: &sink)
    case .isInQuery(let subject, let query):
      try subject.writeOperand(to: &sink)
      try sink.token(.in)
      try sink.token(.open)
      try query.write(to: &sink)
      try sink.token(.close)
    case .exists(let query):
      try sink.token(.exists)
      try sink.token(.open)
      try query.write(to: &sink)
      try sink.token(.close)
    case .fragment(let sql): try sink.fragment(sql)
    case .invalid(let error): throw error
    }
  }

  /// Whether it stands beside AND or OR without parentheses.
  private func isSafe(inside connective: SQLToken) -> Bool {
    switch self {
    case .compareColumn, .compare, .like, .isInQuery, .exists, .invalid:
      true
    case .isIn(_, _, let containsNull): containsNull == nil
    case .and: connective == .and
    case .or: connective == .or
    case .all(let operands): Self.areSafe(operands, joinedBy: .and, inside: connective)
    case .any(let operands): Self.areSafe(operands, joinedBy: .or, inside: connective)
    case .not: true
    case .between, .fragment: false
    }
  }

  /// Of several, their own connective counts; one alone is written as it is; none is a constant.
  private static func areSafe(
    _ operands: [PredicateNode], joinedBy own: SQLToken, inside connective: SQLToken
  ) -> Bool {
    switch operands.count {
    case 0: true
    case 1: operands[0].isSafe(inside: connective)
    default: own == connective
    }
  }

  func writeOperand<Sink: QuerySink>(to sink: inout Sink, inside connective: SQLToken) throws {
    if isSafe(inside: connective) { return try write(to: &sink) }
    try sink.token(.open)
    try write(to: &sink)
    try sink.token(.close)
  }

  static func write<Sink: QuerySink>(
    _ operands: [PredicateNode], joinedBy connective: SQLToken, ifEmpty: SQLToken,
    to sink: inout Sink
  ) throws {
    guard !operands.isEmpty else { return try sink.token(ifEmpty) }
    if operands.count == 1 { return try operands[0].write(to: &sink) }
    for index in operands.indices {
      if index > 0 { try sink.token(connective) }
      try operands[index].writeOperand(to: &sink, inside: connective)
    }
  }

  private func writeIsIn<Sink: QuerySink>(
    _ subject: ExpressionNode, _ values: BoundValue, _ containsNull: BoundValue?,
    to sink: inout Sink
  ) throws {
    guard let containsNull else {
      return try Self.writeMembership(subject, values, to: &sink)
    }
    // `NULL IN (…)` is NULL, and so is its negation: the two halves are true or false whatever the
    // column holds, and each uses an index.
    try sink.token(.open)
    try subject.writeOperand(to: &sink)
    try sink.token(.isNotNull)
    try sink.token(.and)
    try Self.writeMembership(subject, values, to: &sink)
    try sink.token(.close)
    try sink.token(.or)
    try sink.token(.open)
    try subject.writeOperand(to: &sink)
    try sink.token(.isNull)
    try sink.token(.and)
    try sink.value(containsNull)
    try sink.token(.close)
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
}
