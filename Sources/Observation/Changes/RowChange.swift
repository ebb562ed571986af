import QueryDSL
import SQLCore

/// The net change of one row of a model's table in one write.
///
/// However often a write changes a row, this is one change, from the row before the write to the
/// row after it. A row that ends as it was is not reported.
public struct RowChange<M: Model>: Sendable {
  /// The same change, without the model.
  public let row: AnyRowChange

  /// Whether the row was inserted, updated or deleted. A row whose key changed is deleted under the
  /// old key and inserted under the new one.
  @inlinable public var kind: RowChangeKind { row.kind }
  /// The values of the primary key, as they are stored.
  public var keyValues: [DatabaseValue] { row.keyValues }
  /// The columns whose values differ, in the order of the table. For a row that was inserted or
  /// deleted, these are all watched columns and those of its primary key.
  public var changedColumns: [String] { row.changedColumns }

  /// The primary key.
  ///
  /// Throws `ColumnValueError` if raw SQL stored a key that is not valid for the model's type.
  public var key: M.ID {
    get throws { try M.id(fromKeyValues: keyValues) }
  }

  /// Returns the value of a column before the write; nil if the row did not exist.
  ///
  /// Throws `ColumnValueError` if the stored value is not valid for the column's type, and
  /// `DatabaseError` (misuse) for a column that is not watched.
  public func old<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try value(of: column) { row.old(at: $0) }
  }

  /// Returns the value of a column after the write; nil if the row is gone.
  ///
  /// Throws the same errors as `old(_:)`.
  public func new<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try value(of: column) { row.new(at: $0) }
  }

  /// Returns whether the column's value differs.
  public func hasColumnChanged<Value>(_ column: KeyPath<M, ColumnReference<Value>>) -> Bool {
    guard let name = M.columnName(of: column) else { return false }
    return row.hasChanged(name)
  }

  private func value<Value: ColumnValue>(
    of column: KeyPath<M, ColumnReference<Value>>, _ read: (DeliveredRows.Place) -> DatabaseValue?
  ) throws -> Value? {
    let layout = try M.layout
    guard let index = layout.index(of: column) else {
      throw DatabaseError.misuse("\(column) is not a column of \(M.self)")
    }
    guard let place = row.place(ofColumn: index, of: layout) else {
      throw DatabaseError.misuse(
        "\(layout.columns[index].name) is not one of the watched columns; add it to `columns:`"
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
