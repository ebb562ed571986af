import SQLCore

extension Connection {
  /// Reads a row, changes it, and writes the changed columns; no other write comes in between.
  ///
  /// ```swift
  /// let post = try connection.update(Post.self, id) { $0.views += 1 }
  /// ```
  ///
  /// It runs in the current transaction, or else in a transaction of its own. Throws
  /// `RecordNotFound` if no row has that key, and any error of the closure; nothing is written
  /// then. The closure must not change the key: that throws `KeyChanged`. It takes two statements;
  /// if nothing was changed, both of them only read.
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
      // The key of a row that the database numbers is an optional.
      let mirror = Mirror(reflecting: id)
      let key = mirror.displayStyle == .optional ? mirror.children.first?.value ?? id : id
      throw RecordNotFound(table: M.tableName, key: String(describing: key))
    }
    try change(&model)
    guard model.id == id else {
      let layout = try M.layout
      throw KeyChanged(table: M.tableName, columns: layout.keyColumns.map { layout.columns[$0] })
    }
    return try update(model)
  }

  /// Returns the models with these keys, in the order of the keys; nil for a key that does not
  /// exist.
  ///
  /// ```swift
  /// let posts = try connection.find(Post.self, ids)       // [Post?], as many as there are ids
  /// ```
  ///
  /// It uses one statement, which runs once for each key, with one index seek.
  public func find<M: Model>(_ model: M.Type, _ ids: some Sequence<M.ID>) throws -> [M?] {
    try ids.map { try find(model, $0) }
  }
}

extension DatabaseReader {
  /// Returns the models with these keys, in the order of the keys; nil for a key that does not
  /// exist.
  ///
  /// All are read in one snapshot.
  public func find<M: Model>(
    _ model: M.Type, _ ids: some Sequence<M.ID>, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> [M?] {
    try read(fileID: fileID, line: line) { try $0.find(model, ids) }
  }

  /// Returns the models with these keys, in the order of the keys; nil for a key that does not
  /// exist.
  ///
  /// All are read in one snapshot.
  public func find<M: Model>(
    _ model: M.Type, _ ids: some Sequence<M.ID>, fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> [M?] {
    let ids = Array(ids)
    return try await read(on: .background, fileID: fileID, line: line) { try $0.find(model, ids) }
  }
}

extension Database {
  /// Reads a row, changes it, and writes the changed columns, in a transaction of its own; throws
  /// what `Connection.update` throws.
  @discardableResult
  public func update<M: Model>(
    _ model: M.Type, _ id: M.ID, _ change: (inout M) throws -> Void
  ) throws -> M {
    try write { try $0.update(model, id, change) }
  }

  /// Reads a row, changes it, and writes the changed columns, in a transaction of its own; throws
  /// what `Connection.update` throws.
  @discardableResult
  public func update<M: Model>(
    _ model: M.Type, _ id: M.ID, _ change: @escaping @Sendable (inout M) throws -> Void
  ) async throws -> M {
    try await write { try $0.update(model, id, change) }
  }
}
