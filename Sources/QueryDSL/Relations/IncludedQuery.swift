import SQLCore

/// A query of one model, and the function that adds the included rows to the models; programs do
/// not use it directly.
public struct _IncludedQuery<Root: Model, Row: Sendable>: Sendable {
  package let query: TableQuery<Root, Root>
  /// The relations whose rows the models include.
  package let relations: [IncludedRelation]
  /// Returns the given models, each with the rows that it includes.
  package let complete: @Sendable (ConnectionCore, LoadedRows<Root>) throws -> LoadedRows<Row>
}

extension _IncludedQuery {
  /// Returns a copy of this query, in which `change` has replaced the query of the models. The new
  /// query of the models must have the same table as the old one.
  package func restricted(
    _ change: (Query<Root>) throws -> Query<Root>
  ) rethrows -> _IncludedQuery {
    var restricted = query
    restricted.select = try change(query.select)
    return _IncludedQuery(query: restricted, relations: relations, complete: complete)
  }

  /// Returns the included rows of each parent, in the order of the parents. If the parents have
  /// fingerprints, the result also has fingerprints. Each of these combines the fingerprint of a
  /// parent with the fingerprints of its children.
  func load<Parent: Model>(
    on core: ConnectionCore, for parents: LoadedRows<Parent>,
    _ relation: Result<Relation, QueryError>
  ) throws -> LoadedRows<[Row]> {
    let relation = try relation.get()
    let keys = try Parent.layout.keys(ofColumns: relation.parentColumns, in: parents.rows)
    let children =
      if relation.comparesStoredValues(on: core) {
        try rows(
          belongingTo: keys, by: relation, on: core, areLive: parents.areLive)
      } else {
        try rows(
          belongingTo: keys, asComparedBy: relation, on: core, areLive: parents.areLive)
      }
    // Closures are used, because a key path in a generic function would be made at each call.
    return LoadedRows(
      children.map { $0.rows },
      fingerprints: parents.combining(children.compactMap { $0.fingerprints }))
  }

  /// Loads the children of each parent. This function is used if SQLite treats only identical
  /// stored values as equal. It runs one statement, and further statements if the children include
  /// rows themselves.
  private func rows(
    belongingTo keys: [RelationKey], by relation: Relation, on core: ConnectionCore,
    areLive: Bool
  ) throws -> [LoadedRows<Row>] {
    let known = keys.filter(\.isComplete)
    guard !known.isEmpty else { return keys.map { _ in LoadedRows([], live: areLive) } }
    let (statement, limits) = try statement(known, relation, numbers: true, areLive: areLive)
    let count = relation.owners.count
    let decoding = query.select.decoding
    let (models, owners) =
      if let limits {
        try core.models(
          of: NumberedRows(statement: statement, limits: limits), decoding, owners: count,
          areLive: areLive)
      } else {
        try core.models(of: statement, decoding, owners: count, areLive: areLive)
      }
    let completed = try complete(core, models)
    if keys.count == 1, owners.allSatisfy({ $0 == keys[0] }) { return [completed] }
    var places: [RelationKey: [Int]] = [:]
    for (place, owner) in owners.enumerated() { places[owner, default: []].append(place) }
    return keys.map { completed[places[$0] ?? []] }
  }

  /// Loads the children of each parent. This function is used if SQLite may treat different stored
  /// values as equal, such as `a` and `A`. It first runs a statement that asks SQLite which values
  /// are equal, so it needs one statement more than the function above. It applies limits in
  /// memory.
  private func rows(
    belongingTo keys: [RelationKey], asComparedBy relation: Relation, on core: ConnectionCore,
    areLive: Bool
  ) throws -> [LoadedRows<Row>] {
    let matches = try relation.matches(of: keys, on: core)
    guard !matches.isEmpty else { return keys.map { _ in LoadedRows([], live: areLive) } }
    let (statement, limits) = try statement(
      Array(matches.keys), relation, numbers: false, areLive: areLive)
    let (models, owners) = try core.models(
      of: statement, query.select.decoding, owners: relation.owners.count, areLive: areLive)
    var chosen: [[Int]] = Array(repeating: [], count: keys.count)
    for (place, owner) in owners.enumerated() {
      for parent in matches[owner] ?? [] { chosen[parent].append(place) }
    }
    if let limits { chosen = chosen.map(limits.apply) }
    let places = Set(chosen.joined()).sorted()
    let completed = try complete(core, models[places])
    let indices = Dictionary(uniqueKeysWithValues: zip(places, places.indices))
    return chosen.map { completed[$0.compactMap { indices[$0] }] }
  }

  /// Returns the relation by which a query of parents includes the rows of this query.
  func included(by relation: Result<Relation, QueryError>) -> IncludedRelation {
    IncludedRelation(
      relation: relation, children: query.select.statement, table: query.columns.table,
      relations: relations
    ) { values in
      let (statement, limits) = try statement(
        values.map(RelationKey.init), try relation.get(), numbers: true, areLive: true)
      guard let limits else { return try statement.rendered().text }
      return try NumberedRows(statement: statement, limits: limits).rendered().text
    }
  }

  /// Returns the statement that loads the children of the parents with the given keys. Also returns
  /// the limit and the offset that apply to each parent; nil if the query has neither. The
  /// statement selects the columns of a child, followed by the columns that refer to the child's
  /// parent.
  ///
  /// - Parameters:
  ///   - numbers: Whether `NumberedRows` applies the limits by numbering the children. Otherwise
  ///     the statement returns all children, in order.
  ///   - areLive: Whether the query is live. If so, children that are equal in the query's order
  ///     are ordered by their keys.
  private func statement(
    _ keys: [RelationKey], _ relation: Relation, numbers: Bool, areLive: Bool
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
    if areLive {
      for term in try keyOrder() { statement.order.append(term) }
    }
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
    if areLive {
      for (index, owner) in relation.ownerColumns.enumerated() where keys.count == 1 {
        statement.restrict(owner, to: [keys[0].value(at: index)])
      }
    }
    if !areLive || keys.count != 1 { statement.predicates.append(relation.isOwned(by: keys)) }
    return (statement, limits)
  }

  /// Returns the expression that numbers the children of each parent, in the order of the query.
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
  /// Returns the terms of an ORDER BY that sorts rows by their key.
  private func keyOrder() throws -> [SelectStatement.OrderTerm] {
    try Root.layout.keyColumns.map { index in
      let key = ColumnID(table: query.columns.table, index: UInt16(truncatingIfNeeded: index))
      return SelectStatement.OrderTerm(.column(key), .ascending)
    }
  }
}

/// A query that `including` accepts: a query of models, or of models with included rows. Programs
/// do not use it directly.
public protocol _IncludableQuery<Root, IncludedRow>: Sendable {
  /// The model of the query, whose rows the parents include.
  associatedtype Root: Model
  /// The type of an included row, such as `Post` or `(Post, [Tag])`.
  associatedtype IncludedRow: Sendable
  /// The query of the models, and the function that adds the included rows; programs do not use it
  /// directly.
  var _included: _IncludedQuery<Root, IncludedRow> { get }
}

/// A relation by which a query with `including` includes rows. If included rows change, a live
/// query uses the relation to find the affected parents.
package struct IncludedRelation: Sendable {
  package let relation: Result<Relation, QueryError>
  /// The query of the children, before it is restricted to the children of some parents.
  package let children: SelectStatement
  /// The table of the children.
  package let table: TableID
  /// The relations by which the children include other rows.
  package let relations: [IncludedRelation]
  /// Returns the SQL that loads the children of some parents. The argument has the key values of
  /// each parent.
  package let loadingText: @Sendable ([[DatabaseValue]]) throws -> String
  /// The functions that replace single children in the result of a live query; nil if the children
  /// must be loaded again.
  package var replacement: ChildReplacement?
}
