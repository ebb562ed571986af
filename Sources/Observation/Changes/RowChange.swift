import QueryDSL
import SQLCore

/// What a write did to one row of a model's table, in the end.
///
/// However often a row was touched, it is one change, from what it was before the write to what it
/// is after; a row that is as it was is none.
public struct RowChange<M: Model>: Sendable {
  /// The same, without the model.
  public let row: TableRowChange

  /// What happened to the row. One whose key changed is deleted under the old key and inserted
  /// under the new one.
  @inlinable public var kind: RowChangeKind { row.kind }
  /// The values of the primary key, as they are stored.
  public var keyValues: [DatabaseValue] { row.keyValues }
  /// The columns whose values differ, in the order of the table; of a row that was inserted or
  /// deleted, all that are watched and those of its primary key.
  public var changedColumns: [String] { row.changedColumns }

  /// The primary key.
  ///
  /// Throws `ColumnValueError` where raw SQL stored a key that is none of the model's type.
  public var key: M.ID {
    get throws { try M.id(fromKeyValues: keyValues) }
  }

  /// The value of a column before; nil where the row was not there.
  ///
  /// Throws `ColumnValueError` where the stored value is none of the column's type, and misuse for
  /// a column that is not among those that are watched.
  public func old<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try value(of: column) { row.old(at: $0) }
  }

  /// The value of a column after; nil where the row is gone.
  ///
  /// Throws as `old(_:)` does.
  public func new<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try value(of: column) { row.new(at: $0) }
  }

  /// Whether the column's value differs.
  public func hasColumnChanged<Value>(_ column: KeyPath<M, ColumnReference<Value>>) -> Bool {
    guard let name = M.columnName(of: column) else { return false }
    return row.hasChanged(name)
  }

  private func value<Value: ColumnValue>(
    of column: KeyPath<M, ColumnReference<Value>>, _ read: (ToldRows.Place) -> DatabaseValue?
  ) throws -> Value? {
    let layout = try M.layout
    guard let index = layout.index(of: column) else {
      throw DatabaseError.misuse("\(column) names no column of \(M.self)")
    }
    guard let place = row.place(ofColumn: index, of: layout) else {
      throw DatabaseError.misuse(
        "\(layout.columns[index].name) is not among the columns that are watched; name it in `columns:`"
      )
    }
    do {
      return try read(place)?.read(Value.self, as: layout.columns[index].form)
    } catch let error as ColumnValueError {
      throw error.at(table: layout.tableName, column: layout.columns[index].name, row: nil)
    }
  }
}

extension Model {
  static func columnName<Value>(of column: KeyPath<Self, ColumnReference<Value>>) -> String? {
    guard let layout = try? layout, let index = layout.index(of: column) else { return nil }
    return layout.columns[index].name
  }
}
