import ChangeObservation
import QueryDSL
import SQLCore

/// The tables to which changes from other databases are applied. Former names of tables and columns
/// in these changes are translated to the present names.
struct PresentTables {
  let connection: Connection
  let names: PresentNames
  private var known: [String: AppliedTable?] = [:]

  init(on connection: Connection, _ names: PresentNames) {
    self.connection = connection
    self.names = names
  }

  /// Returns the table with a name. If no table has this name now, returns the table that had the
  /// name before it was renamed. If there is no such table either, returns nil.
  mutating func table(_ name: String) throws -> AppliedTable? {
    if let table = try existing(name) { return table }
    return try names.table(name).flatMap { try existing($0) }
  }

  private mutating func existing(_ name: String) throws -> AppliedTable? {
    if let table = known[name.lowercasedASCII] { return table }
    let table = try AppliedTable(named: name, on: connection)
    known[name.lowercasedASCII] = .some(table)
    return table
  }

  /// Returns the present names of columns in a table. A name stays the same if the table has a
  /// column with this name, or if the column was not renamed.
  func present(_ columns: [String], of table: AppliedTable) -> [String] {
    columns.map { column in
      guard !table.has(column), let name = names.column(column, of: table.name), table.has(name)
      else { return column }
      return name
    }
  }

  /// Returns a change with the names that its table and columns have now.
  mutating func present(_ change: AnyLogChange) throws -> AnyLogChange {
    guard let table = try table(change.table) else { return change }
    let columns = present(change.shape.columns, of: table)
    let isRenamed = !table.name.isSame(as: change.table) || columns != change.shape.columns
    guard isRenamed, Set(columns.map(\.lowercasedASCII)).count == columns.count else {
      return change
    }
    return change.with(
      LogShape(table: table.name, columns: columns, key: change.shape.key))
  }

  mutating func present(_ transaction: LogTransaction) throws -> LogTransaction {
    try transaction.with(transaction.changes.map { try present($0) })
  }
}

extension AnyLogChange {
  /// Returns the change with another shape, which has the same number of columns.
  fileprivate func with(_ shape: LogShape) -> AnyLogChange {
    AnyLogChange(
      kind: kind, keyValues: keyValues, shape: shape, oldValues: oldValues, newValues: newValues,
      uncertain: uncertain, isFromLog: isFromLog)
  }

  /// Returns the change reduced to the columns of the key and the columns for which `isIncluded`
  /// returns true. The shape of the returned change has only these columns.
  func restricted(
    to isIncluded: (String) -> Bool, kind: RowChangeKind? = nil
  ) -> AnyLogChange {
    let places = shape.columns.indices.filter {
      shape.key.contains($0) || isIncluded(shape.columns[$0])
    }
    // If an insertion becomes an update, its columns need old values. An `if` statement is used and
    // no conditional expression, because in such an expression, `nil` would become NULL instead of
    // a missing value.
    var old = places.map { oldValues[$0] }
    if kind == .updated, self.kind == .inserted {
      old = places.map { _ in DatabaseValue.null }
    }
    return AnyLogChange(
      kind: kind ?? self.kind, keyValues: keyValues,
      shape: LogShape(
        table: shape.table, columns: places.map { shape.columns[$0] },
        key: shape.key.compactMap { places.firstIndex(of: $0) }),
      oldValues: old, newValues: places.map { newValues[$0] },
      uncertain: uncertain.compactMap { places.firstIndex(of: $0) }, isFromLog: isFromLog)
  }

  /// Returns the insertion with additional values. Columns that the shape already has are not
  /// replaced.
  func adding(_ values: [String: DatabaseValue]) -> AnyLogChange {
    let names = values.keys.filter { shape.index(of: $0) == nil }.sorted()
    guard !names.isEmpty else { return self }
    return AnyLogChange(
      kind: kind, keyValues: keyValues,
      shape: LogShape(table: shape.table, columns: shape.columns + names, key: shape.key),
      oldValues: oldValues + names.map { _ in Optional<DatabaseValue>.none },
      newValues: newValues + names.map { values[$0] }, uncertain: uncertain, isFromLog: isFromLog)
  }

  /// Returns this change, extended by the columns that only `other` has. `other` is another change
  /// of the same row.
  func merging(_ other: AnyLogChange) -> AnyLogChange {
    guard kind != .deleted else { return self }
    var (columns, old, new) = (shape.columns, oldValues, newValues)
    for (index, column) in other.shape.columns.enumerated()
    where shape.index(of: column) == nil && other.newValues[index] != nil {
      columns.append(column)
      if kind == .inserted {
        old.append(Optional<DatabaseValue>.none)
      } else {
        old.append(other.oldValues[index] ?? DatabaseValue.null)
      }
      new.append(other.newValues[index])
    }
    return AnyLogChange(
      kind: kind, keyValues: keyValues,
      shape: LogShape(table: shape.table, columns: columns, key: shape.key), oldValues: old,
      newValues: new, uncertain: uncertain, isFromLog: isFromLog)
  }
}

extension AnyLogChange {
  /// Returns the changes of a transaction in full: the changes that were applied at once, together
  /// with the changes of the same transaction that had to wait.
  static func merging(
    _ changes: [AnyLogChange], _ waiting: [AnyLogChange]
  ) -> [AnyLogChange] {
    var changes = changes
    for change in waiting {
      let index = changes.firstIndex {
        $0.keyValues == change.keyValues && $0.table.isSame(as: change.table)
      }
      if let index, change.kind == .updated {
        changes[index] = changes[index].merging(change)
      } else {
        changes.append(change)
      }
    }
    return changes
  }
}
