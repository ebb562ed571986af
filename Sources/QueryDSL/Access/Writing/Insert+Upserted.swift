import SQLCore

// SQLite sets the last inserted rowid of a connection if an upsert inserts a row, but not if the
// upsert updates a row. So before the upsert, the library sets this rowid to a value that the new
// row cannot have. If the last inserted rowid still has this value after the upsert, no row was
// inserted. For a table without rowids, and in a remote database, the library first runs the insert
// with DO NOTHING and then, if nothing was inserted, the upsert.
//
// RETURNING returns the key of a written row. If the upsert wrote nothing, the library looks up the
// row that caused the conflict, by the constraints of the upsert's clauses.

extension Insert where M: Model {
  /// Runs the insert, and returns the outcome and the key of each row.
  func upserted(on core: ConnectionCore) throws -> [Upserted<M>] {
    try explainingConflicts(on: core) { try upsertedAtOnce(on: core) }
  }

  private func upsertedAtOnce(on core: ConnectionCore) throws -> [Upserted<M>] {
    // The lookup of the row that caused the conflict must run in the same transaction as the
    // insert.
    guard core.isInTransaction else {
      return try core.transaction(.immediate) { try upsertedInTransaction(on: core) }
    }
    return try allOrNothing(on: core) { try upsertedInTransaction(on: core) }
  }

  private func upsertedInTransaction(on core: ConnectionCore) throws -> [Upserted<M>] {
    let layout = try M.layout
    // The library cannot set the last inserted rowid of a remote database.
    let hasRowID =
      layout.hasRowID && !core.isRemote
      && (try? core.collation(ofColumn: "_rowid_", in: layout.tableName)) != nil
    switch source {
    case .query:
      throw QueryError(
        "an insert of a query into \(M.tableName) cannot report the outcome of each row; use `run` "
          + "to count the rows, or `returning` to get them")
    case .models(let models):
      return try hasRowID && conflictsAreOfRowID(layout)
        ? upsertedByRowID(models, layout, on: core)
        : upserted(models, layout, hasRowID: hasRowID, on: core)
    case .values(let assignments):
      let row = UpsertedRow(
        insert: try statement(),
        notInserting: hasRowID && !setsRowID(assignments.map(\.column), layout) ? .min : nil,
        doingNothing: try statement(conflicts.map(\.doingNothing)))
      do {
        return [try upserted(row, layout, on: core)]
      } catch let error as DatabaseError {
        throw locate(error, on: core)
      }
    case .rows(let rows):
      let isShownByRowID = hasRowID && !setsRowID(rows.columns, layout)
      return try rows.indices.map { index in
        let row = UpsertedRow(
          insert: try statement(of: rows, index..<index + 1),
          notInserting: isShownByRowID ? .min : nil,
          doingNothing: try statement(
            of: rows, index..<index + 1, conflicts.map(\.doingNothing)))
        do {
          return try upserted(row, layout, on: core)
        } catch let error as DatabaseError {
          throw locate(error, on: core).at(row: rows.count > 1 ? index : nil)
        }
      }
    }
  }

  /// Returns whether one of the columns is the table's INTEGER PRIMARY KEY, which is the rowid.
  private func setsRowID(_ columns: [ExpressionNode], _ layout: ModelLayout) -> Bool {
    guard let rowID = layout.rowIDColumn else { return false }
    return columns.contains { $0.columnID.map { Int($0.index) } == rowID }
  }

  /// Returns whether every ON CONFLICT clause names only the rowid column, and does not change it.
  private func conflictsAreOfRowID(_ layout: ModelLayout) -> Bool {
    guard let key = layout.rowIDColumn else { return false }
    func isKey(_ node: ExpressionNode) -> Bool { node.columnID.map { Int($0.index) } == key }
    return conflicts.allSatisfy { clause in
      clause.terms == nil && clause.target.count == 1 && isKey(clause.target[0])
        && !(clause.assignments ?? []).contains { isKey($0.column) }
    }
  }

  /// Runs one statement for each model. All ON CONFLICT clauses name only the rowid column, so an
  /// existing row has the model's key, and no lookup is needed.
  private func upsertedByRowID(
    _ models: [M], _ layout: ModelLayout, on core: ConnectionCore
  ) throws -> [Upserted<M>] {
    var outcomes: [RowIDOutcome] = []
    outcomes.reserveCapacity(models.count)
    let writing = ModelWriting(core: core, layout: layout)
    try forEachRun(of: models, on: core) { model, _, run in
      let outcome = try core.outcome(notInserting: layout.otherRowID(than: model)) {
        try run()
        return core.changeCount > 0
      }
      if layout.assignsKey(of: model) {
        let key = outcome == .inserted ? core.lastInsertRowID : nil
        outcomes.append(RowIDOutcome(outcome, assigned: key))
      } else if outcome == .unchanged, try !writing.exists(model, row: nil) {
        // No row has the model's key. SQLite ignored the insert for a reason other than a conflict
        // of this key, such as a trigger.
        outcomes.append(RowIDOutcome(outcome, assigned: nil))
      } else {
        outcomes.append(RowIDOutcome(outcome))
      }
    }
    return try Self.upserted(models, outcomes)
  }

  /// Returns the outcomes with the keys of the models.
  ///
  /// This loop is a separate function, because the generic types of the result are looked up once
  /// for each call of the function. In the closure of `upsertedByRowID`, they would be looked up
  /// for each row, which would take a fifth of the closure's time.
  private static func upserted(
    _ models: [M], _ outcomes: [RowIDOutcome]
  ) throws -> [Upserted<M>] {
    var upserted: [Upserted<M>] = []
    upserted.reserveCapacity(models.count)
    try models.withUnsafeBufferPointer { models in
      for row in outcomes.indices {
        let outcome = outcomes[row]
        if !outcome.hasAssignedKey {
          upserted.append(Upserted(outcome: outcome.outcome, key: models[row].id))
        } else {
          let key = try outcome.assignedKey.map { try M.id(fromKeyValues: [.integer($0)]) }
          upserted.append(Upserted(outcome: outcome.outcome, key: key))
        }
      }
    }
    return upserted
  }

  private func upserted(
    _ models: [M], _ layout: ModelLayout, hasRowID: Bool, on core: ConnectionCore
  ) throws -> [Upserted<M>] {
    var upserted: [Upserted<M>] = []
    upserted.reserveCapacity(models.count)
    try forEach(of: models, layout) { model, row in
      do {
        let row = UpsertedRow(
          insert: try statement(for: model),
          notInserting: hasRowID ? layout.otherRowID(than: model) : nil,
          doingNothing: try statement(for: model, conflicts.map(\.doingNothing)))
        upserted.append(try self.upserted(row, layout, on: core))
      } catch let error as DatabaseError {
        throw layout.locate(error, writing: model, on: core)
          .at(row: models.count > 1 ? row : nil)
      }
    }
    return upserted
  }

  private func upserted(
    _ row: UpsertedRow, _ layout: ModelLayout, on core: ConnectionCore
  ) throws -> Upserted<M> {
    let returning = ReturningClause(
      table: columns.table,
      terms: layout.keyColumns.map {
        .expression(
          .column(ColumnID(table: columns.table, index: UInt16(truncatingIfNeeded: $0))))
      })
    let outcome: UpsertOutcome
    var key: [DatabaseValue]?
    if let sentinel = row.notInserting {
      outcome = try core.outcome(notInserting: sentinel) {
        key = try core.returnedRow(of: row.insert, returning)
        return core.changeCount > 0
      }
    } else {
      outcome = try core.savepoint {
        key = try core.returnedRow(of: row.doingNothing, returning)
        if core.changeCount > 0 { return .inserted }
        key = try core.returnedRow(of: row.insert, returning)
        return core.changeCount > 0 ? .updated : .unchanged
      }
    }
    if outcome == .unchanged { key = try keptRow(row.insert, layout, on: core) }
    return Upserted(outcome: outcome, key: try key.map { try M.id(fromKeyValues: $0) })
  }

  /// Returns the key of the existing row with which the new row conflicts; nil if there is no such
  /// row.
  private func keptRow(
    _ insert: InsertStatement, _ layout: ModelLayout, on core: ConnectionCore
  ) throws -> [DatabaseValue]? {
    let row = try NewRow(of: insert, layout, on: core)
    for clause in conflicts {
      for constraint in try clause.constraints(of: layout, on: core) {
        let lookup = ConflictLookup(layout: layout, row: row, constraint: constraint)
        let statement = try core.lendStatement(for: lookup)
        defer { core.giveBack(statement) }
        if try core.step(statement) { return try statement.values() }
      }
    }
    return nil
  }
}

/// The outcome of an upsert for one row whose key is its rowid.
private struct RowIDOutcome {
  let outcome: UpsertOutcome
  /// Whether the row has the key `assignedKey`. If not, the row has the key of the model.
  let hasAssignedKey: Bool
  /// The key that the database assigned to the new row; nil if it assigned no key.
  let assignedKey: Int64?

  init(_ outcome: UpsertOutcome) {
    self.outcome = outcome
    hasAssignedKey = false
    assignedKey = nil
  }

  init(_ outcome: UpsertOutcome, assigned key: Int64?) {
    self.outcome = outcome
    hasAssignedKey = true
    assignedKey = key
  }
}

/// The statements that upsert one row and show the outcome.
private struct UpsertedRow {
  let insert: InsertStatement
  /// A rowid that the new row cannot have. The last inserted rowid is set to this value before the
  /// insert. If nil, the last inserted rowid cannot show the outcome, for example in a table
  /// without rowids.
  let notInserting: Int64?
  let doingNothing: InsertStatement
}

extension ModelLayout {
  /// Returns a rowid that differs from the model's rowid. It is the least rowid, which SQLite never
  /// assigns itself, or the greatest one if the model has the least.
  fileprivate func otherRowID(than model: UnsafeRawPointer) -> Int64 {
    guard let rowIDColumn else { return .min }
    let slot = slots.slots[rowIDColumn]
    let key = try? slot.type._databaseValue(ofColumnAt: model + Int(slot.offset), as: slot.form)
    return key == .integer(.min) ? .max : .min
  }
}

extension StatementPointer {
  /// Returns the values of the statement's current row.
  fileprivate func values() throws -> [DatabaseValue] {
    let row = StatementRow(statement: self)
    var values: [DatabaseValue] = []
    for index in 0..<row.count { values.append(try row.databaseValue(at: index)) }
    return values
  }
}

extension ConnectionCore {
  /// Runs a closure that upserts a row, and returns the outcome. If the closure wrote a row, the
  /// last inserted rowid shows the outcome: the row was updated if this rowid is still `sentinel`,
  /// and otherwise inserted.
  fileprivate func outcome(
    notInserting sentinel: Int64, of run: () throws -> Bool
  ) throws -> UpsertOutcome {
    let last = lastInsertRowID
    lastInsertRowID = sentinel
    // If no row was inserted, restores the last inserted rowid.
    defer { if lastInsertRowID == sentinel { lastInsertRowID = last } }
    guard try run() else { return .unchanged }
    return lastInsertRowID == sentinel ? .updated : .inserted
  }

  /// Runs an insert of one row to its end, and returns its RETURNING values; nil if no row was
  /// written.
  fileprivate func returnedRow(
    of insert: InsertStatement, _ returning: ReturningClause
  ) throws -> [DatabaseValue]? {
    let statement = try lendStatement(
      for: ReturningStatement(command: insert, returning: returning))
    defer { giveBack(statement) }
    guard try step(statement) else { return nil }
    let values = try statement.values()
    while try step(statement) {}
    return values
  }
}
