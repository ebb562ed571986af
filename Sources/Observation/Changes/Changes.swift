import QueryDSL
import SQLCore

/// What one write changed in a model's table, after its commit.
public struct Changes<M: Model>: Sendable {
  /// What the write was called: `db.write(label: "import") { … }`; nil where it was not.
  public let label: String?

  /// The rows that differ, in the order in which they were first touched.
  public let rows: [RowChange<M>]

  /// What happened to the table besides; where it is not empty, `rows` may lack some.
  public let events: Set<TableEvent>

  /// Why the predicates of `changes(of:where:)` could not be tested on these rows; nil if they were,
  /// and where there are none.
  ///
  /// Where it is set, `rows` has every row of the table that the write changed.
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

  /// Whether `rows` are those for which the predicates of `changes(of:where:)` held before the
  /// write, or hold after it; true where there are none.
  public var isFiltered: Bool { unfilteredReason == nil }

  /// Whether `rows` is all that changed.
  public var isComplete: Bool { events.isEmpty }

  /// The rows that were not there before.
  @inlinable public var inserted: [RowChange<M>] { rows.filter { $0.kind == .inserted } }
  /// The rows that have other values.
  @inlinable public var updated: [RowChange<M>] { rows.filter { $0.kind == .updated } }
  /// The rows that are gone.
  @inlinable public var deleted: [RowChange<M>] { rows.filter { $0.kind == .deleted } }

  /// Whether the row with that key differs, came or went; true where that is not known.
  public func hasPrimaryKeyChanged(_ id: M.ID) -> Bool {
    guard isComplete, let values = try? M.keyValues(of: id) else { return !isComplete }
    return rows.contains { $0.keyValues == values }
  }

  /// Whether the column differs in some row; true where that is not known.
  public func hasColumnChanged<Value>(_ column: KeyPath<M, ColumnReference<Value>>) -> Bool {
    !isComplete || rows.contains { $0.hasColumnChanged(column) }
  }

  /// Whether the column differs in the row with that key; true where that is not known.
  public func hasColumnChanged<Value>(
    _ column: KeyPath<M, ColumnReference<Value>>, ofKey id: M.ID
  ) -> Bool {
    guard isComplete, let values = try? M.keyValues(of: id) else { return !isComplete }
    return rows.contains { $0.keyValues == values && $0.hasColumnChanged(column) }
  }
}
