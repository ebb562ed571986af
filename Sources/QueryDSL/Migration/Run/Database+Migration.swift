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
    guard !configuration.isReadOnly else { return try read { try $0.advanceIDs(past: models) } }
    let declared = try Declarations(of: models)
    // Asked on the writer, which is open: a reader would have to be opened for it.
    let plan = try writing { try Self.plan(for: declared, options, on: $0) }
    if configuration.schemaPolicy == .validated {
      try validate(plan)
    } else {
      try run(plan, for: declared, options)
    }
    try writing { try $0.lend().advanceIDs(past: models) }
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
    let connection = core.lend()
    var planner = MigrationPlanner(connection: connection)
    planner.configure(options, declared)
    let steps = try planner.steps(for: declared, on: core).map(\.step)
    guard !options.steps.isEmpty, try !declared.isNew(in: LiveSchema(of: connection)) else {
      return MigrationPlan(steps: steps)
    }
    let pending = try MigrationLog(connection: connection).pending(options.steps)
    func userSteps(_ moment: MigrationStep.Moment) -> [MigrationPlan.Step] {
      pending.filter { $0.moment == moment }.map(MigrationPlan.Step.init)
    }
    return MigrationPlan(steps: userSteps(.before) + steps + userSteps(.after))
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
    guard !plan.isEmpty else { return plan }
    if let reason = configuration.schemaPolicy.lock(for: plan) {
      throw MigrationError(plan: plan, reason: reason)
    }
    // Steps of the user's own may do away with a reason to refuse.
    guard plan.refusals.isEmpty || plan.hasUserStep else { throw MigrationError(plan: plan) }
    if let path = options.copyPath {
      try vacuum(into: path)
    }
    // Another process may have done it meanwhile: it is planned again, under the write lock.
    return try writing { core in
      try MigrationRun.run(on: core, declared: declared, options: options)
    }
  }
}

extension Database {
  /// Throws where the models are not what the database has.
  private func validate(_ plan: MigrationPlan) throws {
    guard plan.isEmpty else {
      throw MigrationError(
        plan: plan,
        reason: "`Configuration.schemaPolicy` is `.validated`: change the schema yourself, or call "
          + "`migrate`")
    }
  }
}

extension SchemaPolicy {
  /// Why a plan cannot be run; nil where it can.
  fileprivate func lock(for plan: MigrationPlan) -> String? {
    let isLocked = plan.steps.contains { !$0.isKept && locks($0.table) }
    return isLocked ? "the schema is locked by `Configuration.schemaPolicy`" : nil
  }
}

extension MigrationPlan {
  fileprivate var hasUserStep: Bool {
    steps.contains { if case .userStep = $0.action { true } else { false } }
  }
}

extension MigrationPlan.Step {
  /// A step of the user's own.
  init(_ step: MigrationStep) {
    self.init(
      .userStep(step.name), table: step.name,
      reason: step.moment == .before ? "before all else" : "before anything goes")
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
