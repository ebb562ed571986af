import SQLCore

/// A query of one model with the function that completes its rows, which are the models or the models
/// with their children; programs do not use it directly.
public struct _IncludedQuery<Root: Model, Row: Sendable>: Sendable {
  let query: TableQuery<Root, Root>
  let complete: @Sendable (ConnectionCore, [Root]) throws -> [Row]
}

/// The stored values that identify a parent: its key, and the columns with which children refer to
/// it.
enum RelationKey: Hashable {
  case one(DatabaseValue)
  case several([DatabaseValue])

  init(_ values: [DatabaseValue]) {
    self = values.count == 1 ? .one(values[0]) : .several(values)
  }

  /// Whether it refers to a row. A key with NULL does not.
  var isComplete: Bool {
    switch self {
    case .one(let value): !value.isNull
    case .several(let values): !values.contains(where: \.isNull)
    }
  }

  /// Returns the value of one of the columns.
  func value(at index: Int) -> DatabaseValue {
    switch self {
    case .one(let value): value
    case .several(let values): values[index]
    }
  }
}

extension _IncludedQuery {
  /// Returns the rows that belong to parents, by the stored values that refer to them. Costs one
  /// statement, plus those of what the rows themselves include.
  func rows(
    belongingTo keys: [RelationKey], by relation: Relation, on core: ConnectionCore
  ) throws -> [RelationKey: [Row]] {
    guard !keys.isEmpty else { return [:] }
    let (statement, limits) = try statement(keys, relation, numbers: true)
    let count = relation.owners.count
    let decoding = query.select.decoding
    let (models, owners) =
      if let limits {
        try core.models(
          of: NumberedRows(statement: statement, limits: limits), decoding, owners: count)
      } else {
        try core.models(of: statement, decoding, owners: count)
      }
    var rows: [RelationKey: [Row]] = [:]
    for (owner, row) in zip(owners, try complete(core, models)) {
      rows[owner, default: []].append(row)
    }
    return rows
  }

  /// Returns the rows of each parent if SQLite may compare different stored values as equal. Costs
  /// one statement more than `rows(belongingTo:by:on:)`, and limits are applied here, in memory.
  func rows(
    belongingTo keys: [RelationKey], asComparedBy relation: Relation, on core: ConnectionCore
  ) throws -> [[Row]] {
    let matches = try relation.matches(of: keys, on: core)
    guard !matches.isEmpty else { return keys.map { _ in [] } }
    let (statement, limits) = try statement(Array(matches.keys), relation, numbers: false)
    let (models, owners) = try core.models(
      of: statement, query.select.decoding, owners: relation.owners.count)
    var chosen: [[Int]] = Array(repeating: [], count: keys.count)
    for (place, owner) in owners.enumerated() {
      for parent in matches[owner] ?? [] { chosen[parent].append(place) }
    }
    if let limits { chosen = chosen.map(limits.apply) }
    let places = Set(chosen.joined()).sorted()
    let rows = try complete(core, places.map { models[$0] })
    let rowsByPlace = Dictionary(uniqueKeysWithValues: zip(places, rows))
    return chosen.map { $0.compactMap { rowsByPlace[$0] } }
  }

  /// Returns the statement of the children, with the columns of their owner after their own, and
  /// its limits for each parent.
  ///
  /// - Parameter numbers: whether SQLite numbers the children of each parent, so that it can apply
  ///   the limits. If not, the statement returns all children, in order.
  private func statement(
    _ keys: [RelationKey], _ relation: Relation, numbers: Bool
  ) throws -> (SelectStatement, NumberedRows.Limits?) {
    var statement = query.select.statement
    guard statement.groups.isEmpty, !statement.isDistinct else {
      throw QueryError(
        "the included query of \(Root.tableName) cannot have GROUP BY or DISTINCT; "
          + "fetch its rows separately")
    }
    var terms: [SelectStatement.SelectTerm] = [.table(query.columns.table)]
    terms += relation.owners.map { .expression($0) }
    let limits = try NumberedRows.Limits(of: statement)
    if limits != nil {
      let number = try number(of: statement, relation)
      if numbers {
        terms.append(.aliased(number, NumberedRows.name))
        statement.order = .none
      } else if statement.order.isEmpty {
        for term in try keyOrder() { statement.order.append(term) }
      }
      (statement.limit, statement.offset) = (nil, nil)
    }
    statement.selection = .terms(terms)
    if let join = relation.join { statement.joins.append(join) }
    statement.predicates.append(relation.isOwned(by: keys))
    return (statement, limits)
  }

  /// Returns the number of a child among those of its parent, in the order of the query.
  private func number(
    of statement: SelectStatement, _ relation: Relation
  ) throws -> ExpressionNode {
    var window = WindowSpecification(partition: relation.owners, order: statement.order)
    if window.order.isEmpty {
      for term in try keyOrder() { window.order.append(term) }
    }
    for case .resultColumn(let name) in window.order.map(\.expression) {
      throw QueryError(
        "the included query of \(Root.tableName) has a LIMIT, so it cannot be ordered by the name "
          + "of a result column, \(name); order it by a column or an expression")
    }
    return SQLExpression<Int>(.windowFunction("row_number", [])).over(Window(node: window)).node
  }
}

extension _IncludedQuery {
  /// Returns the terms that order rows by their key, for queries without an order.
  private func keyOrder() throws -> [SelectStatement.OrderTerm] {
    try Root.layout.keyColumns.map { index in
      let key = ColumnID(table: query.columns.table, index: UInt16(truncatingIfNeeded: index))
      return SelectStatement.OrderTerm(.column(key), .ascending)
    }
  }
}

extension Relation {
  /// Returns the condition that the owner of a row is one of the parents.
  fileprivate func isOwned(by keys: [RelationKey]) -> PredicateNode {
    let arrays = owners.indices.map { index in
      BoundValue.array(BoundArray(keys.map { $0.value(at: index) }))
    }
    if owners.count == 1 { return .isIn(owners[0], arrays[0], containsNull: nil) }
    // One list of several columns: the values of a parent have the same index in each array.
    var parts: [SQLFragment.Part] = [.sql("(")]
    for (index, owner) in owners.enumerated() {
      if index > 0 { parts.append(.sql(", ")) }
      parts.append(.expression(owner))
    }
    let names = owners.indices.map { "k\($0)" }
    let values = names.map { "\($0).value" }.joined(separator: ", ")
    parts.append(.sql(SQL(unsafe: ") IN (SELECT \(values) FROM ")))
    for (index, array) in arrays.enumerated() {
      let on = index > 0 ? " ON \(names[index]).rowid = k0.rowid" : ""
      parts.append(.sql(SQL(unsafe: (index > 0 ? " JOIN " : "") + "apus_array(")))
      parts.append(.expression(.value(array)))
      parts.append(.sql(SQL(unsafe: ") AS \(names[index])\(on)")))
    }
    parts.append(.sql(")"))
    return .composed(parts)
  }
}

/// A query of children that are numbered within their parents, with a limit and an offset for each
/// parent.
struct NumberedRows: Renderable {
  struct Limits: Sendable {
    let offset: Int64
    let limit: Int64?

    /// The limits of a query; nil if it has none.
    init?(of statement: SelectStatement) throws {
      guard statement.limit != nil || statement.offset != nil else { return nil }
      offset = try Self.count(statement.offset) ?? 0
      limit = try Self.count(statement.limit)
    }

    /// Returns the rows of one parent that the limits allow.
    func apply(to places: [Int]) -> [Int] {
      let rest = places.dropFirst(Int(clamping: max(0, offset)))
      // A negative limit means no limit.
      guard let limit, limit >= 0 else { return Array(rest) }
      return Array(rest.prefix(Int(clamping: limit)))
    }

    private static func count(_ value: BoundValue?) throws -> Int64? {
      guard let value else { return nil }
      guard case .value(.integer(let count)) = value else {
        throw QueryError(
          "LIMIT and OFFSET of an included query must be numbers; a parameter of `prepare` cannot "
            + "be used there")
      }
      return count
    }
  }

  /// The column name of the number.
  static let name = "number in parent"

  let statement: SelectStatement
  let limits: Limits

  func write<Sink: QuerySink>(to sink: inout Sink) throws {
    try sink.token(.selectAllFrom)
    try statement.write(to: &sink)
    try sink.token(.close)
    try sink.token(.where)
    let name = Identifier(Self.name)
    try sink.fragment("\(name) > \(limits.offset)")
    if let limit = limits.limit {
      let (last, overflow) = limits.offset.addingReportingOverflow(limit)
      try sink.fragment(" AND \(name) <= \(overflow ? .max : last)")
    }
    try sink.fragment(" ORDER BY \(name)")
  }
}

extension ConnectionCore {
  /// Returns models, and for each the values of the columns after its own.
  fileprivate func models<M>(
    of statement: some Renderable, _ decoding: RowDecoding<M>, owners count: Int
  ) throws -> (models: [M], owners: [RelationKey]) {
    let lent = try lendStatement(for: statement)
    defer { giveBack(lent) }
    var models: [M] = []
    var owners: [RelationKey] = []
    while try step(lent) {
      var reader = RowReader(core: self, statement: lent)
      do {
        models.append(try decoding.one(&reader))
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: models.count)
      }
      let row = StatementRow(statement: lent)
      if count == 1 {
        owners.append(.one(try row.databaseValue(at: reader.position)))
      } else {
        owners.append(
          .several(try (0..<count).map { try row.databaseValue(at: reader.position + $0) }))
      }
    }
    return (models, owners)
  }
}

extension ModelLayout {
  /// Returns the stored values of some columns of models.
  func keys<M: Model>(ofColumns indices: [Int], in models: [M]) throws -> [RelationKey] {
    if indices.count == 1 { return try values(ofColumn: indices[0], in: models).map { .one($0) } }
    let columns = try indices.map { try values(ofColumn: $0, in: models) }
    return models.indices.map { row in .several(columns.map { $0[row] }) }
  }

  /// Returns the stored values of one column of models; NULL for nil.
  private func values<M: Model>(
    ofColumn index: Int, in models: [M]
  ) throws -> [DatabaseValue] {
    let slot = slots.slots[index]
    return try models.withUnsafeBytes { memory in
      guard var model = memory.baseAddress else { return [] }
      var values: [DatabaseValue] = []
      values.reserveCapacity(models.count)
      for _ in models {
        values.append(
          try slot.type._databaseValue(ofColumnAt: model + Int(slot.offset), as: slot.form))
        model += slots.stride
      }
      return values
    }
  }
}
