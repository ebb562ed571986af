import QueryDSL
import SQLCore

/// The changes of one write in a model's table, delivered after its commit.
public struct ModelChanges<M: Model>: Sendable {
  /// The label of the write, as in `db.write(label: "import") { … }`; nil if it has none.
  public let label: String?

  /// The rows that differ, in the order in which they were first changed.
  public let rows: [RowChange<M>]

  /// Further events of the table. If there are any, `rows` may be incomplete.
  public let events: Set<TableEvent>

  /// The reason why the predicates of `changes(of:where:)` could not be tested on these rows; nil
  /// if they were, or if there are no predicates.
  ///
  /// If it is set, `rows` has every row of the table that the write changed.
  public let unfilteredReason: String?

  init(
    label: String?, rows: [RowChange<M>], events: Set<TableEvent>,
    unfilteredReason: String? = nil
  ) {
    self.label = label
    self.rows = rows
    self.events = events
    self.unfilteredReason = unfilteredReason
  }

  /// Whether `rows` has only rows for which the predicates of `changes(of:where:)` held before the
  /// write or hold after it; true if there are no predicates.
  public var isFiltered: Bool { unfilteredReason == nil }

  /// Whether `rows` lists all changes.
  public var isComplete: Bool { events.isEmpty }

  /// The rows that were inserted.
  @inlinable public var inserted: [RowChange<M>] { rows(of: .inserted) }
  /// The rows that were updated.
  @inlinable public var updated: [RowChange<M>] { rows(of: .updated) }
  /// The rows that were deleted.
  @inlinable public var deleted: [RowChange<M>] { rows(of: .deleted) }

  /// Returns the rows of a kind. A write usually changes all rows in the same way, and then they are
  /// not copied.
  @inlinable
  func rows(of kind: RowChangeKind) -> [RowChange<M>] {
    rows.allSatisfy { $0.kind == kind } ? rows : rows.filter { $0.kind == kind }
  }

  /// Returns whether the row with the given key was inserted, updated or deleted; true if that is
  /// unknown.
  public func hasPrimaryKeyChanged(_ id: M.ID) -> Bool {
    guard isComplete, let values = try? M.keyValues(of: id) else { return !isComplete }
    return rows.contains { $0.keyValues == values }
  }

  /// Returns whether the column differs in any row; true if that is unknown.
  public func hasColumnChanged<Value>(_ column: KeyPath<M, ColumnReference<Value>>) -> Bool {
    !isComplete || rows.contains { $0.hasColumnChanged(column) }
  }

  /// Returns whether the column differs in the row with the given key; true if that is unknown.
  public func hasColumnChanged<Value>(
    _ column: KeyPath<M, ColumnReference<Value>>, ofKey id: M.ID
  ) -> Bool {
    guard isComplete, let values = try? M.keyValues(of: id) else { return !isComplete }
    return rows.contains { $0.keyValues == values && $0.hasColumnChanged(column) }
  }
}
