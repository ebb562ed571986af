import SQLCore

extension Connection {
  /// Returns whether the full-text index of a model agrees with the rows of its table.
  ///
  /// ```swift
  /// try connection.checkSearchIndex(of: Post.self)
  /// // INSERT INTO "Post_search" ("Post_search", rank) VALUES ('integrity-check', 1)
  /// ```
  /// The result is false if another program wrote the index itself, or wrote the table with REPLACE
  /// and without `recursive_triggers`. `rebuildSearchIndex` then repairs the index. The check reads
  /// the whole table and the whole index, and needs a connection that may write. Throws
  /// `ModelError` if the model declares no `FullText`.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_integrity_check_command>
  public func checkSearchIndex<M: TableModel>(of model: M.Type) throws -> Bool {
    do {
      try run("integrity-check", 1, of: model)
      return true
    } catch let error as DatabaseError where error.code == .corruptVirtualTable {
      return false
    }
  }

  /// Fills the full-text index of a model again from the rows of its table.
  /// SQL: `DELETE FROM "Post_search_pending"`,
  /// `INSERT INTO "Post_search" ("Post_search") VALUES ('rebuild')`
  ///
  /// Reads the whole table. Throws `ModelError` if the model declares no `FullText`.
  /// - Parameter progress: a closure that is called about every 10,000 rows, with an estimate of
  ///   the number of rows done and with the number of all rows. If the closure throws an error, the
  ///   work ends. If a closure is given, all rows are counted before the work begins.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_rebuild_command>
  public func rebuildSearchIndex<M: TableModel>(
    of model: M.Type,
    progress: (@Sendable (_ completedRows: Int, _ rowCount: Int) throws -> Void)? = nil
  ) throws {
    let index = try SearchIndex.required(by: model)
    // For an existing FTS5 table, the library creates no triggers, and therefore no pending table.
    if !index.isTable {
      let pending = SearchIndexDefinition.pendingTable(of: index.name)
      try execute("DELETE FROM \(identifier: pending)")
    }
    try reportingRows(
      of: String(nameOf: model), stepsPerRow: SearchIndexDefinition.stepsPerRow, to: progress
    ) {
      try run("rebuild", nil, of: model)
    }
  }

  /// Merges all parts of the full-text index of a model into one, which makes searches faster.
  /// SQL: `INSERT INTO "Post_search" ("Post_search") VALUES ('optimize')`
  ///
  /// Reads and writes the whole index; `mergeSearchIndex` does the same in small pieces. Throws
  /// `ModelError` if the model declares no `FullText`.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_optimize_command>
  public func optimizeSearchIndex<M: TableModel>(of model: M.Type) throws {
    try run("optimize", nil, of: model)
  }

  /// Merges parts of the full-text index of a model, and returns whether there was anything to
  /// merge.
  ///
  /// ```swift
  /// while try db.mergeSearchIndex(of: Post.self, pages: 200) {}
  /// // INSERT INTO "Post_search" ("Post_search", rank) VALUES ('merge', 200)
  /// // if this merges nothing: … VALUES ('merge', -200)
  /// ```
  /// - Parameter pages: about how many pages of the index are written; at least 1.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_merge_command>
  public func mergeSearchIndex<M: TableModel>(of model: M.Type, pages: Int = 500) throws -> Bool {
    let pages = min(max(pages, 1), Int(Int32.max))
    // FTS5 counts one change for the command, and a further change if it has merged anything.
    let before = try totalChangeCount
    try run("merge", pages, of: model)
    let middle = try totalChangeCount
    if middle - before >= 2 { return true }
    // With a negative number, FTS5 also merges parts that are too few for a merge with a positive
    // number.
    try run("merge", -pages, of: model)
    return try totalChangeCount - middle >= 2
  }

  /// Runs a command of FTS5, which is written as an insertion into the index.
  private func run<M: TableModel>(_ command: String, _ rank: Int?, of model: M.Type) throws {
    let name = try SearchIndex.required(by: model).name
    if let rank {
      try execute(
        """
        INSERT INTO \(identifier: name) (\(identifier: name), rank) VALUES (\(command), \(rank))
        """)
    } else {
      try execute("INSERT INTO \(identifier: name) (\(identifier: name)) VALUES (\(command))")
    }
  }
}

// Each method below calls the method of `Connection` with the same name in a transaction of its
// own. The documentation of that method says what the method does and which errors it throws.

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
  public func rebuildSearchIndex<M: TableModel>(
    of model: M.Type,
    progress: (@Sendable (_ completedRows: Int, _ rowCount: Int) throws -> Void)? = nil
  ) throws {
    try write { try $0.rebuildSearchIndex(of: model, progress: progress) }
  }

  /// Fills the full-text index of a model again from the rows of its table.
  public func rebuildSearchIndex<M: TableModel>(
    of model: M.Type,
    progress: (@Sendable (_ completedRows: Int, _ rowCount: Int) throws -> Void)? = nil
  ) async throws {
    try await write { try $0.rebuildSearchIndex(of: model, progress: progress) }
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
