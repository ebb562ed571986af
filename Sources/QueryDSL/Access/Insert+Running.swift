import SQLCore

// Models lie one beside another in their array: the values of each are bound where they are, to one
// statement, which is lent anew only where the database assigns the key of one and not of the next.

extension Insert {
  func forEachStatement(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws {
    guard case .models(let models) = source else {
      return try withStatement(returning: returning, on: core, body)
    }
    let layout = try M.layout
    try forEach(of: models, layout) { model, row in
      let insert = try statement(for: model)
      let lent =
        if let returning {
          try core.lendStatement(for: ReturningStatement(command: insert, returning: returning))
        } else {
          try core.lendStatement(for: insert)
        }
      defer { core.giveBack(lent) }
      do {
        try body(lent)
      } catch let error as DatabaseError {
        throw layout.locate(error, writing: model, on: core).at(row: models.count > 1 ? row : nil)
      }
    }
  }

  func run(on core: ConnectionCore) throws -> Int {
    var count = 0
    guard case .models(let models) = source else {
      try withStatement(returning: nil, on: core) { statement in
        try core.run(statement)
        count = core.changeCount
      }
      return count
    }
    try forEachRun(of: models, on: core) { _, run in
      try run()
      count += core.changeCount
    }
    return count
  }

  /// Hands over each model with what inserts it.
  private func forEachRun(
    of models: [M], on core: ConnectionCore,
    _ body: (UnsafeRawPointer, () throws -> Void) throws -> Void
  ) throws {
    let layout = try M.layout
    let writing = ModelWriting(core: core, layout: layout)
    var lent: (statement: StatementPointer, assignsKey: Bool)?
    defer { if let lent { core.giveBack(lent.statement) } }
    try forEach(of: models, layout) { model, row in
      let assignsKey = layout.assignsKey(of: model)
      let statement: StatementPointer
      if let known = lent, known.assignsKey == assignsKey {
        statement = known.statement
      } else {
        statement = try core.lendStatement(for: try self.statement(for: model))
        if let lent { core.giveBack(lent.statement) }
        lent = (statement, assignsKey)
      }
      try body(model) {
        try writing.run(
          statement, layout.orders.inserted(assigningKey: assignsKey), model,
          models.count > 1 ? row : nil)
      }
    }
  }

  private func forEach(
    of models: [M], _ layout: ModelLayout, _ body: (UnsafeRawPointer, Int) throws -> Void
  ) throws {
    try models.withUnsafeBytes { memory in
      guard var model = memory.baseAddress else { return }
      for row in models.indices {
        try body(model, row)
        model += layout.slots.stride
      }
    }
  }

  // MARK: What became of each row

  /// Runs the insert, and tells of each row whether it was inserted or updated.
  ///
  /// An insert sets the connection's last inserted rowid and an upsert's update does not, so that a
  /// rowid that the row cannot have tells them apart. A table without rowids is asked twice: first
  /// with DO NOTHING.
  func outcomes(on core: ConnectionCore) throws -> [UpsertOutcome] {
    let layout = try M.layout
    let hasRowID =
      layout.hasRowID
      && (try? core.collation(ofColumn: "_rowid_", in: layout.tableName)) != nil
    var outcomes: [UpsertOutcome] = []
    switch source {
    case .query:
      throw QueryError(
        "the insert into \(M.tableName) is of a query, whose rows have no outcome each: `run` "
          + "counts them, and `returning` gives them back")
    case .models(let models) where hasRowID:
      outcomes.reserveCapacity(models.count)
      try forEachRun(of: models, on: core) { model, run in
        outcomes.append(
          try core.outcome(notInserting: layout.otherRowID(than: model), of: run))
      }
    case .models(let models):
      try forEach(of: models, layout) { model, row in
        do {
          outcomes.append(
            try core.outcome(
              ofFirst: statement(for: model, conflicts.map(\.doingNothing)),
              then: statement(for: model)))
        } catch let error as DatabaseError {
          throw layout.locate(error, writing: model, on: core)
            .at(row: models.count > 1 ? row : nil)
        }
      }
    case .values(let assignments):
      let setsRowID = assignments.contains {
        $0.column.columnID.map { Int($0.index) } == layout.rowIDColumn
      }
      if hasRowID, layout.rowIDColumn == nil || !setsRowID {
        try withStatement(returning: nil, on: core) { statement in
          outcomes = [try core.outcome(notInserting: .min) { try core.run(statement) }]
        }
      } else {
        do {
          outcomes = [
            try core.outcome(
              ofFirst: statement(conflicts.map(\.doingNothing)), then: statement())
          ]
        } catch let error as DatabaseError {
          throw locate(error, on: core)
        }
      }
    }
    return outcomes
  }
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

extension ConnectionCore {
  fileprivate func outcome(
    notInserting sentinel: Int64, of run: () throws -> Void
  ) throws -> UpsertOutcome {
    let last = lastInsertRowID
    lastInsertRowID = sentinel
    // Who asks for the last inserted rowid is told of the one before.
    defer { if lastInsertRowID == sentinel { lastInsertRowID = last } }
    try run()
    guard changeCount > 0 else { return .unchanged }
    return lastInsertRowID == sentinel ? .updated : .inserted
  }

  fileprivate func outcome(
    ofFirst first: InsertStatement, then second: InsertStatement
  ) throws -> UpsertOutcome {
    try savepoint {
      if try count(of: first) > 0 { return .inserted }
      return try count(of: second) > 0 ? .updated : .unchanged
    }
  }

  private func count(of insert: InsertStatement) throws -> Int {
    let statement = try lendStatement(for: insert)
    defer { giveBack(statement) }
    try run(statement)
    return changeCount
  }
}
