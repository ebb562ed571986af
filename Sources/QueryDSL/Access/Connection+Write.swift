import SQLCore

// What is written comes back as a clean copy, with a key that the database assigned; the caller's
// own value is never touched, so that it still holds its changes when the transaction is rolled
// back.

extension Connection {
  /// Inserts a model: one statement.
  ///
  /// Throws `DatabaseError` with the constraint, its table and columns where one is violated, and
  /// `ColumnValueError` for a value that cannot be stored.
  @discardableResult
  public func insert<M: Model>(_ model: M) throws -> M {
    try ModelWriter<M>(self).insert(model, row: nil)
  }

  /// Inserts models, one after another, with one statement.
  ///
  /// Inside a transaction, an error undoes the model that it is about, and leaves those before it to
  /// the transaction.
  @discardableResult
  public func insert<M: Model>(_ models: [M]) throws -> [M] {
    let writer = try ModelWriter<M>(self)
    var inserted: [M] = []
    inserted.reserveCapacity(models.count)
    for (row, model) in models.enumerated() {
      inserted.append(try writer.insert(model, row: row))
    }
    return inserted
  }

  /// Updates the columns that were changed since the model was loaded: one statement.
  ///
  /// ```swift
  /// post.title = "Sports"
  /// try connection.update(post)        // UPDATE "Post" SET "title" = ? WHERE "id" = ?
  /// ```
  ///
  /// With no changed column nothing is written, and the row is looked for. Where it is gone, this
  /// throws `RecordNotFound`.
  @discardableResult
  public func update<M: Model>(_ model: M) throws -> M {
    let writer = try ModelWriter<M>(self)
    guard let updated = try writer.update(model, row: nil) else { throw writer.notFound(model) }
    return updated
  }

  /// Updates models, one after another; stops at the first whose row is gone.
  @discardableResult
  public func update<M: Model>(_ models: [M]) throws -> [M] {
    let writer = try ModelWriter<M>(self)
    return try models.enumerated().map { row, model in
      guard let updated = try writer.update(model, row: row) else {
        throw writer.notFound(model)
      }
      return updated
    }
  }

  /// Updates the row with the model's key, or inserts it where there is none.
  ///
  /// Of a model that was loaded, the changed columns are written, or all where the row is gone
  /// meanwhile; of a new one, all. Another unique constraint that is violated throws, and leaves
  /// both rows as they are.
  @discardableResult
  public func save<M: Model>(_ model: M) throws -> M {
    try ModelWriter<M>(self).save(model, row: nil)
  }

  /// Saves models, one after another.
  @discardableResult
  public func save<M: Model>(_ models: [M]) throws -> [M] {
    let writer = try ModelWriter<M>(self)
    return try models.enumerated().map { try writer.save($1, row: $0) }
  }

  /// Deletes the row with the model's key; false where there is none. One statement.
  @discardableResult
  public func delete<M: Model>(_ model: M) throws -> Bool {
    try delete(M.self, model.id)
  }

  /// Deletes the row with that key; false where there is none. One statement.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, _ id: M.ID) throws -> Bool {
    let core = try use()
    let layout = try M.layout
    let statement = try ModelWriting(layout: layout).deleteStatement(on: core)
    defer { core.giveBack(statement) }
    try withUnsafeBytes(of: id) { key in
      guard let key = key.baseAddress else { return }
      try core.bind(key: layout.keySlots, at: key, to: statement)
    }
    do {
      try core.run(statement)
    } catch let error as DatabaseError {
      throw layout.locate(error, deleting: id, on: core)
    }
    return core.changeCount > 0
  }

  /// Runs an update or a deletion; how many rows it changed.
  @discardableResult
  public func run(_ command: some Runnable) throws -> Int {
    let core = try use()
    guard let query = command as? any Renderable else {
      try execute(try command.sql)
      return core.changeCount
    }
    let statement = try core.lendStatement(for: query)
    defer { core.giveBack(statement) }
    do {
      try core.run(statement)
    } catch let error as DatabaseError {
      guard let command = command as? any ModelCommand, let layout = try? command.layout else {
        throw error
      }
      throw layout.locate(error, running: command, on: core)
    }
    return core.changeCount
  }
}

/// Writes models of one type through one connection.
private struct ModelWriter<M: Model> {
  let core: ConnectionCore
  let layout: ModelLayout
  let writing: ModelWriting

  init(_ connection: Connection) throws {
    core = try connection.use()
    layout = try M.layout
    writing = ModelWriting(layout: layout)
  }

  func insert(_ model: M, row: Int?) throws -> M {
    try withUnsafeBytes(of: model) { bytes in
      guard let memory = bytes.baseAddress else { return model }
      return try writing.withColumns {
        writing.insertColumns(of: memory, into: $0)
      } _: { columns in
        let statement = try writing.insertStatement(on: core, columns: columns)
        defer { core.giveBack(statement) }
        try run(statement, columns, memory, row)
        return try cleanCopy(of: model, assigningKey: writing.assignsKey(of: memory))
      }
    }
  }

  /// nil where the row is gone.
  func update(_ model: M, row: Int?) throws -> M? {
    try withUnsafeBytes(of: model) { bytes in
      guard let memory = bytes.baseAddress else { return model }
      return try writing.withColumns {
        writing.updateColumns(of: memory, into: $0)
      } _: { columns in
        guard columns.count > layout.keyColumns.count else {
          return try exists(model) ? try cleanCopy(of: model, assigningKey: false) : nil
        }
        let statement = try writing.updateStatement(on: core, columns: columns)
        defer { core.giveBack(statement) }
        try run(statement, columns, memory, row)
        return core.changeCount > 0 ? try cleanCopy(of: model, assigningKey: false) : nil
      }
    }
  }

  func save(_ model: M, row: Int?) throws -> M {
    try withUnsafeBytes(of: model) { bytes in
      guard let memory = bytes.baseAddress else { return model }
      if writing.assignsKey(of: memory) { return try insert(model, row: row) }
      if writing.wasLoaded(memory), let updated = try update(model, row: row) { return updated }
      return try writing.withColumns {
        writing.insertColumns(of: memory, into: $0)
      } _: { columns in
        let statement = try writing.upsertStatement(on: core, columns: columns)
        defer { core.giveBack(statement) }
        try run(statement, columns, memory, row)
        return try cleanCopy(of: model, assigningKey: false)
      }
    }
  }

  func notFound(_ model: M) -> RecordNotFound {
    RecordNotFound(table: layout.tableName, key: String(describing: model.id))
  }

  private func exists(_ model: M) throws -> Bool {
    try withUnsafeBytes(of: model.id) { key in
      let statement = try core.lendFindStatement(layout)
      defer { core.giveBack(statement) }
      guard let key = key.baseAddress else { return false }
      try core.bind(key: layout.keySlots, at: key, to: statement)
      return try core.step(statement)
    }
  }

  private func run(
    _ statement: StatementPointer, _ columns: UnsafeBufferPointer<UInt16>,
    _ memory: UnsafeRawPointer, _ row: Int?
  ) throws {
    var failed = -1
    do {
      try core.run(
        statement, binding: layout.slots, order: columns, of: memory, failed: &failed)
    } catch let error as DatabaseError {
      throw layout.locate(error, writing: memory, on: core).at(row: row)
    } catch {
      throw layout.locate(error, column: failed, row: row)
    }
  }

  private func cleanCopy(of model: M, assigningKey: Bool) throws -> M {
    var copy = model
    try withUnsafeMutableBytes(of: &copy) { bytes in
      guard let memory = bytes.baseAddress else { return }
      try layout.round(memory)
      layout.slots.markClean(memory)
      if assigningKey, let key = layout.rowIDColumn {
        try layout.slots.assign(.integer(core.lastInsertRowID), toColumn: key, of: memory)
      }
    }
    return copy
  }
}
