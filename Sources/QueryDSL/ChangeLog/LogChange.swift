import SQLCore

/// The net change of one row of a model's table in one entry of the change log.
public struct LogChange<M: Model>: Sendable {
  /// The same change, without the model.
  public let row: AnyLogChange
  /// The number of the entry.
  let sequence: Int64

  /// Whether the row was inserted, updated or deleted.
  public var kind: RowChangeKind { row.kind }
  /// The values of the primary key, as they are stored.
  public var keyValues: [DatabaseValue] { row.keyValues }
  /// The columns of which the log does not show what the entry did; empty for nearly every change.
  public var uncertainColumns: [String] { row.uncertainColumns }
  /// The columns whose values differ, in the order of the table. For a row that was inserted or
  /// deleted, these are all logged columns.
  public var changedColumns: [String] { row.changedColumns }

  /// The primary key.
  ///
  /// Throws `ColumnValueError` if raw SQL stored a key that is not valid for the model's type.
  public var key: M.ID {
    get throws {
      do {
        return try M.id(fromKeyValues: keyValues)
      } catch let error as ColumnValueError {
        throw located(error)
      }
    }
  }

  /// Returns the value of a column before the change; nil if the row did not exist, or if the log
  /// has no value because an update left it as it was.
  ///
  /// Throws `ColumnValueError` if the stored value is not valid for the column's type.
  public func old<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try value(of: column, in: row.oldValues)
  }

  /// Returns the value of a column after the change; nil if the row is gone, or if the log has no
  /// value because an update left it as it was.
  ///
  /// Throws `ColumnValueError` if the stored value is not valid for the column's type.
  public func new<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try value(of: column, in: row.newValues)
  }

  /// Returns whether the column's value differs.
  public func hasColumnChanged<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Bool {
    try position(of: column).map { row.hasChanged(at: $0) } ?? false
  }

  private func position(of column: PartialKeyPath<M>) throws -> Int? {
    let layout = try M.layout
    return layout.index(ofColumn: column).flatMap { row.shape.index(of: layout.columns[$0].name) }
  }

  private func value<Value: ColumnValue>(
    of column: KeyPath<M, ColumnReference<Value>>, in values: [DatabaseValue?]
  ) throws -> Value? {
    let layout = try M.layout
    guard let index = layout.index(ofColumn: column), let place = try position(of: column) else {
      return nil
    }
    do {
      return try values[place]?.read(Value.self, as: layout.columns[index].form)
    } catch let error as ColumnValueError {
      throw located(
        error.at(table: layout.tableName, column: layout.columns[index].name, row: nil))
    }
  }

  /// Returns an error that says in which row and entry the value is.
  private func located(_ error: ColumnValueError) -> ColumnValueError {
    let place = "in the entry \(sequence) of the change log"
    return error.at(table: row.table, column: nil, row: nil, key: keyValues)
      .with(detail: [error.detail, place].compactMap(\.self).joined(separator: ", "))
  }
}
