import SQLCore

extension Database {
  /// Opens a file with its models, and migrates it: what is missing is added, what is declared
  /// otherwise is changed, in one transaction, and nothing is lost that no schema declares as
  /// dropped.
  ///
  /// Throws `MigrationError`, with the plan in it and nothing done, where a table would need what
  /// cannot be done by itself; `ModelError` for a model that cannot be a table. A file that is
  /// opened for reading alone is not migrated.
  public convenience init(
    path: String, models: [any Model.Type], configuration: Configuration = Configuration(),
    migration options: MigrationOptions = MigrationOptions()
  ) throws {
    try self.init(path: path, configuration: configuration)
    try open(with: models, options)
  }

  /// A database in memory with the tables of its models.
  public static func inMemory(
    models: [any Model.Type], configuration: Configuration = Configuration()
  ) throws -> Database {
    let database = try inMemory(configuration: configuration)
    try database.open(with: models, MigrationOptions())
    return database
  }

  /// A temporary file with the tables of its models.
  public static func temporary(
    models: [any Model.Type], configuration: Configuration = Configuration()
  ) throws -> Database {
    let database = try temporary(configuration: configuration)
    try database.open(with: models, MigrationOptions())
    return database
  }

  private func open(with models: [any Model.Type], _ options: MigrationOptions) throws {
    let declared = try Declarations(of: models)
    guard !configuration.isReadOnly else { return try advanceIDs(past: declared) }
    // Asked on the writer, which is open: a reader would have to be opened for it.
    let plan = try writing { core in
      let plan = try Self.plan(for: declared, options, on: core)
      if plan.isEmpty { try core.advanceIDs(past: declared.ids) }
      return plan
    }
    if let reason = configuration.schemaPolicy.objection(to: plan) {
      throw MigrationError(plan: plan, reason: reason)
    }
    guard !plan.isEmpty || plan.remembersForms else { return }
    if !plan.isEmpty, configuration.schemaPolicy == .validated { throw notValidated(plan) }
    try run(plan, for: declared, options)
    try writing { try $0.advanceIDs(past: declared.ids) }
  }

  /// A file that is opened for reading alone may not have the tables.
  private func advanceIDs(past declared: Declarations) throws {
    guard !declared.ids.isEmpty else { return }
    try reading { core in
      let schema = try LiveSchema(of: core.lend())
      try core.advanceIDs(past: declared.ids.filter { schema.relation($0.table) != nil })
    }
  }

  /// What `migrate` would do; nothing is changed.
  ///
  /// It costs a read of the schema where there is nothing to do; where values must be looked at, such
  /// as those of a column that gets another type, it reads their table.
  public func migrationPlan(
    for models: [any Model.Type], _ options: MigrationOptions = MigrationOptions()
  ) throws -> MigrationPlan {
    try migrationPlan(for: Declarations(of: models), options)
  }

  func migrationPlan(
    for declared: Declarations, _ options: MigrationOptions
  ) throws -> MigrationPlan {
    try reading { try Self.plan(for: declared, options, on: $0) }
  }

  private static func plan(
    for declared: Declarations, _ options: MigrationOptions, on core: ConnectionCore
  ) throws -> MigrationPlan {
    // One snapshot: another process may migrate between a look at the schema and one at the rows.
    try core.transaction(.deferred) {
      try MigrationForecast(declared: declared, options: options, core: core).plan()
    }
  }

  /// Migrates the tables of the models, in one transaction, and returns what was done.
  ///
  /// It costs a read of the schema where there is nothing to do. Throws `MigrationError` where a
  /// step is refused, or where a row or reference would be lost; then nothing was done.
  @discardableResult
  public func migrate(
    _ models: [any Model.Type], _ options: MigrationOptions = MigrationOptions()
  ) throws -> MigrationPlan {
    try migrate(Declarations(of: models), options)
  }

  @discardableResult
  func migrate(_ declared: Declarations, _ options: MigrationOptions) throws -> MigrationPlan {
    // Most often there is nothing to do: that is found without the write lock.
    try run(migrationPlan(for: declared, options), for: declared, options)
  }

  @discardableResult
  private func run(
    _ plan: MigrationPlan, for declared: Declarations, _ options: MigrationOptions
  ) throws -> MigrationPlan {
    guard !plan.isEmpty || plan.remembersForms && configuration.schemaPolicy == .automatic else {
      return plan
    }
    if let reason = configuration.schemaPolicy.lock(for: plan) {
      throw MigrationError(plan: plan, reason: reason)
    }
    guard plan.refusals.isEmpty else { throw MigrationError(plan: plan) }
    if !plan.isEmpty, let path = options.copyPath {
      try vacuum(into: path)
    }
    // Another process may have done it meanwhile: it is planned again, under the write lock.
    return try writing { core in
      try MigrationRun.run(on: core, declared: declared, options: options)
    }
  }
}

extension Database {
  /// The models are not what the database has.
  private func notValidated(_ plan: MigrationPlan) -> MigrationError {
    MigrationError(
      plan: plan,
      reason: "`Configuration.schemaPolicy` is `.validated`: change the schema yourself, or call "
        + "`migrate`")
  }
}

extension SchemaPolicy {
  /// Why a database does not open where a newer program changed a table; nil if it does.
  fileprivate func objection(to plan: MigrationPlan) -> String? {
    guard plan.newerNames.contains(where: { self == .validated || locks($0) }) else { return nil }
    return "a newer program changed the schema, and `Configuration.schemaPolicy` wants it as the "
      + "models declare it"
  }

  /// Why a plan cannot be run; nil where it can.
  fileprivate func lock(for plan: MigrationPlan) -> String? {
    let isLocked = plan.steps.contains { !$0.isKept && locks($0.table) }
    return isLocked ? "the schema is locked by `Configuration.schemaPolicy`" : nil
  }
}

extension MigrationPlan.Step {
  /// A step of the user's own.
  init(_ step: MigrationStep) {
    let reason =
      switch step.moment {
      case .before: "before all else"
      case .after: "before anything goes"
      case .last: "when all else is done"
      }
    self.init(.userStep(step.name), table: step.name, reason: reason)
  }
}
