import ChangeObservation
import QueryDSL
import SQLCore

/// The net change of one row of a model's table in one entry of the change log.
public struct LogChange<M: Model>: Sendable {
  /// The same change, without the model.
  public let row: AnyLogChange
  /// The number of the entry.
  let sequence: Int64

  /// Whether the row was inserted, updated or deleted.
  public var kind: RowChangeKind { row.kind }
  /// The stored values of the primary key.
  public var keyValues: [DatabaseValue] { row.keyValues }
  /// The columns whose changes the log cannot show; empty for nearly every change.
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

  /// Returns the value of a column before the change. Nil if the row did not exist, or if an update
  /// left the column unchanged, because the log then has no value.
  ///
  /// Throws `ColumnValueError` if the stored value is not valid for the column's type.
  public func old<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try value(of: column, in: row.oldValues)
  }

  /// Returns the value of a column after the change. Nil if the row is gone, or if an update left
  /// the column unchanged, because the log then has no value.
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

  /// Returns an error that names the row and the entry of the value.
  private func located(_ error: ColumnValueError) -> ColumnValueError {
    let place = "in the entry \(sequence) of the change log"
    return error.at(table: row.table, column: nil, row: nil, key: keyValues)
      .with(detail: [error.detail, place].compactMap(\.self).joined(separator: ", "))
  }
}

/// The net change of one row of a logged table in one entry of the change log.
///
/// However often the transaction changed the row, this is one change. A row that is unchanged in
/// the end is not reported. A row that got another key was deleted and inserted.
public struct AnyLogChange: Hashable, Sendable {
  /// Whether the row was inserted, updated or deleted.
  public let kind: RowChangeKind
  /// The stored values of the primary key.
  public let keyValues: [DatabaseValue]
  let shape: LogShape
  /// The values by their positions in the shape; nil if the log has no value.
  let oldValues: [DatabaseValue?]
  let newValues: [DatabaseValue?]
  /// The positions of the columns whose changes the log does not show.
  let uncertain: [Int]
  /// Whether the change is from a log, which knows only the columns of its triggers. The table may
  /// have had others.
  let isFromLog: Bool
  /// Whether the change takes back another one.
  let isInverse: Bool

  init(
    kind: RowChangeKind, keyValues: [DatabaseValue], shape: LogShape,
    oldValues: [DatabaseValue?], newValues: [DatabaseValue?], uncertain: [Int] = [],
    isFromLog: Bool = false, isInverse: Bool = false
  ) {
    self.kind = kind
    self.keyValues = keyValues
    self.shape = shape
    self.oldValues = oldValues
    self.newValues = newValues
    self.uncertain = uncertain
    self.isFromLog = isFromLog
    self.isInverse = isInverse
  }

  /// The name that the table had when it was changed.
  public var table: String { shape.table }

  /// The columns whose values differ, in the order of the table. For a row that was inserted or
  /// deleted, these are all logged columns.
  public var changedColumns: [String] {
    shape.columns.indices.filter { hasChanged(at: $0) }.map { shape.columns[$0] }
  }

  /// The columns whose changes the log cannot show; empty for nearly every change.
  ///
  /// A column is uncertain if a trigger changes the row that fires it in a way that SQLite leaves
  /// undefined, or reports with values that the row never had. Such triggers are a trigger before
  /// an update or a deletion, and a trigger that writes its own table when REPLACE deletes a row.
  /// The log then has no values for these columns. If even the kind of the change is uncertain, all
  /// columns are. Undoing or applying such a change is a conflict,
  /// `ChangeConflict.Reason.uncertain`.
  /// - SeeAlso: <https://www.sqlite.org/lang_createtrigger.html#cautions_on_the_use_of_before_triggers>
  public var uncertainColumns: [String] { uncertain.map { shape.columns[$0] } }

  /// Returns the value of a column before the change, found by its name, ignoring case; nil if the
  /// row did not exist, if an update left the value as it was, or if the column is not logged.
  public func old(_ column: String) -> DatabaseValue? {
    shape.index(of: column).flatMap { oldValues[$0] }
  }

  /// Returns the value of a column after the change; nil if the row is gone, if an update left the
  /// value as it was, or if the column is not logged.
  public func new(_ column: String) -> DatabaseValue? {
    shape.index(of: column).flatMap { newValues[$0] }
  }

  /// The change that reverses this change.
  var inverted: AnyLogChange {
    let kind: RowChangeKind =
      switch kind {
      case .inserted: .deleted
      case .updated: .updated
      case .deleted: .inserted
      }
    return AnyLogChange(
      kind: kind, keyValues: keyValues, shape: shape, oldValues: newValues, newValues: oldValues,
      uncertain: uncertain, isFromLog: isFromLog, isInverse: true)
  }

  func hasChanged(at index: Int) -> Bool {
    kind != .updated || !shape.key.contains(index) && oldValues[index] != nil
  }
}

extension LogShape {
  /// Returns the position of a column, found by its name, ignoring case.
  func index(of column: String) -> Int? { columns.firstIndex { $0.isSame(as: column) } }
}

extension AnyLogChange {
  /// Returns the change of only some of the columns, by their positions in the shape.
  func narrowed(to columns: Set<Int>) -> AnyLogChange {
    func narrowed(_ values: [DatabaseValue?]) -> [DatabaseValue?] {
      values.indices.map { columns.contains($0) ? values[$0] : nil }
    }
    return AnyLogChange(
      kind: kind, keyValues: keyValues, shape: shape, oldValues: narrowed(oldValues),
      newValues: narrowed(newValues), uncertain: uncertain.filter(columns.contains),
      isFromLog: isFromLog)
  }

  /// Returns the change with other new values where a closure returns one, by their positions in
  /// the shape.
  func replacing(_ value: (Int) -> DatabaseValue?) -> AnyLogChange {
    AnyLogChange(
      kind: kind, keyValues: keyValues, shape: shape, oldValues: oldValues,
      newValues: newValues.indices.map { value($0) ?? newValues[$0] }, uncertain: uncertain,
      isFromLog: isFromLog)
  }
}

extension RowChangeKind {
  /// The name of the kind in the tables of the change log, and in batches.
  var name: String {
    switch self {
    case .inserted: "insert"
    case .updated: "update"
    case .deleted: "delete"
    }
  }

  init?(named name: String) {
    switch name {
    case "insert": self = .inserted
    case "update": self = .updated
    case "delete": self = .deleted
    default: return nil
    }
  }
}
