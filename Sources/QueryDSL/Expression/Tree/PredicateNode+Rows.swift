import SQLCore

// Rows of values are bound as one array for each column. The values of a row have the same index in
// each array.

extension ExpressionNode {
  /// Whether the expression is the column that is the rowid of its table.
  private var isRowID: Bool {
    guard case .column(let column) = self,
      let layout = LayoutRegistry.shared.layout(number: column.table.layout)
    else { return false }
    return layout.rowIDColumn == Int(column.index)
  }

  /// Returns a value as it is compared with an expression in a row value.
  ///
  /// SQLite 3.40 compares a column in an index only if the comparison has the collation of the
  /// index. A rowid has no collation, so its value gets one. Otherwise all rows that are equal in
  /// the columns before it would be read.
  fileprivate static func value(_ value: BoundValue, besides node: ExpressionNode) -> Self {
    node.isRowID ? .collate(.value(value), "BINARY") : .value(value)
  }
}

extension PredicateNode {
  /// `(a, b) < (?, ?)`, and other comparisons; of one expression, `a < ?`
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

  /// `(a, b) IN (SELECT k0.value, k1.value FROM apus_array(?) AS k0 JOIN …)`
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

  /// `EXISTS (SELECT 1 FROM apus_array(?) AS k0 JOIN … WHERE a IS k0.value AND b IS k1.value)`
  ///
  /// NULL is the same as NULL. SQLite cannot use an index for it.
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
