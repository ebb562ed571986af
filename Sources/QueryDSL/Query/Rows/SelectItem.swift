import SQLCore

/// A selected item: its term in the SELECT clause, how to read it, and the names and types of its
/// columns.
struct SelectItem: Sendable {
  let term: SelectStatement.SelectTerm
  let part: RowPart
  let columns: @Sendable () throws -> [ResultColumn]
  /// The columns of the group, if the item is a group of columns; otherwise nil. In the SELECT
  /// clause, `term` writes these columns as a list.
  private(set) var group: [ExpressionNode]?

  /// Makes the item of an expression.
  init<Value: ColumnValue>(_ expression: SQLExpression<Value>) {
    let form = expression.form
    let node = expression.node
    term = .expression(node)
    part = RowPart(of: node, as: Value.self, form: form)
    columns = { [ResultColumn(name: node.place?.column, type: Value.self, form: form)] }
  }

  init(
    term: SelectStatement.SelectTerm, part: RowPart,
    columns: @escaping @Sendable () throws -> [ResultColumn]
  ) {
    self.term = term
    self.part = part
    self.columns = columns
  }

  /// Makes the item of a group of columns.
  init(
    group: [ExpressionNode], part: RowPart,
    columns: @escaping @Sendable () throws -> [ResultColumn]
  ) {
    self.init(term: .expression(.list(group)), part: part, columns: columns)
    self.group = group
  }

  /// Returns the items of a tuple.
  static func list<each Item: Selectable>(_ items: repeat each Item) -> ShortList<SelectItem> {
    var list = ShortList<SelectItem>.none
    for item in repeat each items { list.append(item.selectItem) }
    return list
  }

  /// Returns the SELECT clause with only this item, and how to read its rows.
  func clause<Row>() -> ([SelectStatement.SelectTerm], RowDecoding<Row>) {
    var parts = RowParts()
    parts.append(part)
    return ([term], .parts(parts, columns: columns))
  }

  /// Makes the item of a plain value, which is bound and read back with each row.
  fileprivate init<Value: ColumnValue>(value: Value) {
    self.init(SQLExpression(value))
  }
}

extension _SelectItem {
  /// The item's term in SELECT, and how to read it from a row.
  var item: SelectItem {
    if let item = content as? SelectItem { return item }
    if let value = content as? any ColumnValue { return SelectItem(value: value) }
    return SelectItem(
      term: .expression(.invalid(SelectStatement.noItems)),
      part: RowPart(of: Selected.self) { _, _ in throw SelectStatement.noItems },
      columns: { throw SelectStatement.noItems })
  }
}

extension Selectable {
  /// The item's term in SELECT, and how to read it from a row.
  var selectItem: SelectItem { _selection.item }

  /// The SELECT clause with only this item, and how to read its rows.
  var selectClause: ([SelectStatement.SelectTerm], RowDecoding<Selected>) {
    selectItem.clause()
  }
}
