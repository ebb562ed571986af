import QueryDSL
import SQLCore

/// What one transaction changed in a model's table, after its commit.
public struct Changes<M: Model>: Sendable {
  /// The rows that differ, in the order in which they were first touched.
  public let rows: [RowChange<M>]

  /// True where something may have changed that was not recorded row by row: the schema changed,
  /// or a transaction was running when the watching began. `rows` may be incomplete then.
  public let isUnknown: Bool

  /// The rows that were not there before.
  public var inserted: [RowChange<M>] { rows.filter { $0.kind == .inserted } }
  /// The rows that have other values.
  public var updated: [RowChange<M>] { rows.filter { $0.kind == .updated } }
  /// The rows that are gone.
  public var deleted: [RowChange<M>] { rows.filter { $0.kind == .deleted } }

  /// Whether the row with that key differs, came or went; true where that is not known.
  public func hasPrimaryKeyChanged(_ id: M.ID) -> Bool {
    guard let values = try? M.keyValues(of: id) else { return isUnknown }
    return isUnknown || rows.contains { $0.keyValues == values }
  }

  /// Whether the column differs in some row; true where that is not known.
  public func hasColumnChanged<Value>(_ column: KeyPath<M, ColumnReference<Value>>) -> Bool {
    isUnknown || rows.contains { $0.hasColumnChanged(column) }
  }

  /// Whether the column differs in the row with that key; true where that is not known.
  public func hasColumnChanged<Value>(
    _ column: KeyPath<M, ColumnReference<Value>>, ofKey id: M.ID
  ) -> Bool {
    guard let values = try? M.keyValues(of: id) else { return isUnknown }
    return isUnknown
      || rows.contains { $0.keyValues == values && $0.hasColumnChanged(column) }
  }
}
