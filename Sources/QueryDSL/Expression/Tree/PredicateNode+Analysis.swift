import SQLCore

// These functions analyse the conditions of a live query. They find the parts of a condition and
// the tables that it reads. They also find out whether the condition can hold if an outer join
// found no row of a table.

extension PredicateNode {
  /// The conditions that AND joins, such as `a` and `b` for `a AND b`. If this condition has no
  /// AND, it is the only element.
  package var conjuncts: [PredicateNode] {
    guard case .chain(let chain) = self, chain.connective == .and else { return [self] }
    return chain.operands.flatMap(\.conjuncts)
  }

  /// The tables of the columns in the condition. Throws `QueryError` if the condition cannot be
  /// rendered.
  package var tables: Set<TableID> {
    get throws {
      Set(try Shape.columns { write(to: &$0) }.map(\.table))
    }
  }

  /// The pairs of columns that the condition requires to be equal. For `a = b`, they are (a, b) and
  /// (b, a).
  package var equalColumns: [(ColumnID, ColumnID)] {
    equalities.flatMap { [($0.left, $0.right), ($0.right, $0.left)] }
  }

  /// The pairs of columns that the condition requires to be equal, such as (a, b) for `a = b`.
  /// `isSame` is true if the condition is `a IS b`, because NULL equals NULL in this comparison.
  package var equalities: [(left: ColumnID, right: ColumnID, isSame: Bool)] {
    switch self {
    case .tree(.compare(let sign, let left, let right), _) where sign == .equal || sign == .isSame:
      guard let left = left.columnID, let right = right.columnID else { return [] }
      return [(left, right, sign == .isSame)]
    case .chain(let chain) where chain.connective == .and:
      return chain.operands.flatMap(\.equalities)
    default: return []
    }
  }

  /// Returns true if it is certain that the condition does not hold when all columns of a table are
  /// NULL, as after an outer join that found no row. Otherwise returns false.
  ///
  /// - SeeAlso: <https://www.sqlite.org/nulls.html>
  package func rejectsNull(in table: TableID) -> Bool {
    switch self {
    case .compareColumn(let sign, let column, let value):
      return column.table == table && sign.rejectsNull(comparedWith: value)
    case .constant(let holds): return !holds
    case .chain(let chain):
      return chain.connective == .and
        ? chain.operands.contains { $0.rejectsNull(in: table) }
        : chain.operands.allSatisfy { $0.rejectsNull(in: table) }
    case .tree(let tree, _): return tree.rejectsNull(in: table)
    case .fragment, .invalid: return false
    }
  }
}

extension PredicateTree {
  fileprivate func rejectsNull(in table: TableID) -> Bool {
    switch self {
    case .compare(let sign, let left, let right):
      if sign.rejectsNull { return left.isNull(in: table) || right.isNull(in: table) }
      guard sign == .isSame else { return false }
      return left.isNull(in: table) && right.isValue || left.isValue && right.isNull(in: table)
    case .match(_, let subject, let pattern, _):
      return subject.isNull(in: table) || pattern.isNull(in: table)
    case .between(let subject, _, _): return subject.isNull(in: table)
    case .isIn(let subject, _, let containsNull):
      guard let containsNull else { return subject.isNull(in: table) }
      guard case .value(.integer(0)) = containsNull else { return false }
      return subject.isNull(in: table)
    case .test(let sign, let subject):
      return sign.testRejectsNull && subject.isNull(in: table)
    case .not, .isInQuery, .exists, .composed: return false
    }
  }
}

extension ExpressionNode {
  /// Returns true if it is certain that the expression is NULL when all columns of a table are
  /// NULL. For example, `-a` is then NULL if `a` is a column of the table.
  fileprivate func isNull(in table: TableID) -> Bool {
    switch self {
    case .column(let column): column.table == table
    case .tree(.negative(let operand), _), .tree(.collate(let operand, _), _):
      operand.isNull(in: table)
    default: false
    }
  }

  /// Whether the expression is a value other than NULL.
  fileprivate var isValue: Bool {
    switch self {
    case .value(.value(let value)): value != .null
    case .value(.argument): true
    default: false
    }
  }
}

extension SQLToken {
  /// Whether a comparison with this operator, such as `<`, is NULL if one of its operands is NULL.
  fileprivate var rejectsNull: Bool {
    switch self {
    case .equal, .notEqual, .less, .greater, .lessOrEqual, .greaterOrEqual: true
    default: false
    }
  }

  /// Whether this is a comparison that contains its value, such as `= 1` or `IS NOT NULL`, and that
  /// does not hold if the compared expression is NULL.
  fileprivate var testRejectsNull: Bool {
    switch self {
    case .isNotNull, .equalOne, .equalZero, .notEqualOne, .notEqualZero, .isOne, .isZero: true
    default: false
    }
  }

  fileprivate func rejectsNull(comparedWith value: BoundValue) -> Bool {
    if rejectsNull || testRejectsNull { return true }
    guard self == .isSame else { return false }
    // An argument of a live query is never NULL, because `separatingValues` replaces only values
    // other than NULL by arguments.
    if case .argument = value { return true }
    guard case .value(let value) = value else { return false }
    return value != .null
  }
}

// A list of rows, such as `[(1, "a"), (2, "b")]`, is bound as one array for each column. All values
// of a row have the same index in their arrays.

extension ExpressionNode {
  /// Whether the expression is the column that is the rowid of its table: the INTEGER PRIMARY KEY.
  private var isRowID: Bool {
    guard case .column(let column) = self,
      let layout = LayoutRegistry.shared.layout(number: column.table.layout)
    else { return false }
    return layout.rowIDColumn == Int(column.index)
  }

  /// Returns the node of a value in a comparison such as `(a, b) < (?, ?)`. `node` is the
  /// expression with which the value is compared.
  ///
  /// SQLite 3.40 uses a column of an index for such a comparison only if the comparison has the
  /// collation of the index. A rowid has no collation, so the value gets COLLATE BINARY. Without
  /// it, SQLite would not use the rowid at the end of the index, and would read all rows that are
  /// equal in the columns before the rowid.
  fileprivate static func value(_ value: BoundValue, besides node: ExpressionNode) -> Self {
    node.isRowID ? .collate(.value(value), "BINARY") : .value(value)
  }
}

extension PredicateNode {
  /// Returns a comparison of a row value with values, such as `(a, b) < (?, ?)`. If the row value
  /// has only one expression, the comparison is `a < ?`.
  static func compareRows(
    _ sign: SQLToken, _ nodes: [ExpressionNode], _ values: [BoundValue]
  ) -> PredicateNode {
    if nodes.count == 1 { return .compare(sign, nodes[0], .value(values[0])) }
    let isOrder = [.less, .greater, .lessOrEqual, .greaterOrEqual].contains(sign)
    let right = zip(nodes, values).map { node, value in
      isOrder ? ExpressionNode.value(value, besides: node) : .value(value)
    }
    return .compare(sign, .row(nodes), .row(right))
  }

  /// Returns the condition that a row value is in a list of rows. Each array has the values of one
  /// column of the list.
  /// SQL: `(a, b) IN (SELECT k0.value, k1.value FROM apus_array(?) AS k0 JOIN …)`
  static func isIn(_ row: [ExpressionNode], rowsOf arrays: [BoundValue]) -> PredicateNode {
    var parts: [SQLFragment.Part] = [.sql("(")]
    for (index, node) in row.enumerated() {
      if index > 0 { parts.append(.sql(", ")) }
      parts.append(.expression(node))
    }
    let values = row.indices.map { "k\($0).value" }.joined(separator: ", ")
    parts.append(.sql(SQL(unsafe: ") IN (SELECT \(values) FROM ")))
    parts += tables(of: arrays)
    parts.append(.sql(")"))
    return .composed(parts)
  }

  /// Returns the condition that a row value is in a list of rows. Each array has the values of one
  /// column of the list.
  /// SQL: `EXISTS (SELECT 1 FROM apus_array(?) AS k0 JOIN … WHERE a IS k0.value AND b IS k1.value)`
  ///
  /// In this comparison, NULL equals NULL. SQLite cannot use an index for the comparison.
  static func isSame(_ row: [ExpressionNode], asRowsOf arrays: [BoundValue]) -> PredicateNode {
    var parts: [SQLFragment.Part] = [.sql("EXISTS (SELECT 1 FROM ")]
    parts += tables(of: arrays)
    for (index, node) in row.enumerated() {
      parts.append(.sql(SQL(unsafe: index == 0 ? " WHERE " : " AND ")))
      parts.append(.expression(node))
      parts.append(.sql(SQL(unsafe: " IS k\(index).value")))
    }
    parts.append(.sql(")"))
    return .composed(parts)
  }

  /// Returns the condition that a row value is among the rows of a query.
  /// SQL: `EXISTS (SELECT 1 FROM (SELECT … AS "apus_0", …) WHERE a IS "apus_0" AND …)`
  ///
  /// In this comparison, NULL equals NULL.
  static func isSame(_ row: [ExpressionNode], asRowOf query: SelectStatement) -> PredicateNode {
    let names = row.indices.map { "apus_\($0)" }
    var parts: [SQLFragment.Part] = [
      .sql("EXISTS (SELECT 1 FROM "), .expression(.subquery(query.naming(names))),
    ]
    for (index, node) in row.enumerated() {
      parts.append(.sql(SQL(unsafe: index == 0 ? " WHERE " : " AND ")))
      parts.append(.expression(node))
      parts.append(.sql(SQL(unsafe: " IS \"\(names[index])\"")))
    }
    parts.append(.sql(")"))
    return .composed(parts)
  }

  private static func tables(of arrays: [BoundValue]) -> [SQLFragment.Part] {
    var parts: [SQLFragment.Part] = []
    for (index, array) in arrays.enumerated() {
      let on = index > 0 ? " ON k\(index).rowid = k0.rowid" : ""
      parts.append(.sql(SQL(unsafe: (index > 0 ? " JOIN " : "") + "apus_array(")))
      parts.append(.expression(.value(array)))
      parts.append(.sql(SQL(unsafe: ") AS k\(index)\(on)")))
    }
    return parts
  }
}
