import QueryDSL
import SQLCore

/// One attempt to apply changes, in a savepoint that is undone if there are conflicts.
///
/// Rows are deleted first, and then inserted and updated. If a write fails because another row
/// still has the same unique value, it is tried again after the other writes. If two rows exchange
/// their unique values, neither of them can ever be written first. In this case, all rows that are
/// still to be written are deleted, and then inserted with their new values.
struct ApplicationAttempt {
  let connection: Connection
  let changes: [AnyLogChange]
  let decisions: ConflictDecisions
  let foreignKeys: ForeignKeyGraph?
  private let rekeyed: (() throws -> Set<ChangedRow>?)?
  private(set) var conflicts: [(index: Int, conflict: ChangeConflict)] = []
  /// The indices of the insertions whose row existed already.
  private(set) var existing: Set<Int> = []

  /// A row that is still to be written.
  private struct Writing {
    let index: Int
    let key: [DatabaseValue]
    let table: AppliedTable
    /// The columns that are written, as positions in `table.columns`, and their new values.
    var places: [Int]
    var values: [DatabaseValue]
    /// The row before the change; nil if the change inserts the row.
    var row: AppliedRow?
    var inserts: Bool

    func insert(on connection: Connection) throws {
      try table.insert(places, values.map { .value($0) }, on: connection)
    }

    /// Inserts or updates the row.
    func write(on connection: Connection) throws {
      guard !inserts else { return try insert(on: connection) }
      try table.update(key, places, to: values, on: connection)
    }
  }

  private var writings: [Writing] = []
  /// The rows that were written or are still to be written.
  private var written: [ForeignKeyGraph.WrittenRow] = []
  /// The rows that were changed or deleted, with the values that they had before.
  private var former: [ForeignKeyActions.FormerRow] = []

  init(
    connection: Connection, changes: [AnyLogChange], decisions: ConflictDecisions,
    foreignKeys: ForeignKeyGraph?, rekeyed: (() throws -> Set<ChangedRow>?)? = nil
  ) {
    self.connection = connection
    self.changes = changes
    self.decisions = decisions
    self.rekeyed = rekeyed
    // If the database has no foreign keys, no actions have to run and nothing has to be checked.
    self.foreignKeys = foreignKeys.flatMap { $0.keys.isEmpty ? nil : $0 }
  }

  /// - Parameters:
  ///   - table: returns the table with a name; nil if it does not exist.
  ///   - isOutside: returns true for a table that is not one of the tables of the changes. Foreign
  ///     key actions run only in these other tables.
  ///   - enforcing: runs a closure with foreign keys and triggers switched on.
  mutating func run(
    _ table: (String) throws -> AppliedTable?, isOutside: (String) throws -> Bool,
    enforcing: (() throws -> Void) throws -> Void
  ) throws {
    var insertions: [(index: Int, shape: AppliedShape)] = []
    var shapes: [LogShape: AppliedShape] = [:]
    var last: AppliedShape?
    for index in changes.indices where !decisions.kept.contains(index) {
      let change = changes[index]
      // Changes of the same shape usually follow each other, so the shape of the last change is
      // tried first.
      if last?.shape != change.shape {
        last = shapes[change.shape]
        if last == nil, let table = try table(change.table) {
          last = AppliedShape(change.shape, in: table)
          shapes[change.shape] = last
        }
      }
      guard let shape = last else {
        note(index, .schemaChanged(missing: []), nil)
        continue
      }
      if let reason = shape.objection(to: change), !decisions.mayOverwrite(index, reason) {
        note(index, reason, nil)
        continue
      }
      switch change.kind {
      case .deleted: try delete(index, shape)
      case .updated: try prepareUpdate(index, shape)
      case .inserted: insertions.append((index, shape))
      }
    }
    // Insertions come after all deletions, because a row to be deleted may have the same key.
    try insert(insertions)
    guard conflicts.isEmpty else { return }
    try write()
    guard conflicts.isEmpty, let foreignKeys else { return }
    let actions = try ForeignKeyActions(
      after: changes, of: former, by: foreignKeys, rekeyed: rekeyed, on: connection, isOutside)
    for (index, failure) in actions.undecided { note(index, .violates(failure), nil) }
    guard conflicts.isEmpty else { return }
    if !actions.isEmpty {
      try enforcing {
        guard let (index, failure) = try actions.run(on: connection) else { return }
        note(index, .violates(failure), nil)
      }
    }
    guard conflicts.isEmpty else { return }
    try check(foreignKeys)
  }

  private mutating func note(
    _ index: Int, _ reason: ChangeConflict.Reason, _ row: AppliedRow?
  ) {
    let conflict = ChangeConflict(change: changes[index], reason: reason, current: row?.named)
    conflicts.append((index, conflict))
  }

  /// Returns whether the policy lets a change overwrite the row or value that conflicts with it. If
  /// not, records the conflict.
  private mutating func mayOverwrite(
    _ index: Int, _ reason: ChangeConflict.Reason, _ row: AppliedRow?
  ) -> Bool {
    if decisions.mayOverwrite(index, reason) { return true }
    note(index, reason, row)
    return false
  }

  // MARK: Comparing

  private mutating func delete(_ index: Int, _ shape: AppliedShape) throws {
    let change = changes[index]
    let key = shape.key(of: change)
    guard let row = try shape.table.row(withKey: key, on: connection) else { return }
    let differing = shape.changed(by: change).filter {
      shape.value(at: $0, of: row) != change.oldValues[$0]
    }
    guard differing.isEmpty || mayOverwrite(index, .columnsChanged(shape.names(differing)), row)
    else { return }
    try shape.table.delete(withKey: key, on: connection)
    former.append(ForeignKeyActions.FormerRow(index: index, row: row))
  }

  private mutating func prepareUpdate(_ index: Int, _ shape: AppliedShape) throws {
    let change = changes[index]
    let key = shape.key(of: change)
    guard let row = try shape.table.row(withKey: key, on: connection) else {
      return note(index, .rowIsGone, nil)
    }
    let columns = shape.changed(by: change).filter {
      shape.value(at: $0, of: row) != change.newValues[$0]
    }
    let differing = columns.filter { shape.value(at: $0, of: row) != change.oldValues[$0] }
    guard differing.isEmpty || mayOverwrite(index, .columnsChanged(shape.names(differing)), row)
    else { return }
    let (places, values) = shape.newValues(of: change, in: columns)
    guard !values.isEmpty else { return }
    former.append(ForeignKeyActions.FormerRow(index: index, row: row))
    let writing = Writing(
      index: index, key: key, table: shape.table, places: places, values: values, row: row,
      inserts: false)
    writings.append(writing)
    noteWritten(writing)
  }

  /// Inserts rows, many with one statement. If a statement violates a constraint, its rows are
  /// inserted one by one.
  private mutating func insert(_ rows: [(index: Int, shape: AppliedShape)]) throws {
    var (start, values): (Int, [BoundValue]) = (0, [])
    while start < rows.count {
      let shape = rows[start].shape
      let places = shape.writtenPlaces
      // One statement inserts at most about 400 values. This is far below SQLite's limit for the
      // parameters of a statement.
      let limit = min(start + max(400 / max(places.count, 1), 1), rows.count)
      values.removeAll(keepingCapacity: true)
      var end = start
      while end < limit, rows[end].shape === shape,
        shape.appendRow(of: changes[rows[end].index], to: &values)
      {
        end += 1
      }
      do {
        if end > start { try shape.table.insert(places, values, on: connection) }
        for row in rows[start..<end] {
          noteWritten(row.index, shape.table, shape.key(of: changes[row.index]))
        }
        // If the first row lacks a column, it is inserted by a statement of its own.
        if end == start {
          try insert(rows[start].index, shape)
          end += 1
        }
      } catch let error as DatabaseError where error.constraint != nil && end > start {
        for row in rows[start..<end] { try insert(row.index, shape) }
      }
      start = end
    }
  }

  /// Inserts the row of a change. If a row with this key exists and has the same values, does
  /// nothing. If the existing row has other values, there is a conflict, and the policy may decide
  /// to update the row.
  private mutating func insert(_ index: Int, _ shape: AppliedShape) throws {
    let change = changes[index]
    let (places, values) = shape.newValues(of: change, in: shape.changed(by: change))
    var writing = Writing(
      index: index, key: shape.key(of: change), table: shape.table, places: places,
      values: values, row: nil, inserts: true)
    do {
      try writing.insert(on: connection)
      return noteWritten(writing)
    } catch let error as DatabaseError where error.constraint != nil {}
    if let row = try writing.table.row(withKey: writing.key, on: connection) {
      existing.insert(index)
      guard zip(writing.places, writing.values).contains(where: { row.values[$0] != $1 }),
        mayOverwrite(writing.index, .rowExists, row)
      else { return }
      former.append(ForeignKeyActions.FormerRow(index: writing.index, row: row))
      writing.row = row
      writing.inserts = false
    }
    writings.append(writing)
    noteWritten(writing)
  }

  private mutating func noteWritten(_ writing: Writing) {
    noteWritten(writing.index, writing.table, writing.key, former: writing.row)
  }

  private mutating func noteWritten(
    _ index: Int, _ table: AppliedTable, _ key: [DatabaseValue], former: AppliedRow? = nil
  ) {
    guard foreignKeys != nil else { return }
    written.append(.init(index: index, table: table, key: key, former: former))
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

  /// The unique constraint that each row has violated when it was last tried. The key of this
  /// dictionary is the index of the change.
  private var failures: [Int: ConstraintFailure] = [:]

  /// Writes a row. Returns false if another row already has the same key or unique value.
  private mutating func tryWriting(_ writing: Writing) throws -> Bool {
    do {
      try writing.write(on: connection)
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

  /// Turns an update into an insertion: deletes the row now, so that it can be inserted later with
  /// its new values.
  private mutating func lift(_ index: Int) throws {
    guard !writings[index].inserts, var row = writings[index].row else { return }
    let table = writings[index].table
    try table.delete(withKey: writings[index].key, on: connection)
    for (place, value) in zip(writings[index].places, writings[index].values) {
      row.values[place] = value
    }
    writings[index].places = Array(table.columns.indices)
    writings[index].values = row.values
    writings[index].inserts = true
  }

  /// Makes room for rows that cannot be written, because another row already has the same unique
  /// value. If the policy allows this, deletes the other row. Returns whether any row was deleted.
  private mutating func replaceOthers() throws -> Bool {
    var hasReplaced = false
    for writing in writings {
      guard let failure = failures[writing.index],
        decisions.mayOverwrite(writing.index, .notUnique(failure))
      else { continue }
      let values = failure.columns.compactMap { name -> AppliedValue? in
        guard let column = writing.table.index(of: name),
          let place = writing.places.firstIndex(of: column)
        else { return nil }
        return AppliedValue(column: name, value: writing.values[place])
      }
      guard !values.isEmpty, values.count == failure.columns.count else { continue }
      for row in try writing.table.rows(with: values, on: connection) {
        let key = writing.table.keys.compactMap { row[$0] }
        guard try isInTheWay(key, of: writing, failure) else { continue }
        former.append(
          ForeignKeyActions.FormerRow(index: writing.index, row: row, wasReplaced: true))
        try writing.table.delete(withKey: key, on: connection)
        hasReplaced = true
        break
      }
    }
    return hasReplaced
  }

  /// Returns whether the row with this key is the reason why the other row cannot be written: after
  /// a deletion of this row, the constraint is satisfied. Equal values do not prove this, because
  /// the unique index may be partial, or may use another collation than the column does.
  private func isInTheWay(
    _ key: [DatabaseValue], of writing: Writing, _ failure: ConstraintFailure
  ) throws -> Bool {
    var isInTheWay = true
    try connection.savepoint { connection in
      try writing.table.delete(withKey: key, on: connection)
      do {
        try writing.write(on: connection)
      } catch let error as DatabaseError where error.constraint != nil {
        isInTheWay = error.constraint != failure
      }
      try connection.requestRollback()
    }
    return isInTheWay
  }

  // MARK: Foreign keys

  private mutating func check(_ foreignKeys: ForeignKeyGraph) throws {
    for (row, failure) in try foreignKeys.violations(of: written, on: connection) {
      note(row.index, .violates(failure), row.former)
    }
    let dangling = try foreignKeys.violations(afterChangesOf: former.map(\.row), on: connection)
    for (former, failure) in zip(former, dangling) {
      guard let failure, !conflicts.contains(where: { $0.index == former.index }) else { continue }
      note(former.index, .violates(failure), former.row)
    }
  }
}
