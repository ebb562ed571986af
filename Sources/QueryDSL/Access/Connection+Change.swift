import SQLCore

extension Connection {
  /// Reads a row, changes it, and writes what changed, with nobody between.
  ///
  /// ```swift
  /// let post = try connection.update(Post.self, id) { $0.views += 1 }
  /// ```
  ///
  /// In a transaction, else in one of its own: the row cannot change between reading and writing.
  /// Throws `RecordNotFound` where there is no row of that key, and what the closure throws; then
  /// nothing is written. The closure leaves the key as it is: another one throws `KeyChanged`. Two
  /// statements; where nothing changed, two that read.
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
      throw RecordNotFound(table: M.tableName, key: String(describing: id))
    }
    try change(&model)
    guard model.id == id else {
      let layout = try M.layout
      throw KeyChanged(table: M.tableName, columns: layout.keyColumns.map { layout.columns[$0] })
    }
    return try update(model)
  }

  /// The models with these keys, in the order of the keys; nil where there is none.
  ///
  /// ```swift
  /// let posts = try connection.find(Post.self, ids)       // [Post?], as many as there are ids
  /// ```
  ///
  /// However many: one statement, run with one index seek for each key.
  public func find<M: Model>(_ model: M.Type, _ ids: some Sequence<M.ID>) throws -> [M?] {
    try ids.map { try find(model, $0) }
  }
}

extension DatabaseReader {
  /// The models with these keys, in the order of the keys, in one snapshot; nil where there is none.
  public func find<M: Model>(_ model: M.Type, _ ids: some Sequence<M.ID>) throws -> [M?] {
    try read { try $0.find(model, ids) }
  }

  /// The models with these keys, in the order of the keys, in one snapshot; nil where there is none.
  nonisolated(nonsending)
    public func find<M: Model>(_ model: M.Type, _ ids: some Sequence<M.ID>) async throws -> [M?]
  {
    let ids = Array(ids)
    return try await read(on: .background) { try $0.find(model, ids) }
  }
}

extension Database {
  /// Reads a row, changes it, and writes what changed, in a transaction of its own; throws as
  /// `Connection.update` does.
  @discardableResult
  public func update<M: Model>(
    _ model: M.Type, _ id: M.ID, _ change: (inout M) throws -> Void
  ) throws -> M {
    try write { try $0.update(model, id, change) }
  }

  /// Reads a row, changes it, and writes what changed, in a transaction of its own; throws as
  /// `Connection.update` does.
  @discardableResult
  nonisolated(nonsending)
    public func update<M: Model>(
      _ model: M.Type, _ id: M.ID, _ change: @escaping @Sendable (inout M) throws -> Void
    ) async throws -> M
  {
    try await write { try $0.update(model, id, change) }
  }
}
