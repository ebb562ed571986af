import SQLCore

// These methods return a copy of the written model. The copy has the key that the database
// assigned, and none of its columns counts as changed. The methods do not modify the caller's own
// model, so if the transaction is rolled back, the changed columns of this model still count as
// changed.

extension Connection {
  /// Inserts a model by one statement. Returns a copy that has the key, and in which no column
  /// counts as changed.
  ///
  /// Throws `DatabaseError` with the constraint, its table and its columns if a constraint is
  /// violated. Throws `ColumnValueError` for a value that cannot be stored, and `WriteIgnored` if
  /// SQLite ignored the row. If the model has generated columns, one more statement reads them, and
  /// inside `write { }`, the insert uses a savepoint.
  @inlinable
  @discardableResult
  public func insert<M: TableModel>(_ model: consuming M) throws -> M {
    try writing(model) { try ModelWriting.insert($0, of: $1, on: $2) }
  }

  /// Inserts models in the order of the array. One statement can insert several rows if the keys
  /// are known. Each model is inserted on its own if the database may assign the keys, if the model
  /// has generated columns, or if there are fewer than ten models.
  ///
  /// Either all models are inserted or none, even if the caller catches the error inside
  /// `write { }`. If several statements are needed, they run in a savepoint. This savepoint costs
  /// about a microsecond, and a copy of each page that the statements change. A model may refer to
  /// a later model of the array. The error contains the position of the failed model in the array.
  @inlinable
  @discardableResult
  public func insert<M: TableModel>(_ models: consuming [M]) throws -> [M] {
    let writing = ModelWriting(core: try use(), layout: try M.layout)
    try models.withUnsafeMutableBytes { try writing.insert($0) }
    return models
  }

  /// Updates the columns that were changed since the model was loaded, by one statement.
  ///
  /// ```swift
  /// post.title = "Sports"
  /// try connection.update(post)        // UPDATE "Post" SET "title" = ? WHERE "id" = ?
  /// ```
  ///
  /// If no column was changed, nothing is written, but the row is looked up. Throws
  /// `RecordNotFound` if the row is gone, `KeyChanged` if the model's key was changed since the
  /// model was loaded, and `WriteIgnored` if SQLite left the row unchanged.
  @inlinable
  @discardableResult
  public func update<M: Model>(_ model: consuming M) throws -> M {
    try writing(model) { memory, layout, core in
      guard try ModelWriting.update(memory, of: layout, on: core) else {
        throw RecordNotFound(memory.assumingMemoryBound(to: M.self).pointee)
      }
    }
  }

  /// Updates models one after another. Either all models are updated or none, even if the caller
  /// catches the error inside `write { }`. Throws `RecordNotFound` at the first model whose row is
  /// gone.
  @discardableResult
  public func update<M: Model>(_ models: [M]) throws -> [M] {
    try writing(models) { writing, memory, row in
      guard try writing.update(memory, row: row) else { throw RecordNotFound(models[row]) }
    }
  }

  /// Updates the row with the model's key, or inserts the model if that row does not exist.
  ///
  /// For a new model, all columns are written. For a loaded model, only the changed columns are
  /// written, or all columns if its row is gone. If another row has the same values in the columns
  /// of another unique constraint, `save` throws `DatabaseError` and changes no row. If the model's
  /// key was changed since the model was loaded, `save` throws `KeyChanged`. If the key was set to
  /// nil, the model is inserted. Throws `WriteIgnored` if SQLite ignored the row.
  @inlinable
  @discardableResult
  public func save<M: Model>(_ model: consuming M) throws -> M {
    try writing(model) { try ModelWriting(core: $2, layout: $1).save($0, row: nil) }
  }

  /// Saves each model of the array in the same way as `save(_ model:)`. Either all models are saved
  /// or none, even if the caller catches the error inside `write { }`.
  @discardableResult
  public func save<M: Model>(_ models: [M]) throws -> [M] {
    try writing(models) { writing, memory, row in try writing.save(memory, row: row) }
  }

  /// Deletes the row with the model's key, by one statement. Returns false if no row was deleted,
  /// because there was no such row, or because a trigger raised `IGNORE`.
  ///
  /// Throws `KeyChanged` if the model's key was changed since the model was loaded, and
  /// `DatabaseError` if a foreign key still refers to the row.
  @discardableResult
  public func delete<M: Model>(_ model: M) throws -> Bool {
    let layout = try M.layout
    try withUnsafeBytes(of: model) { memory in
      guard let memory = memory.baseAddress else { return }
      try layout.requireUnchangedKey(of: memory)
    }
    return try delete(M.self, model.id)
  }

  /// Deletes the row with the key `id`, by one statement. Returns false if no row was deleted.
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

  /// Runs an insert, an update or a deletion, and returns the number of written rows. Several
  /// models are inserted one after another. If one of them fails, none of them is inserted.
  ///
  /// Throws `QueryError` for a command that cannot be written as SQL, and `DatabaseError` if SQLite
  /// reports an error.
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
  /// Calls a closure with the memory of a copy of the model, and returns the copy. The closure
  /// writes the copy to the database.
  ///
  /// The layout and the core are two parameters of the closure, and not one value that holds both,
  /// so that neither is retained.
  @inlinable
  func writing<M: TableModel>(
    _ model: consuming M,
    _ write: (UnsafeMutableRawPointer, ModelLayout, ConnectionCore) throws -> Void
  ) throws -> M {
    try core.check(lease: lease)
    let layout = try M.unmanagedLayout
    try withUnsafeMutablePointer(to: &model) { model in
      try layout._withUnsafeGuaranteedRef { try write(UnsafeMutableRawPointer(model), $0, core) }
    }
    return model
  }
}

extension Connection {
  /// Writes copies of models one after another, and returns the copies. Either all are written or
  /// none.
  private func writing<M: Model>(
    _ models: [M], _ write: (ModelWriting, UnsafeMutableRawPointer, Int) throws -> Void
  ) throws -> [M] {
    let writing = ModelWriting(core: try use(), layout: try M.layout)
    func written() throws -> [M] {
      try models.enumerated().map { row, model in
        var model = model
        try withUnsafeMutablePointer(to: &model) { try write(writing, $0, row) }
        return model
      }
    }
    return try models.count > 1 ? writing.core.allOrNothing(written) : written()
  }
}

extension RecordNotFound {
  @usableFromInline
  init<M: Model>(_ model: M) {
    self.init(table: M.tableName, key: String(describing: model.id))
  }
}

extension Connection {
  /// Reads a row, changes it, and writes the changed columns. No other write happens in between.
  ///
  /// ```swift
  /// let post = try connection.update(Post.self, id) { $0.views += 1 }
  /// ```
  ///
  /// The call runs in the current transaction, or in a transaction of its own if there is none. It
  /// throws `RecordNotFound` if no row has the key `id`, `KeyChanged` if the closure changes the
  /// key, and any error of the closure. If it throws, nothing is written. The call takes two
  /// statements. If the closure changes nothing, both statements only read.
  @discardableResult
  public func update<M: Model>(
    _ model: M.Type, _ id: M.ID, _ change: (inout M) throws -> Void
  ) throws -> M {
    let core = try use()
    guard core.isInTransaction else {
      return try core.transaction(.immediate) { try changed(id, change) }
    }
    return try changed(id, change)
  }

  private func changed<M: Model>(_ id: M.ID, _ change: (inout M) throws -> Void) throws -> M {
    guard var model = try find(M.self, id) else {
      // If the database assigns the key, the type of the key is an optional. The error shows the
      // value without the optional.
      let mirror = Mirror(reflecting: id)
      let key = mirror.displayStyle == .optional ? mirror.children.first?.value ?? id : id
      throw RecordNotFound(table: M.tableName, key: String(describing: key))
    }
    // The loaded key may differ from `id`, because the stored form can be less precise.
    let key = model.id
    try change(&model)
    if model.id != key { try M.layout.requireKey(key, of: model) }
    return try update(model)
  }
}

extension Database {
  /// Reads a row, changes it, and writes the changed columns, in a transaction of its own. Throws
  /// the errors of `Connection.update`.
  @discardableResult
  public func update<M: Model>(
    _ model: M.Type, _ id: M.ID, _ change: (inout M) throws -> Void
  ) throws -> M {
    try write { try $0.update(model, id, change) }
  }

  /// Reads a row, changes it, and writes the changed columns, in a transaction of its own. Throws
  /// the errors of `Connection.update`.
  @discardableResult
  public func update<M: Model>(
    _ model: M.Type, _ id: M.ID, _ change: @escaping @Sendable (inout M) throws -> Void
  ) async throws -> M {
    try await write { try $0.update(model, id, change) }
  }
}
