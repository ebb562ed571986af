import SQLCore

/// A SELECT as a tree.
@usableFromInline
package struct SelectStatement: Sendable {
  /// What stands behind SELECT.
  @usableFromInline
  package enum Selection: Sendable {
    case table(TableID)
    case terms([SelectTerm])
  }

  /// One of several things behind SELECT.
  @usableFromInline
  package enum SelectTerm: Sendable {
    case table(TableID)
    case expression(ExpressionNode)
    case aliased(ExpressionNode, String)
  }

  package struct Join: Sendable {
    package let kind: SQLToken
    package let table: TableID
    package let condition: PredicateNode
  }

  package struct OrderTerm: Sendable {
    package let expression: ExpressionNode
    package let isDescending: Bool
  }

  package var selection: Selection
  package var isDistinct = false
  package var from: TableID
  package var joins: [Join] = []
  package var predicates: [PredicateNode] = []
  package var groups: [ExpressionNode] = []
  package var having: [PredicateNode] = []
  package var order: [OrderTerm] = []
  package var limit: BoundValue?
  package var offset: BoundValue?
  /// What the compiler could not see, thrown when the query would be rendered.
  package var problem: QueryError?

  @usableFromInline
  package init(selection: Selection, from: TableID) {
    self.selection = selection
    self.from = from
  }

  /// The greatest number of rows that the limit lets through.
  @usableFromInline var maximumRowCount: Int {
    guard case .value(.integer(let count)) = limit else { return .max }
    return Int(truncatingIfNeeded: count)
  }

  /// Adds predicates that must hold as well.
  @usableFromInline
  mutating func add(_ lines: [SQLPredicate]) {
    for line in lines { predicates.append(line.node) }
  }

  /// Orders by one more expression.
  @usableFromInline
  mutating func addOrder(_ expression: ExpressionNode, _ direction: SortDirection) {
    order.append(OrderTerm(expression: expression, isDescending: direction == .descending))
  }

  /// The tables, in the order of FROM and its joins.
  package var tables: [TableID] {
    joins.isEmpty ? [from] : [from] + joins.map(\.table)
  }
}

extension SelectStatement: Renderable {
  package func write<Sink: QuerySink>(to sink: inout Sink) throws {
    try write(to: &sink, countingRows: false)
  }

  /// Writes the statement, or what counts its rows. No closure holds the statement here: that would
  /// be a copy of it each time that a query runs.
  func write<Sink: QuerySink>(to sink: inout Sink, countingRows: Bool) throws {
    if let problem { throw problem }
    try sink.openScope(tables)
    try sink.token(.select)
    if isDistinct { try sink.token(.distinct) }
    if countingRows { try sink.token(.countStar) } else { try writeSelection(to: &sink) }
    try sink.token(.from)
    try sink.table(from)
    for join in joins {
      try sink.token(join.kind)
      try sink.table(join.table)
      try sink.token(.on)
      try join.condition.write(to: &sink)
    }
    try Self.write(predicates, behind: .where, to: &sink)
    for index in groups.indices {
      try sink.token(index == 0 ? .groupBy : .comma)
      try groups[index].write(to: &sink)
    }
    try Self.write(having, behind: .having, to: &sink)
    for index in order.indices {
      try sink.token(index == 0 ? .orderBy : .comma)
      try order[index].expression.write(to: &sink)
      try sink.token(order[index].isDescending ? .descending : .ascending)
    }
    try writeLimit(to: &sink)
    try sink.closeScope()
  }

  private func writeSelection<Sink: QuerySink>(to sink: inout Sink) throws {
    switch selection {
    case .table(let table): try sink.allColumns(of: table)
    case .terms(let terms):
      for (index, term) in terms.enumerated() {
        if index > 0 { try sink.token(.comma) }
        switch term {
        case .table(let table): try sink.allColumns(of: table)
        case .expression(let expression): try expression.write(to: &sink)
        case .aliased(let expression, let alias):
          try expression.write(to: &sink)
          try sink.token(.as)
          try sink.alias(alias)
        }
      }
    }
  }

  private func writeLimit<Sink: QuerySink>(to sink: inout Sink) throws {
    if let limit {
      try sink.token(.limit)
      try sink.value(limit)
    } else if offset != nil {
      try sink.token(.noLimit)
    }
    if let offset {
      try sink.token(.offset)
      try sink.value(offset)
    }
  }

  static func write<Sink: QuerySink>(
    _ predicates: [PredicateNode], behind keyword: SQLToken, to sink: inout Sink
  ) throws {
    guard !predicates.isEmpty else { return }
    try sink.token(keyword)
    try PredicateNode.write(predicates, joinedBy: .and, ifEmpty: .one, to: &sink)
  }
}

/// A query asked how many rows it gives.
struct CountStatement: Renderable {
  let query: SelectStatement

  /// Whether the rows are those of the tables, so that they can be counted where they are.
  private var isPlain: Bool {
    !query.isDistinct && query.groups.isEmpty && query.having.isEmpty && query.limit == nil
      && query.offset == nil && !query.selectsAggregate
  }

  func write<Sink: QuerySink>(to sink: inout Sink) throws {
    if isPlain {
      var plain = query
      plain.order = []
      return try plain.write(to: &sink, countingRows: true)
    }
    try sink.token(.select)
    try sink.token(.countStar)
    try sink.token(.from)
    try sink.token(.open)
    try query.write(to: &sink)
    try sink.token(.close)
  }
}

/// A query asked whether it gives any row.
struct ExistsStatement: Renderable {
  let query: SelectStatement

  func write<Sink: QuerySink>(to sink: inout Sink) throws {
    try sink.token(.select)
    try sink.token(.exists)
    try sink.token(.open)
    try query.write(to: &sink)
    try sink.token(.close)
  }
}

extension SelectStatement {
  /// Whether something behind SELECT may be an aggregate, which gives one row where there is none.
  fileprivate var selectsAggregate: Bool {
    guard case .terms(let terms) = selection else { return false }
    return terms.contains { term in
      switch term {
      case .table, .expression(.column), .aliased(.column, _): return false
      case .expression, .aliased: return true
      }
    }
  }
}
