import QueryDSL
import SQLCore

/// The changes that one write made in a model's table, delivered after the write's commit.
///
/// ```swift
/// for await changes in db.changes(of: Post.self) {
///   print(changes.inserted.count, changes.updated.count, changes.deleted.count)
/// }
/// ```
public struct ModelChanges<M: Model>: Sendable {
  /// The label of the write, as in `db.write(label: "import") { … }`; nil without a label.
  public let label: String?

  /// The changed rows, in the order in which the write first changed them.
  public let rows: [RowChange<M>]

  /// Events that concern the table as a whole. If there are any events, `rows` may be incomplete.
  public let events: Set<TableEvent>

  /// The reason why SQLite could not test the predicates of `changes(of:where:)` on these rows. Nil
  /// if the predicates were tested, or if there are no predicates.
  ///
  /// If the reason is not nil, `rows` has every row of the table that the write changed.
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

  /// Whether every row of `rows` matches the predicates of `changes(of:where:)` before or after the
  /// write. True if there are no predicates.
  public var isFiltered: Bool { unfilteredReason == nil }

  /// Whether `rows` lists all changes.
  public var isComplete: Bool { events.isEmpty }

  /// The rows that were inserted.
  @inlinable public var inserted: [RowChange<M>] { rows(of: .inserted) }
  /// The rows that were updated.
  @inlinable public var updated: [RowChange<M>] { rows(of: .updated) }
  /// The rows that were deleted.
  @inlinable public var deleted: [RowChange<M>] { rows(of: .deleted) }

  /// Returns the rows with the given kind of change. Usually all rows of a write have the same
  /// kind, and then the array is returned without copying it.
  @inlinable
  func rows(of kind: RowChangeKind) -> [RowChange<M>] {
    rows.allSatisfy { $0.kind == kind } ? rows : rows.filter { $0.kind == kind }
  }

  /// Returns whether the row with the given key was inserted, updated or deleted. Returns true if
  /// `rows` is incomplete, because the answer is then unknown.
  public func hasPrimaryKeyChanged(_ id: M.ID) -> Bool {
    guard isComplete, let values = try? M.keyValues(of: id) else { return !isComplete }
    return rows.contains { $0.keyValues == values }
  }

  /// Returns whether the column changed in any row. Returns true if `rows` is incomplete, because
  /// the answer is then unknown. Otherwise returns false for a column that is not watched.
  public func hasColumnChanged<Value>(_ column: KeyPath<M, ColumnReference<Value>>) -> Bool {
    !isComplete || rows.contains { $0.hasColumnChanged(column) }
  }

  /// Returns whether the column changed in the row with the given key. Returns true if `rows` is
  /// incomplete, because the answer is then unknown. Otherwise returns false for a column that is
  /// not watched.
  public func hasColumnChanged<Value>(
    _ column: KeyPath<M, ColumnReference<Value>>, ofKey id: M.ID
  ) -> Bool {
    guard isComplete, let values = try? M.keyValues(of: id) else { return !isComplete }
    return rows.contains { $0.keyValues == values && $0.hasColumnChanged(column) }
  }
}

/// The net change of one row of a model's table in one write.
///
/// ```swift
/// for await changes in db.changes(of: Post.self) {
///   for row in changes.updated where row.hasColumnChanged(\.$title) {
///     print(try row.old(\.$title) ?? "", "→", try row.new(\.$title) ?? "")
///   }
/// }
/// ```
///
/// If a write changes a row several times, there is only one row change: from the row before the
/// write to the row after the write. If the row is then the same as before, no change is reported.
public struct RowChange<M: Model>: Sendable {
  /// The same change, with stored values instead of the model's types.
  public let row: AnyRowChange

  /// Whether the row was inserted, updated or deleted. If the key of a row changed, there are two
  /// changes: the row is deleted under the old key and inserted under the new key.
  @inlinable public var kind: RowChangeKind { row.kind }
  /// The stored values of the primary key.
  public var keyValues: [DatabaseValue] { row.keyValues }
  /// The names of the columns whose values changed, in the order of the table. If the row was
  /// inserted or deleted, these are all watched columns and the columns of the primary key. VIRTUAL
  /// generated columns are not reported.
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
  /// `DatabaseError` (misuse) for a column that is not watched, or a VIRTUAL generated column.
  @inlinable
  public func old<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try M.unmanagedLayout._withUnsafeGuaranteedRef { layout in
      guard let index = layout.index(of: column) else { throw Self.isNoColumn(column) }
      let value = try row.old(ofColumn: index, of: layout)
      return try row.read(value, ofColumn: index, of: layout)
    }
  }

  /// Returns the value of a column after the write; nil if the row is gone.
  ///
  /// Throws the same errors as `old(_:)`.
  @inlinable
  public func new<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) throws -> Value? {
    try M.unmanagedLayout._withUnsafeGuaranteedRef { layout in
      guard let index = layout.index(of: column) else { throw Self.isNoColumn(column) }
      let value = try row.new(ofColumn: index, of: layout)
      return try row.read(value, ofColumn: index, of: layout)
    }
  }

  /// Returns whether the column's value changed; false if the column is not watched.
  public func hasColumnChanged<Value>(_ column: KeyPath<M, ColumnReference<Value>>) -> Bool {
    guard let name = M.columnName(of: column) else { return false }
    return row.hasChanged(name)
  }

  @usableFromInline
  static func isNoColumn(_ path: AnyKeyPath) -> any Error {
    DatabaseError.misuse("\(path) is not a column of \(M.self)")
  }
}

extension Model {
  static func columnName<Value>(of column: KeyPath<Self, ColumnReference<Value>>) -> String? {
    guard let layout = try? layout, let index = layout.index(of: column) else { return nil }
    return layout.columns[index].name
  }
}
