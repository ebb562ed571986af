import QueryDSL
import SQLCore

/// One attempt to apply changes, in a savepoint that is undone if there are conflicts.
///
/// Rows are deleted first, then updated and inserted. A row whose unique value another row of the
/// changes still has is tried again after the others. If rows exchange their values, so that each
/// waits for another, they are deleted and inserted again.
struct ApplicationAttempt {
  let connection: Connection
  let changes: [AnyLogChange]
  let decisions: ConflictDecisions
  let foreignKeys: ForeignKeyGraph?
  private(set) var conflicts: [(index: Int, conflict: ChangeConflict)] = []

  /// A row that is still to be written.
  private struct Writing {
    let index: Int
    let table: AppliedTable
    var values: [AppliedValue]
    /// The row as it was; nil if it is inserted.
    let row: AppliedRow?
    var inserts: Bool
  }

  private var writings: [Writing] = []
  /// The rows as they were, of those that were changed or deleted.
  private var former: [ForeignKeyActions.FormerRow] = []

  init(
    connection: Connection, changes: [AnyLogChange], decisions: ConflictDecisions,
    foreignKeys: ForeignKeyGraph?
  ) {
    self.connection = connection
    self.changes = changes
    self.decisions = decisions
    self.foreignKeys = foreignKeys
  }

  /// - Parameters:
  ///   - table: returns a table as it is now.
  ///   - isOutside: whether the rows of a table follow the foreign keys that they have.
  ///   - enforcing: runs a closure with foreign keys and triggers in force.
  mutating func run(
    _ table: (String) throws -> AppliedTable?, isOutside: (String) throws -> Bool,
    enforcing: (() throws -> Void) throws -> Void
  ) throws {
    var insertions: [(Int, AppliedTable)] = []
    for index in changes.indices where !decisions.kept.contains(index) {
      let change = changes[index]
      guard let table = try table(change.table) else {
        note(index, .schemaChanged(missing: []), nil)
        continue
      }
      if let reason = table.objection(to: change), !decisions.mayOverwrite(index, reason) {
        note(index, reason, nil)
        continue
      }
      switch change.kind {
      case .deleted: try delete(index, table)
      case .updated: try prepareUpdate(index, table)
      case .inserted: insertions.append((index, table))
      }
    }
    // The key of a deleted row may be in the way of an insertion, so that these are looked at last.
    for (index, table) in insertions { try prepareInsertion(index, table) }
    guard conflicts.isEmpty else { return }
    let written = writings
    try write()
    guard conflicts.isEmpty, let foreignKeys else { return }
    let actions = try ForeignKeyActions(
      after: changes, of: former, by: foreignKeys, on: connection, isOutside)
    for (index, failure) in actions.undecided { note(index, .violates(failure), nil) }
    guard conflicts.isEmpty else { return }
    if !actions.isEmpty {
      try enforcing {
        guard let (index, failure) = try actions.run(on: connection) else { return }
        note(index, .violates(failure), nil)
      }
    }
    guard conflicts.isEmpty else { return }
    try check(foreignKeys, of: written)
  }

  private mutating func note(
    _ index: Int, _ reason: ChangeConflict.Reason, _ row: AppliedRow?
  ) {
    let conflict = ChangeConflict(change: changes[index], reason: reason, current: row?.values)
    conflicts.append((index, conflict))
  }

  /// Notes a conflict. Returns whether the change may be made all the same.
  private mutating func mayOverwrite(
    _ index: Int, _ reason: ChangeConflict.Reason, _ row: AppliedRow?
  ) -> Bool {
    if decisions.mayOverwrite(index, reason) { return true }
    note(index, reason, row)
    return false
  }

  // MARK: Comparing

  private mutating func delete(_ index: Int, _ table: AppliedTable) throws {
    let change = changes[index]
    guard let row = try table.row(of: change, on: connection) else { return }
    let differing = table.changedColumns(of: change).filter { row[$0] != change.old($0) }
    guard differing.isEmpty || mayOverwrite(index, .columnsChanged(differing), row) else { return }
    try table.delete(change, on: connection)
    former.append(ForeignKeyActions.FormerRow(index: index, row: row))
  }

  private mutating func prepareUpdate(_ index: Int, _ table: AppliedTable) throws {
    let change = changes[index]
    guard let row = try table.row(of: change, on: connection) else {
      return note(index, .rowIsGone, nil)
    }
    let columns = table.changedColumns(of: change).filter { row[$0] != change.new($0) }
    let differing = columns.filter { row[$0] != change.old($0) }
    guard differing.isEmpty || mayOverwrite(index, .columnsChanged(differing), row) else { return }
    let values = columns.compactMap { name in
      change.new(name).map { AppliedValue(column: name, value: $0) }
    }
    guard !values.isEmpty else { return }
    former.append(ForeignKeyActions.FormerRow(index: index, row: row))
    writings.append(
      Writing(index: index, table: table, values: values, row: row, inserts: false))
  }

  private mutating func prepareInsertion(_ index: Int, _ table: AppliedTable) throws {
    let change = changes[index]
    let values = table.changedColumns(of: change).compactMap { name in
      change.new(name).map { AppliedValue(column: name, value: $0) }
    }
    let row = try table.row(of: change, on: connection)
    if let row {
      guard values.contains(where: { row[$0.column] != $0.value }),
        mayOverwrite(index, .rowExists, row)
      else { return }
      former.append(ForeignKeyActions.FormerRow(index: index, row: row))
    }
    writings.append(
      Writing(index: index, table: table, values: values, row: row, inserts: row == nil))
  }

  // MARK: Writing

  private mutating func write() throws {
    var hasLifted = false
    while !writings.isEmpty {
      let waiting = try writings.filter { try !tryWriting($0) }
      let hasProgress = waiting.count < writings.count
      writings = waiting
      guard conflicts.isEmpty else { return }
      guard !hasProgress, !waiting.isEmpty else { continue }
      if !hasLifted {
        hasLifted = true
        for index in writings.indices { try lift(index) }
      } else if try !replaceOthers() {
        for writing in writings {
          note(writing.index, .notUnique(failures[writing.index] ?? .init(kind: .unique)), nil)
        }
        return
      }
    }
  }

  /// The unique constraint that each waiting row violated last.
  private var failures: [Int: ConstraintFailure] = [:]

  /// Writes a row. Returns false if another row has a value that must be unique.
  private mutating func tryWriting(_ writing: Writing) throws -> Bool {
    do {
      if writing.inserts {
        try writing.table.insert(writing.values, on: connection)
      } else {
        try writing.table.update(changes[writing.index], to: writing.values, on: connection)
      }
      return true
    } catch let error as DatabaseError {
      guard let failure = error.constraint else { throw error }
      switch failure.kind {
      case .unique, .primaryKey:
        failures[writing.index] = failure
        return false
      default:
        note(writing.index, .violates(failure), writing.row)
        return true
      }
    }
  }

  /// Deletes a row that is to be updated, to insert it with its new values.
  private mutating func lift(_ index: Int) throws {
    guard !writings[index].inserts, var row = writings[index].row else { return }
    let table = writings[index].table
    try table.delete(changes[writings[index].index], on: connection)
    for value in writings[index].values { row.set(value) }
    writings[index].values = table.columns.compactMap { name in
      row[name].map { AppliedValue(column: name, value: $0) }
    }
    writings[index].inserts = true
  }

  /// Deletes the rows that are in the way of changes which may overwrite them. Returns whether
  /// there were any.
  private mutating func replaceOthers() throws -> Bool {
    var hasReplaced = false
    for writing in writings {
      guard let failure = failures[writing.index],
        decisions.mayOverwrite(writing.index, .notUnique(failure))
      else { continue }
      let values = failure.columns.compactMap { name in
        writing.values.first { $0.column.isSame(as: name) }
      }
      guard !values.isEmpty, values.count == failure.columns.count else { continue }
      guard let row = try writing.table.row(with: values, on: connection) else { continue }
      former.append(
        ForeignKeyActions.FormerRow(index: writing.index, row: row, wasReplaced: true))
      try writing.table.delete(with: values, on: connection)
      hasReplaced = true
    }
    return hasReplaced
  }

  // MARK: Foreign keys

  private mutating func check(_ foreignKeys: ForeignKeyGraph, of written: [Writing]) throws {
    for writing in written {
      let key = writing.table.key(of: changes[writing.index])
      let violation = try foreignKeys.violation(
        ofRow: key, in: writing.table.name, on: connection)
      if let violation { note(writing.index, .violates(violation), writing.row) }
    }
    for former in former {
      let violation = try foreignKeys.violation(
        afterChangeOf: former.row, in: changes[former.index].table, on: connection)
      guard let violation, !conflicts.contains(where: { $0.index == former.index }) else {
        continue
      }
      note(former.index, .violates(violation), former.row)
    }
  }
}
