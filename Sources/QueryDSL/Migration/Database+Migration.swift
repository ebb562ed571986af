import SQLCore

extension Database {
  /// Opens a file with its models, and migrates it: tables, columns and indexes that are missing
  /// are added, in one transaction; nothing is ever removed.
  ///
  /// Throws `MigrationError`, with the plan in it and nothing done, where a table would need what
  /// cannot be done by itself; `ModelError` for a model that cannot be a table. A file that is
  /// opened for reading alone is not migrated.
  public convenience init(
    path: String, models: [any Model.Type], configuration: Configuration = Configuration()
  ) throws {
    try self.init(path: path, configuration: configuration)
    try open(with: models)
  }

  /// A database in memory with the tables of its models.
  public static func inMemory(
    models: [any Model.Type], configuration: Configuration = Configuration()
  ) throws -> Database {
    let database = try inMemory(configuration: configuration)
    try database.open(with: models)
    return database
  }

  /// A temporary file with the tables of its models.
  public static func temporary(
    models: [any Model.Type], configuration: Configuration = Configuration()
  ) throws -> Database {
    let database = try temporary(configuration: configuration)
    try database.open(with: models)
    return database
  }

  private func open(with models: [any Model.Type]) throws {
    if !configuration.isReadOnly { try migrate(models) }
    try read { try $0.advanceIDs(past: models) }
  }

  /// What `migrate` would do; nothing is changed.
  public func migrationPlan(for models: [any Model.Type]) throws -> MigrationPlan {
    try read { try MigrationPlanner(connection: $0).plan(for: models) }
  }

  /// Migrates the tables of the models, in one transaction, and returns what was done.
  ///
  /// It costs a read of the schema where there is nothing to do. Throws `MigrationError` where a
  /// step is refused; then nothing was done.
  @discardableResult
  public func migrate(_ models: [any Model.Type]) throws -> MigrationPlan {
    // Most often there is nothing to do: that is found without the write lock.
    let plan = try migrationPlan(for: models)
    guard plan.refusals.isEmpty else { throw MigrationError(plan: plan) }
    guard !plan.isEmpty else { return plan }
    return try write { connection in
      // Another process may have done it meanwhile.
      let plan = try MigrationPlanner(connection: connection).plan(for: models)
      guard plan.refusals.isEmpty else { throw MigrationError(plan: plan) }
      for step in plan.steps {
        if let sql = step.sql { try connection.execute(SQL(unsafe: sql)) }
      }
      return plan
    }
  }
}

extension Connection {
  /// Moves the generator of ids past those that are stored, so that none comes twice after a
  /// restart: one index seek a table.
  fileprivate func advanceIDs(past models: [any Model.Type]) throws {
    for model in models { try advanceID(past: model) }
  }

  private func advanceID<M: Model>(past model: M.Type) throws {
    let layout = try M.layout
    // The first column of a key: behind it, ids are not in the order of the index.
    if let index = layout.keyColumns.first, layout.columns[index].type is Unique64.Type,
      try tableExists(layout.tableName)
    {
      let name = layout.columns[index].name
      let greatest = try row(
        """
        SELECT max(\(identifier: name)) FROM \(M.self)
        WHERE \(identifier: name) <= \(Unique64.generator.advanceLimit)
        """
      )?.get(Unique64?.self, at: 0)
      if let greatest { Unique64.generator.advance(past: greatest) }
    }
  }
}
