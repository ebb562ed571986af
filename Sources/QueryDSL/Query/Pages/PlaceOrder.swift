import SQLCore

/// The ORDER BY of a query, followed by the keys that make the position of each row unique.
struct PlaceOrder {
  /// A term of the order: an expression and its direction.
  struct Term {
    let node: ExpressionNode
    var isDescending: Bool
    var nulls: NullOrder?
    let mayBeNull: Bool

    /// Whether NULL comes before all values.
    var hasNullFirst: Bool { nulls.map { $0 == .first } ?? !isDescending }

    /// The same expression in the opposite direction.
    var reversed: Term {
      var term = self
      term.isDescending.toggle()
      term.nulls = nulls.map { $0 == .first ? .last : .first }
      return term
    }
  }

  private(set) var terms: [Term] = []
  /// A hash of the order and of the query's tables.
  private(set) var fingerprint: UInt64 = 0

  /// Makes an empty order, for a query that has no pages.
  init() {}

  /// Reads the order of a statement. Throws `QueryError` if the statement cannot have pages.
  init(of statement: SelectStatement) throws {
    if let problem = statement.problem { throw problem }
    try statement.requirePages()
    let optional = statement.optionalTables
    for term in statement.order {
      let node = try statement.orderedNode(term.expression)
      terms.append(
        Term(
          node: node, isDescending: term.isDescending, nulls: term.nulls,
          mayBeNull: node.columnMayBeNull(missing: optional)))
    }
    let isDescending = terms.last?.isDescending ?? false
    for table in try statement.determiningTables() {
      for key in table.keys where !terms.contains(where: { $0.node.distinguishes(key) }) {
        terms.append(
          Term(
            node: key.node, isDescending: isDescending, nulls: nil,
            mayBeNull: optional.contains(table.id)))
      }
    }
    var places = statement
    places.selection = .terms(terms.map { .expression($0.node) })
    places.predicates = .none
    places.limit = nil
    places.order = ShortList(terms.map(\.orderTerm))
    fingerprint = try places.fingerprintOfOrder
  }

  /// Changes a statement so that it returns one page: the rows after a cursor, in this order. The
  /// statement then also selects the values from which the cursor of each row is made. Throws
  /// `QueryError` if the cursor belongs to another order.
  func apply<Row>(
    to statement: inout SelectStatement, after cursor: PageCursor<Row>?, isReversed: Bool
  ) throws {
    let ordered = isReversed ? terms.map(\.reversed) : terms
    statement.order = ShortList(ordered.map(\.orderTerm))
    let selected: [SelectStatement.SelectTerm] =
      switch statement.selection {
      case .table(let table): [.table(table)]
      case .terms(let terms): terms
      }
    statement.selection = .terms(selected + terms.map { .expression($0.node.withoutCollation) })
    guard let cursor else { return }
    guard cursor.order == fingerprint, cursor.values.count == terms.count else {
      throw QueryError(
        cursor: "the cursor belongs to a query with another order or other tables; use it with "
          + "the query that made it, or begin with the first page")
    }
    let condition = PageCondition(
      terms: zip(ordered, cursor.values).map { term, value in
        PageCondition.Term(
          node: term.node, isDescending: term.isDescending,
          mayBeNull: term.mayBeNull || value.isNull, hasNullFirst: term.hasNullFirst, value: value)
      })
    for predicate in condition.predicates { statement.predicates.append(predicate) }
  }
}

extension PlaceOrder.Term {
  fileprivate var orderTerm: SelectStatement.OrderTerm {
    SelectStatement.OrderTerm(
      node, isDescending ? .descending : .ascending, mayBeNull ? nulls : nil)
  }
}

extension ExpressionNode {
  fileprivate var withoutCollation: ExpressionNode {
    if case .tree(.collate(let operand, _), _) = self { operand } else { self }
  }

  /// The column, if the expression is a column with or without a collation; otherwise nil.
  fileprivate var orderedColumn: ColumnID? { withoutCollation.columnID }

  /// Returns whether the expression is the key column, and ORDER BY with this expression
  /// distinguishes all keys. If the expression has another collation than the column, two keys may
  /// be equal in ORDER BY, as `a` and `A` are equal with NOCASE.
  fileprivate func distinguishes(_ key: SelectStatement.KeyedTable.Key) -> Bool {
    guard orderedColumn == key.column else { return false }
    guard key.isText, let collation = Self.collation(of: self) else { return true }
    return collation == Self.collation(of: key.node)
  }

  /// Returns whether the expression may be NULL. A column may be NULL because its property is
  /// optional, or because its table is in `missing`: the tables in which an outer join may find no
  /// row. An expression that is not a column is treated as if it could be NULL.
  fileprivate func columnMayBeNull(missing: Set<TableID>) -> Bool {
    guard let id = orderedColumn,
      let layout = LayoutRegistry.shared.layout(number: id.table.layout)
    else { return true }
    return missing.contains(id.table) || layout.columns[Int(id.index)].mayBeNull
  }
}

extension SelectStatement {
  /// A hash of the tables, the joins and ORDER BY. The hash depends on the values in ORDER BY, but
  /// not on the values in the conditions of joins.
  fileprivate var fingerprintOfOrder: UInt64 {
    get throws {
      let all = try rendered()
      var unordered = self
      unordered.order = .none
      let count = all.bindings.count - (try unordered.rendered().bindings.count)
      // The values of ORDER BY are the last values of the statement, because the statement has no
      // LIMIT.
      let values = try all.bindings.suffix(count).map { try $0.databaseValue.description }
      return ([all.text] + values).joined(separator: "\n").stableHash
    }
  }

  /// Throws `QueryError` if the query cannot be read in pages. For example, a query with groups
  /// cannot be read in pages, because a page is selected by a condition in WHERE, which selects
  /// rows and not groups.
  fileprivate func requirePages() throws {
    func refuse(_ what: String) -> QueryError {
      QueryError("a query with \(what) has no pages; its rows have no keys of their own")
    }
    if extras?.content.compound != nil { throw refuse("UNION, INTERSECT or EXCEPT") }
    if !groups.isEmpty { throw refuse("groups") }
    if isDistinct { throw refuse("DISTINCT") }
    if offset != nil { throw QueryError.offsetOfPage }
    if hasAggregateOrWindow { throw refuse("aggregates or windows") }
  }

  /// Whether the order or a selected expression has an aggregate or a window function.
  var hasAggregateOrWindow: Bool {
    if order.contains(where: \.expression.containsAggregateOrWindow) { return true }
    guard case .terms(let terms) = selection else { return false }
    return terms.contains { term in
      switch term {
      case .table: false
      case .expression(let node), .aliased(let node, _): node.containsAggregateOrWindow
      }
    }
  }

  /// Returns the expression of a term of ORDER BY. If the term is the name of a result column,
  /// returns the expression of that column.
  fileprivate func orderedNode(_ node: ExpressionNode) throws -> ExpressionNode {
    guard case .resultColumn(let name) = node else { return node }
    if case .terms(let terms) = selection {
      for term in terms {
        if case .aliased(let node, let alias) = term, alias.isSame(as: name) { return node }
      }
    }
    throw QueryError(
      "a page is ordered by \(name), which is not the name that `as` gives to a selected "
        + "expression; order by the expression itself")
  }

  /// The tables for which an outer join may find no row.
  fileprivate var optionalTables: Set<TableID> {
    Set(zip(tables, areOptional).compactMap { $1 ? $0 : nil })
  }
}

extension QueryError {
  static let offsetOfPage = QueryError(
    "a page begins after its cursor; remove the offset of the query")
}
