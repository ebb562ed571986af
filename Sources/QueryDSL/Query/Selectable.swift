import SQLCore

/// What may stand behind SELECT: a column, an expression, or a whole table.
public protocol Selectable<Output>: Sendable {
  /// What it is read as.
  associatedtype Output: Sendable
  /// What it is in SQL, and how it is read.
  var selection: SelectItem<Output> { get }
}

/// Something behind SELECT and the way to read it.
public struct SelectItem<Output>: Sendable {
  let term: SelectStatement.SelectTerm
  let read: @Sendable (inout RowReader) throws -> Output
  let columns: @Sendable () throws -> [ResultColumn]
}

extension SQLExpression: Selectable {
  /// The expression, read as its type.
  public var selection: SelectItem<Value> {
    let form = form
    let node = node
    return SelectItem(
      term: .expression(node),
      read: { reader in
        do {
          return try reader.next(Value.self, form: form)
        } catch let error as ColumnValueError {
          let place = node.place
          throw error.at(table: place?.table, column: place?.column, row: nil)
        }
      },
      columns: { [ResultColumn(name: node.place?.column, type: Value.self, form: form)] })
  }
}

extension Columns: Selectable {
  /// Every column of the table, read as the model.
  public var selection: SelectItem<M> {
    let decoding = M.decoding
    return SelectItem(term: .table(table), read: decoding.one, columns: decoding.columns)
  }
}

extension OptionalColumns: Selectable {
  /// Every column of the table, read as the model; nil where the join found no row.
  public var selection: SelectItem<M?> {
    let decoding = M.decoding
    return SelectItem(
      term: .table(columns.table),
      read: { reader in
        let layout = try M.layout
        let row = StatementRow(statement: reader.statement)
        // A key is never NULL in a row that is there.
        for index in layout.keyColumns {
          guard try row.isNull(at: reader.position + index) else {
            return try decoding.one(&reader)
          }
        }
        reader.position += layout.columns.count
        return nil
      },
      columns: {
        try decoding.columns().map {
          ResultColumn(name: $0.name, type: $0.type, form: $0.form, isOptional: true)
        }
      })
  }
}

extension ExpressionNode {
  /// The names of the table and of the column, where the expression is one.
  fileprivate var place: (table: String, column: String)? {
    guard case .column(let column) = self,
      let layout = LayoutRegistry.shared.layout(number: column.table.layout)
    else { return nil }
    return (layout.tableName, layout.columns[Int(column.index)].name)
  }
}

extension RowDecoding {
  /// How rows are read one after another, where they are no model.
  static func rows(
    columns: @escaping @Sendable () throws -> [ResultColumn],
    _ read: @escaping @Sendable (inout RowReader) throws -> Row
  ) -> RowDecoding<Row> {
    RowDecoding(
      all: { core, statement, _ in
        var rows: [Row] = []
        while try core.step(statement) {
          var reader = RowReader(core: core, statement: statement)
          do {
            rows.append(try read(&reader))
          } catch let error as ColumnValueError {
            throw error.at(table: nil, column: nil, row: rows.count)
          }
        }
        return rows
      },
      one: read, columns: columns)
  }
}

extension SelectStatement {
  /// A statement that selects several things, and how its rows are read as their tuple.
  static func tuple<each Item: Selectable>(
    _ items: repeat each Item
  ) -> ([SelectTerm], RowDecoding<(repeat (each Item).Output)>) {
    var terms: [SelectTerm] = []
    var columns: [@Sendable () throws -> [ResultColumn]] = []
    for item in repeat each items {
      let selection = item.selection
      terms.append(selection.term)
      columns.append(selection.columns)
    }
    let selections = (repeat (each items).selection)
    let allColumns = columns
    return (
      terms,
      .rows(columns: { try allColumns.flatMap { try $0() } }) { reader in
        (repeat try (each selections).read(&reader))
      }
    )
  }
}
