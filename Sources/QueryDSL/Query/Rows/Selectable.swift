import SQLCore

extension SQLExpression: Selectable {
  /// Selects the expression, which is read as a `Value`; programs do not use it directly.
  public var _selection: _SelectItem<Value> { _SelectItem(SelectItem(self)) }
}

extension SQLPredicate: Selectable {
  /// Selects the condition, read as true, false, or nil if it is NULL;
  /// programs do not use it directly.
  public var _selection: _SelectItem<Bool?> { SQLExpression(self)._selection }
}

extension Columns: Selectable {
  /// Selects all columns of the table, read as the model; programs do not use it directly.
  public var _selection: _SelectItem<M> {
    let decoding = M.decoding
    return _SelectItem(
      SelectItem(
        term: .table(table),
        part: RowPart(of: M.self) { reader, memory in
          memory.initializeMemory(as: M.self, to: try decoding.one(&reader))
        },
        columns: decoding.columns))
  }
}

extension OptionalColumns: Selectable {
  /// Selects all columns of the table, which are read as the model, or as nil if the join found no
  /// row; programs do not use it directly.
  public var _selection: _SelectItem<M?> {
    let decoding = M.decoding
    return _SelectItem(
      SelectItem(
        term: .table(columns.table),
        part: RowPart(of: M?.self) { reader, memory in
          let layout = try M.layout
          let row = StatementRow(statement: reader.statement)
          let isPresent = try layout.presentColumns.contains {
            try !row.isNull(at: reader.position + $0)
          }
          if isPresent {
            memory.initializeMemory(as: M?.self, to: try decoding.one(&reader))
          } else {
            memory.initializeMemory(as: M?.self, to: nil)
            reader.position += layout.columns.count
          }
        },
        columns: {
          try decoding.columns().map {
            ResultColumn(name: $0.name, type: $0.type, form: $0.form, isOptional: true)
          }
        }))
  }
}

extension ModelLayout {
  /// The columns that show whether a join found a row: in an existing row, at least one of them is
  /// not NULL. They are the columns of the key or, without a key, the columns that are not
  /// optional. If all columns are optional, a row in which all of them are NULL is read as a
  /// missing row.
  var presentColumns: [Int] {
    if !keyColumns.isEmpty { return keyColumns }
    let required = columns.indices.filter { !columns[$0].isOptional }
    return required.isEmpty ? Array(columns.indices) : required
  }
}

extension ExpressionNode {
  /// The names of the table and the column, if the expression is a column.
  var place: (table: String, column: String)? {
    guard case .column(let column) = self,
      let layout = LayoutRegistry.shared.layout(number: column.table.layout)
    else { return nil }
    return (layout.tableName, layout.columns[Int(column.index)].name)
  }
}

extension SelectStatement {
  static var noItems: QueryError {
    QueryError(
      "a query selects nothing: each item must be a column, an expression, a condition, a table or a "
        + "value of a type that is a ColumnValue")
  }

  /// Returns the SELECT clause with several items, and the way to read its rows as a tuple.
  static func tuple<each Item: Selectable>(
    _ items: repeat each Item
  ) -> ([SelectTerm], RowDecoding<(repeat (each Item).Selected)>) {
    var terms: [SelectTerm] = []
    var parts = RowParts()
    var columns: [@Sendable () throws -> [ResultColumn]] = []
    for item in repeat each items {
      let selection = item.selectItem
      terms.append(selection.term)
      parts.append(selection.part)
      columns.append(selection.columns)
    }
    // If a closure returns something that cannot be selected, there are no terms. The error below
    // then takes their place.
    if terms.isEmpty { terms = [.expression(.invalid(noItems))] }
    let allColumns = columns
    return (terms, .parts(parts) { try allColumns.flatMap { try $0() } })
  }
}

extension Selectable where Self: ColumnValue {
  /// Gives the value a name in the result. SQL: `? AS "name"`
  ///
  /// ```swift
  /// Query { Select(0.as("depth"), into: Level.self) }      // SELECT ? AS "depth"
  /// ```
  public func `as`(_ name: String) -> AliasedExpression<Self> {
    SQLExpression(self).as(name)
  }

  /// Gives the value the name of a struct's property, so that the struct can be read from the
  /// result. The compiler checks that the value has the property's type. SQL: `? AS "name"`
  public func `as`<Row: ResultRow>(
    _ property: KeyPath<Row, ColumnReference<Self>>
  ) -> AliasedExpression<Self> {
    SQLExpression(self).as(property)
  }
}

/// An expression with a name in the result.
///
/// ```swift
/// Post.select { ($0.$status, $0.$views.sum().as("views")) }.group(by: \.$status)
/// // SELECT "status", sum("views") AS "views" FROM "Post" GROUP BY "status"
/// ```
///
/// The name is the name of the column in the SQL, and its heading in the output of `db.table(_:)`.
/// If a query selects `into` a struct, the name says which property the value belongs to. In all
/// other queries, the name does not change how rows are read, because values are read by position.
public struct AliasedExpression<Value: ColumnValue>: Selectable {
  let expression: SQLExpression<Value>
  let name: String

  /// Selects the expression under its name; programs do not use it directly.
  public var _selection: _SelectItem<Value> {
    let form = expression.form
    let name = name
    return _SelectItem(
      SelectItem(
        term: .aliased(expression.collatedNode, name),
        part: RowPart(of: expression.node, as: Value.self, form: form),
        columns: { [ResultColumn(name: name, type: Value.self, form: form)] }))
  }
}

extension SQLExpression {
  /// Gives the expression a name in the result. SQL: `a AS "name"`
  ///
  /// The name may be any text without U+0000; SQL that contains U+0000 is refused.
  public func `as`(_ name: String) -> AliasedExpression<Value> {
    AliasedExpression(expression: self, name: name)
  }
}

extension SQLExpression {
  /// Gives the expression the name of a struct's property, so that the struct can be read from the
  /// result. The compiler checks that the expression has the property's type. An `Int?` cannot
  /// become an `Int`, so write a sum as `post.$views.sum().ifNull(0).as(\Total.$views)`.
  /// SQL: `a AS "name"`
  public func `as`<Row: ResultRow>(
    _ property: KeyPath<Row, ColumnReference<Value>>
  ) -> AliasedExpression<Value> {
    guard let layout = try? Row.layout, let index = layout.index(of: property) else {
      return AliasedExpression(
        expression: SQLExpression(.invalid(Columns<Row>.noColumn(property))), name: "")
    }
    return AliasedExpression(expression: self, name: layout.columns[index].name)
  }
}
