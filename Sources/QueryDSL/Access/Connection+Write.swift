import SQLCore

// What is written comes back as a clean copy, with a key that the database assigned; the caller's
// own value is never touched, so that it still holds its changes when the transaction is rolled
// back.

extension Connection {
  /// Inserts a model: one statement.
  ///
  /// Throws `DatabaseError` with the constraint, its table and columns where one is violated, and
  /// `ColumnValueError` for a value that cannot be stored.
  @inlinable
  @discardableResult
  public func insert<M: Model>(_ model: consuming M) throws -> M {
    try writing(model) { try $0.insert($1, row: nil) }
  }

  /// Inserts models in their order: several rows by one statement where their keys are known, one by
  /// one where the database assigns them.
  ///
  /// Inside a transaction, an error undoes the model that it is about, and leaves those before it to
  /// the transaction; it names the model's place in the array.
  @inlinable
  @discardableResult
  public func insert<M: Model>(_ models: consuming [M]) throws -> [M] {
    let writing = ModelWriting(core: try use(), layout: try M.layout)
    try models.withUnsafeMutableBytes { try writing.insert($0) }
    return models
  }

  /// Updates the columns that were changed since the model was loaded: one statement.
  ///
  /// ```swift
  /// post.title = "Sports"
  /// try connection.update(post)        // UPDATE "Post" SET "title" = ? WHERE "id" = ?
  /// ```
  ///
  /// With no changed column nothing is written, and the row is looked for. Throws `RecordNotFound` if
  /// it is gone, and `KeyChanged` if the model's key was set to another one since it was loaded.
  @inlinable
  @discardableResult
  public func update<M: Model>(_ model: consuming M) throws -> M {
    var isFound = true
    let updated = try writing(model) { isFound = try $0.update($1, row: nil) }
    guard isFound else { throw RecordNotFound(updated) }
    return updated
  }

  /// Updates models, one after another; stops at the first whose row is gone.
  @discardableResult
  public func update<M: Model>(_ models: [M]) throws -> [M] {
    try models.enumerated().map { row, model in
      try writing(model) { writing, memory in
        guard try writing.update(memory, row: row) else { throw RecordNotFound(model) }
      }
    }
  }

  /// Updates the row with the model's key, or inserts it where there is none.
  ///
  /// Of a model that was loaded, the changed columns are written, or all where the row is gone
  /// meanwhile; of a new one, all. Another unique constraint that is violated throws, and leaves
  /// both rows as they are. A model whose key was set to another one since it was loaded throws
  /// `KeyChanged`; one whose key was set to nil is inserted.
  @inlinable
  @discardableResult
  public func save<M: Model>(_ model: consuming M) throws -> M {
    try writing(model) { try $0.save($1, row: nil) }
  }

  /// Saves models, one after another.
  @discardableResult
  public func save<M: Model>(_ models: [M]) throws -> [M] {
    try models.enumerated().map { row, model in
      try writing(model) { try $0.save($1, row: row) }
    }
  }

  /// Deletes the row with the model's key; false where there is none. One statement.
  ///
  /// Throws `KeyChanged` if the model's key was set to another one since it was loaded.
  @discardableResult
  public func delete<M: Model>(_ model: M) throws -> Bool {
    let layout = try M.layout
    try withUnsafeBytes(of: model) { memory in
      guard let memory = memory.baseAddress else { return }
      try layout.requireUnchangedKey(of: memory)
    }
    return try delete(M.self, model.id)
  }

  /// Deletes the row with that key; false where there is none. One statement.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, _ id: M.ID) throws -> Bool {
    let core = try use()
    let layout = try M.layout
    let statement = try ModelWriting(core: core, layout: layout).deleteStatement()
    defer { core.giveBack(statement) }
    try withUnsafeBytes(of: id) { key in
      guard let key = key.baseAddress else { return }
      try core.bind(key: layout.keySlots, at: key, to: statement)
    }
    do {
      try core.run(statement)
      if core.changeCount > 0 { return true }
      for spelling in layout.keySpellings {
        try withUnsafeBytes(of: id) { key in
          guard let key = key.baseAddress else { return }
          try core.bind(key: spelling.keySlots, at: key, to: statement)
        }
        try core.run(statement)
        if core.changeCount > 0 { return true }
      }
    } catch let error as DatabaseError {
      throw layout.locate(error, deleting: id, on: core)
    }
    return false
  }

  /// Runs an insert, an update or a deletion; how many rows it wrote.
  @discardableResult
  public func run(_ command: some Runnable) throws -> Int {
    let core = try use()
    if let command = command as? any ModelCommand { return try command.run(on: core) }
    if let command = command as? PreparedRun { return try command.run(on: core) }
    try execute(try command.sql)
    return core.changeCount
  }
}

extension Connection {
  /// Writes a model in the memory where it lies, and returns it; the caller's own is another.
  @inlinable
  func writing<M: Model>(
    _ model: consuming M, _ write: (ModelWriting, UnsafeMutableRawPointer) throws -> Void
  ) throws -> M {
    let writing = ModelWriting(core: try use(), layout: try M.layout)
    try withUnsafeMutablePointer(to: &model) { try write(writing, UnsafeMutableRawPointer($0)) }
    return model
  }
}

extension RecordNotFound {
  @usableFromInline
  init<M: Model>(_ model: M) {
    self.init(table: M.tableName, key: String(describing: model.id))
  }
}
