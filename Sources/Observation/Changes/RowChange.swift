import QueryDSL
import SQLCore

/// What a transaction did to one row of a model's table, in the end.
///
/// However often a row was touched, it is one change, from what it was before the transaction to
/// what it is after; a row that is as it was is none.
public struct RowChange<M: Model>: Sendable {
  /// What happened to the row.
  public enum Kind: Hashable, Sendable {
    /// It was not there before.
    case inserted
    /// It was there before, and has other values.
    case updated
    /// It is not there any more.
    case deleted
  }

  /// What happened to the row. One whose key changed is deleted under the old key and inserted
  /// under the new one.
  public let kind: Kind
  /// The values of the primary key, as they are stored.
  public let keyValues: [DatabaseValue]
  /// The columns whose values differ, in the order of the table; of a row that was inserted or
  /// deleted, all that are watched.
  public let changedColumns: [String]

  private let columns: [String]
  private let oldValues: [DatabaseValue]?
  private let newValues: [DatabaseValue]?

  init(_ change: NetChange, in table: CommittedChanges.Table) {
    keyValues = change.key.values
    columns = table.columns
    oldValues = change.old
    newValues = change.new
    switch (change.old, change.new) {
    case (let old?, let new?):
      kind = .updated
      changedColumns = table.columns.indices.filter { old[$0] != new[$0] }.map { table.columns[$0] }
    case (nil, _):
      kind = .inserted
      changedColumns = table.columns
    case (_, nil):
      kind = .deleted
      changedColumns = table.columns
    }
  }

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
    try value(of: column, in: oldValues)
  }

  /// The value of a column after; nil where the row is gone.
  ///
  /// Throws as `old(_:)` does.
  public func new<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try value(of: column, in: newValues)
  }

  /// Whether the column's value differs.
  public func hasColumnChanged<Value>(_ column: KeyPath<M, ColumnReference<Value>>) -> Bool {
    guard let name = M.columnName(of: column) else { return false }
    return changedColumns.contains { $0.lowercasedASCII == name.lowercasedASCII }
  }

  private func value<Value: ColumnValue>(
    of column: KeyPath<M, ColumnReference<Value>>, in values: [DatabaseValue]?
  ) throws -> Value? {
    let layout = try M.layout
    guard let index = layout.index(of: column) else {
      throw DatabaseError.misuse("\(column) names no column of \(M.self)")
    }
    guard let values else { return nil }
    let declared = layout.columns[index]
    let stored: DatabaseValue
    if let key = layout.keyColumns.firstIndex(of: index) {
      stored = keyValues[key]
    } else if let place = columns.firstIndex(where: {
      $0.lowercasedASCII == declared.name.lowercasedASCII
    }) {
      stored = values[place]
    } else {
      throw DatabaseError.misuse(
        "\(declared.name) is not among the columns that are watched; name it in `columns:`")
    }
    do {
      return try stored.read(Value.self, as: declared.form)
    } catch let error as ColumnValueError {
      throw error.at(table: layout.tableName, column: declared.name, row: nil)
    }
  }
}

extension Model {
  static func columnName<Value>(of column: KeyPath<Self, ColumnReference<Value>>) -> String? {
    guard let layout = try? layout, let index = layout.index(of: column) else { return nil }
    return layout.columns[index].name
  }
}
