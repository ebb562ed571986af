import SQLCore

// Models lie next to each other in their array, and their values are bound from the array's memory.
// Neighbouring models share one statement, unless the database assigns the key of only one of them.
// In this case, each of the two models needs its own statement.

extension Insert {
  func forEachStatement(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws {
    try explainingConflicts(on: core) {
      try forEachStatementOfSource(returning: returning, on: core, body)
    }
  }

  private func forEachStatementOfSource(
    returning: ReturningClause?, on core: ConnectionCore,
    _ body: (StatementPointer) throws -> Void
  ) throws {
    if case .rows(let rows) = source {
      return try forEachStatement(of: rows, returning: returning, on: core, body)
    }
    guard case .models(let models) = source else {
      return try withStatement(returning: returning, on: core, body)
    }
    let layout = try M.layout
    try allOrNothing(on: core) {
      try forEach(of: models, layout) { model, row in
        let insert = try statement(for: model)
        let lent = try core.lendStatement(for: insert, returning: returning)
        defer { core.giveBack(lent) }
        do {
          try body(lent)
        } catch let error as DatabaseError {
          throw layout.locate(error, writing: model, on: core).at(row: models.count > 1 ? row : nil)
        }
      }
    }
  }

  /// Runs a closure that inserts one row, or several rows by several statements. If one of the
  /// statements throws, all rows that were inserted before are removed again.
  func allOrNothing<Result>(
    on core: ConnectionCore, _ body: () throws -> Result
  ) throws -> Result {
    try isSeveral ? core.allOrNothing(body) : body()
  }

  func run(on core: ConnectionCore) throws -> Int {
    try explainingConflicts(on: core) { try runSource(on: core) }
  }

  private func runSource(on core: ConnectionCore) throws -> Int {
    if case .rows(let rows) = source { return try run(rows, on: core) }
    var count = 0
    guard case .models(let models) = source else {
      try withStatement(returning: nil, on: core) { statement in
        try core.run(statement)
        count = core.changeCount
      }
      return count
    }
    try allOrNothing(on: core) {
      try forEachRun(of: models, on: core) { _, _, run in
        try run()
        count += core.changeCount
      }
    }
    return count
  }

  /// Calls `body` for each model. The arguments of `body` are the memory of the model, the index of
  /// the model in the array, and a closure that inserts the model.
  func forEachRun(
    of models: [M], on core: ConnectionCore,
    _ body: (UnsafeRawPointer, Int, () throws -> Void) throws -> Void
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
      try body(model, row) {
        try writing.run(
          statement, layout.orders.inserted(assigningKey: assignsKey), model,
          models.count > 1 ? row : nil)
      }
    }
  }

  /// Calls `body` for each model, with the model's memory and its index in the array.
  ///
  /// If an ON CONFLICT clause may update a row with the model's key, throws `KeyChanged` for a
  /// model whose key was changed since it was loaded.
  func forEach(
    of models: [M], _ layout: ModelLayout, _ body: (UnsafeRawPointer, Int) throws -> Void
  ) throws {
    let mayUpdateByKey = conflicts.contains { $0.updatesRow(withKeyOf: layout) }
    try models.withUnsafeBytes { memory in
      guard var model = memory.baseAddress else { return }
      for row in models.indices {
        if mayUpdateByKey { try layout.requireUnchangedKey(of: model) }
        try body(model, row)
        model += layout.slots.stride
      }
    }
  }
}
