import SQLCore

/// The net change of one row of a logged table in one entry of the change log.
///
/// However often the transaction changed the row, this is one change. A row that ended as it was is
/// not reported. A row that got another key was deleted and inserted.
public struct AnyLogChange: Hashable, Sendable {
  /// Whether the row was inserted, updated or deleted.
  public let kind: RowChangeKind
  /// The values of the primary key, as they are stored.
  public let keyValues: [DatabaseValue]
  let shape: LogShape
  /// The values by their positions in the shape; nil where the log has none.
  let oldValues: [DatabaseValue?]
  let newValues: [DatabaseValue?]

  package init(
    kind: RowChangeKind, keyValues: [DatabaseValue], shape: LogShape,
    oldValues: [DatabaseValue?], newValues: [DatabaseValue?]
  ) {
    self.kind = kind
    self.keyValues = keyValues
    self.shape = shape
    self.oldValues = oldValues
    self.newValues = newValues
  }

  /// The name that the table had when it was changed.
  public var table: String { shape.table }

  /// The columns whose values differ, in the order of the table. For a row that was inserted or
  /// deleted, these are all logged columns.
  public var changedColumns: [String] {
    shape.columns.indices.filter { hasChanged(at: $0) }.map { shape.columns[$0] }
  }

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

  /// The change that takes this one back.
  package var inverted: AnyLogChange {
    let kind: RowChangeKind =
      switch kind {
      case .inserted: .deleted
      case .updated: .updated
      case .deleted: .inserted
      }
    return AnyLogChange(
      kind: kind, keyValues: keyValues, shape: shape, oldValues: newValues, newValues: oldValues)
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
      newValues: narrowed(newValues))
  }

  /// Returns the change with other new values where a closure returns one, by their positions in
  /// the shape.
  func replacing(_ value: (Int) -> DatabaseValue?) -> AnyLogChange {
    AnyLogChange(
      kind: kind, keyValues: keyValues, shape: shape, oldValues: oldValues,
      newValues: newValues.indices.map { value($0) ?? newValues[$0] })
  }
}
