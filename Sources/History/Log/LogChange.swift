import ChangeObservation
import QueryDSL
import SQLCore

/// The net change of one row of a model's table in one entry of the change log.
public struct LogChange<M: Model>: Sendable {
  /// The same change in untyped form: with the names of the columns and their stored values.
  public let row: AnyLogChange
  /// The number of the entry in the change log.
  let sequence: Int64

  /// Whether the row was inserted, updated or deleted.
  public var kind: RowChangeKind { row.kind }
  /// The stored values of the primary key.
  public var keyValues: [DatabaseValue] { row.keyValues }
  /// The columns whose old and new values the log does not know; empty for nearly every change.
  public var uncertainColumns: [String] { row.uncertainColumns }
  /// The columns whose values differ after the change, in the order in which the log stores them.
  /// If the row was inserted or deleted, these are all logged columns.
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

  /// Returns the value of a column before the change.
  ///
  /// The result is nil if the row did not exist, or if the column is not logged. It is also nil if
  /// an update left the column unchanged, because the log stores only the key and the values that
  /// changed.
  ///
  /// Throws `ColumnValueError` if the stored value is not valid for the column's type.
  public func old<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try value(of: column, in: row.oldValues)
  }

  /// Returns the value of a column after the change.
  ///
  /// The result is nil if the row was deleted, or if the column is not logged. It is also nil if an
  /// update left the column unchanged, because the log stores only the key and the values that
  /// changed.
  ///
  /// Throws `ColumnValueError` if the stored value is not valid for the column's type.
  public func new<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try value(of: column, in: row.newValues)
  }

  /// Returns whether the change gave the column another value.
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

  /// Returns the error, completed by the key of the row and the number of the log entry in which
  /// the invalid value was found.
  private func located(_ error: ColumnValueError) -> ColumnValueError {
    let place = "in the entry \(sequence) of the change log"
    return error.at(table: row.table, column: nil, row: nil, key: keyValues)
      .with(detail: [error.detail, place].compactMap(\.self).joined(separator: ", "))
  }
}

/// The net change of one row of a logged table in one entry of the change log.
///
/// The transaction may have changed the row several times; this change is the difference between
/// the first and the last state. A row whose first and last states are equal is not reported. If
/// the key of a row was changed, the log has a deletion with the old key and an insertion with the
/// new key.
public struct AnyLogChange: Hashable, Sendable {
  /// Whether the row was inserted, updated or deleted.
  public let kind: RowChangeKind
  /// The stored values of the primary key.
  public let keyValues: [DatabaseValue]
  let shape: LogShape
  /// The values before the change, one for each of `shape.columns`. A value is nil if the log does
  /// not have it. `newValues` has the values after the change in the same way.
  let oldValues: [DatabaseValue?]
  let newValues: [DatabaseValue?]
  /// The columns of `uncertainColumns`, as positions in `shape.columns`.
  let uncertain: [Int]
  /// Whether the change was read from a log. Such a change may lack columns of the table: the
  /// triggers log only the columns that the table had when they were created.
  let isFromLog: Bool
  /// Whether the change reverses another change, for an undo or a redo.
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

  /// The columns whose values differ after the change, in the order in which the log stores them.
  /// If the row was inserted or deleted, these are all logged columns.
  public var changedColumns: [String] {
    shape.columns.indices.filter { hasChanged(at: $0) }.map { shape.columns[$0] }
  }

  /// The columns whose old and new values the log does not know; empty for nearly every change.
  ///
  /// This happens if a trigger changes the row whose change has fired the trigger. There are two
  /// cases:
  ///
  /// - A trigger that runs before an update or a deletion changes the row.
  /// - REPLACE deletes a row, and a trigger on deletions writes the table of this row.
  ///
  /// SQLite then leaves the result undefined, or reports values that the row never had. The log has
  /// no values for such columns. If the kind of the change is uncertain as well, all columns are
  /// uncertain. Undoing or applying such a change is a conflict with the reason
  /// `ChangeConflict.Reason.uncertain`.
  ///
  /// - SeeAlso: <https://www.sqlite.org/lang_createtrigger.html#cautions_on_the_use_of_before_triggers>
  public var uncertainColumns: [String] { uncertain.map { shape.columns[$0] } }

  /// Returns the value of a column before the change. The case of the column's name does not
  /// matter.
  ///
  /// The result is nil if the row did not exist, or if the column is not logged. It is also nil if
  /// an update left the column unchanged, unless the column is part of the key.
  public func old(_ column: String) -> DatabaseValue? {
    shape.index(of: column).flatMap { oldValues[$0] }
  }

  /// Returns the value of a column after the change. The case of the column's name does not matter.
  ///
  /// The result is nil if the row was deleted, or if the column is not logged. It is also nil if an
  /// update left the column unchanged, unless the column is part of the key.
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
  /// Returns the position of the column with the given name, in any letter case. Returns nil if the
  /// shape does not have the column.
  func index(of column: String) -> Int? { columns.firstIndex { $0.isSame(as: column) } }
}

extension AnyLogChange {
  /// Returns a copy of the change that keeps only the values of the given columns. `columns` has
  /// the positions of these columns in `shape.columns`. The copy has the same shape.
  func narrowed(to columns: Set<Int>) -> AnyLogChange {
    func narrowed(_ values: [DatabaseValue?]) -> [DatabaseValue?] {
      values.indices.map { columns.contains($0) ? values[$0] : nil }
    }
    return AnyLogChange(
      kind: kind, keyValues: keyValues, shape: shape, oldValues: narrowed(oldValues),
      newValues: narrowed(newValues), uncertain: uncertain.filter(columns.contains),
      isFromLog: isFromLog)
  }

  /// Returns a copy of the change in which some new values are replaced. The closure gets the
  /// position of a column in the shape, and returns the column's new value, or nil to keep the
  /// present one.
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
