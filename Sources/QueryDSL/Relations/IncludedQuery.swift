import SQLCore

/// A query of one model with the function that completes its rows, which are the models or the
/// models with their children; programs do not use it directly.
public struct _IncludedQuery<Root: Model, Row: Sendable>: Sendable {
  let query: TableQuery<Root, Root>
  let complete: @Sendable (ConnectionCore, [Root]) throws -> [Row]
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
