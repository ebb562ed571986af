import SQLCore

// Each call is a transaction of its own. `Connection` has the same methods; they document what is
// done and thrown.

extension Database {
  /// Returns whether the full-text index of a model agrees with the rows of its table.
  public func checkSearchIndex<M: TableModel>(of model: M.Type) throws -> Bool {
    try write { try $0.checkSearchIndex(of: model) }
  }

  /// Returns whether the full-text index of a model agrees with the rows of its table.
  public func checkSearchIndex<M: TableModel>(of model: M.Type) async throws -> Bool {
    try await write { try $0.checkSearchIndex(of: model) }
  }

  /// Fills the full-text index of a model again from the rows of its table.
  public func rebuildSearchIndex<M: TableModel>(of model: M.Type) throws {
    try write { try $0.rebuildSearchIndex(of: model) }
  }

  /// Fills the full-text index of a model again from the rows of its table.
  public func rebuildSearchIndex<M: TableModel>(of model: M.Type) async throws {
    try await write { try $0.rebuildSearchIndex(of: model) }
  }

  /// Merges all parts of the full-text index of a model into one.
  public func optimizeSearchIndex<M: TableModel>(of model: M.Type) throws {
    try write { try $0.optimizeSearchIndex(of: model) }
  }

  /// Merges all parts of the full-text index of a model into one.
  public func optimizeSearchIndex<M: TableModel>(of model: M.Type) async throws {
    try await write { try $0.optimizeSearchIndex(of: model) }
  }

  /// Merges parts of the full-text index of a model, and returns whether there was anything to
  /// merge.
  public func mergeSearchIndex<M: TableModel>(of model: M.Type, pages: Int = 500) throws -> Bool {
    try write { try $0.mergeSearchIndex(of: model, pages: pages) }
  }

  /// Merges parts of the full-text index of a model, and returns whether there was anything to
  /// merge.
  public func mergeSearchIndex<M: TableModel>(
    of model: M.Type, pages: Int = 500
  ) async throws -> Bool {
    try await write { try $0.mergeSearchIndex(of: model, pages: pages) }
  }
}
