import SQLCore

// An insert sets the connection's last inserted rowid and an upsert's update does not, so that a rowid
// that the row cannot have tells them apart. A table without rowids is asked twice: first with DO
// NOTHING. The key of a row that was written comes back by RETURNING; the row that made an upsert do
// nothing is looked for, by the constraints for which its clauses are.

extension Insert {
  /// Runs the insert, and tells of each row its key and what became of it.
  func upserted(on core: ConnectionCore) throws -> [Upserted<M>] {
    // The row that is looked for must be the one that was met.
    guard core.isInTransaction else {
      return try core.transaction(.immediate) { try upserted(on: core) }
    }
    let layout = try M.layout
    let hasRowID =
      layout.hasRowID
      && (try? core.collation(ofColumn: "_rowid_", in: layout.tableName)) != nil
    switch source {
    case .query:
      throw QueryError(
        "the insert into \(M.tableName) is of a query, whose rows have no outcome each: `run` "
          + "counts them, and `returning` gives them back")
    case .models(let models):
      return try hasRowID && conflictsAreOfRowID(layout)
        ? upsertedByRowID(models, layout, on: core)
        : upserted(models, layout, hasRowID: hasRowID, on: core)
    case .values(let assignments):
      let setsRowID = assignments.contains {
        $0.column.columnID.map { Int($0.index) } == layout.rowIDColumn
      }
      let isToldByRowID = hasRowID && (layout.rowIDColumn == nil || !setsRowID)
      let row = UpsertedRow(
        insert: try statement(), notInserting: isToldByRowID ? .min : nil,
        doingNothing: try statement(conflicts.map(\.doingNothing)))
      do {
        return [try upserted(row, layout, on: core)]
      } catch let error as DatabaseError {
        throw locate(error, on: core)
      }
    }
  }

  /// Whether the row that is there can only be the one with the rowid of the new one.
  private func conflictsAreOfRowID(_ layout: ModelLayout) -> Bool {
    guard let key = layout.rowIDColumn else { return false }
    func isKey(_ node: ExpressionNode) -> Bool { node.columnID.map { Int($0.index) } == key }
    return conflicts.allSatisfy { clause in
      clause.terms == nil && clause.target.count == 1 && isKey(clause.target[0])
        && !(clause.assignments ?? []).contains { isKey($0.column) }
    }
  }

  /// Where the new row's rowid is that of the row that is there, one statement is run for all models.
  private func upsertedByRowID(
    _ models: [M], _ layout: ModelLayout, on core: ConnectionCore
  ) throws -> [Upserted<M>] {
    var upserted: [Upserted<M>] = []
    upserted.reserveCapacity(models.count)
    try forEachRun(of: models, on: core) { model, row, run in
      let outcome = try core.outcome(notInserting: layout.otherRowID(than: model)) {
        try run()
        return core.changeCount > 0
      }
      var key: M.ID? = models[row].id
      if layout.assignsKey(of: model) {
        key =
          outcome == .inserted
          ? try M.id(fromKeyValues: [.integer(core.lastInsertRowID)]) : nil
      }
      upserted.append(Upserted(outcome: outcome, key: key))
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

  /// The key of the row that kept a new one from being inserted; nil where there is none.
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

/// The statements by which the outcome of one row is found.
private struct UpsertedRow {
  let insert: InsertStatement
  /// A rowid that the row cannot have; nil for a table without rowids.
  let notInserting: Int64?
  let doingNothing: InsertStatement
}

extension ModelLayout {
  /// A rowid that a model in memory does not get: the least one, which SQLite never assigns.
  fileprivate func otherRowID(than model: UnsafeRawPointer) -> Int64 {
    guard let rowIDColumn else { return .min }
    let slot = slots.slots[rowIDColumn]
    let key = try? slot.type.databaseValue(ofColumnAt: model + Int(slot.offset), as: slot.form)
    return key == .integer(.min) ? .max : .min
  }
}

extension StatementPointer {
  /// The values of the row at which the statement stands.
  fileprivate func values() throws -> [DatabaseValue] {
    let row = StatementRow(statement: self)
    var values: [DatabaseValue] = []
    for index in 0..<row.count { values.append(try row.databaseValue(at: index)) }
    return values
  }
}

extension ConnectionCore {
  /// What became of a row, told by whether a statement wrote it and set the last inserted rowid.
  fileprivate func outcome(
    notInserting sentinel: Int64, of run: () throws -> Bool
  ) throws -> UpsertOutcome {
    let last = lastInsertRowID
    lastInsertRowID = sentinel
    // Who asks for the last inserted rowid is told of the one before.
    defer { if lastInsertRowID == sentinel { lastInsertRowID = last } }
    guard try run() else { return .unchanged }
    return lastInsertRowID == sentinel ? .updated : .inserted
  }

  /// Runs an insert of one row to its end; the values that it gives back of it, nil where it wrote
  /// none.
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
