import QueryDSL
import SQLCore

extension Database {
  /// Opens a database file with its models, and migrates the file in one transaction. The migration
  /// adds missing tables and columns, and changes those that are declared differently. It loses
  /// data only where a schema or the options say so.
  ///
  /// A file that is opened as read-only is not migrated.
  ///
  /// If a table needs a change that cannot be made automatically or that
  /// `Configuration.schemaPolicy` forbids, throws `MigrationError`, with the plan, and changes
  /// nothing. Throws `ModelError` if a model cannot be a table.
  public convenience init(
    path: String, models: [any TableModel.Type], configuration: Configuration = Configuration(),
    migration options: MigrationOptions = MigrationOptions()
  ) throws {
    try self.init(path: path, configuration: configuration)
    try open(with: models, options)
  }

  /// Opens a database file with its models, and migrates the file on a separate thread. This is the
  /// asynchronous form of `init(path:models:configuration:migration:)`.
  ///
  /// ```swift
  /// let db = try await Database.open(path: "blog.sqlite", models: [Author.self, Post.self])
  /// ```
  /// If the task is cancelled, the migration ends, changes nothing, and throws `CancellationError`.
  public static func open(
    path: String, models: [any TableModel.Type], configuration: Configuration = Configuration(),
    migration options: MigrationOptions = MigrationOptions()
  ) async throws -> Database {
    try await options.run { options in
      try Database(path: path, models: models, configuration: configuration, migration: options)
    }
  }

  /// Opens a database in memory with the tables of its models.
  ///
  /// Steps of `options` that run on new databases also run here, for example a step that inserts
  /// initial rows.
  public static func inMemory(
    models: [any TableModel.Type], configuration: Configuration = Configuration(),
    migration options: MigrationOptions = MigrationOptions()
  ) throws -> Database {
    let database = try inMemory(configuration: configuration)
    try database.open(with: models, options)
    return database
  }

  /// Creates a temporary database file with the tables of its models.
  public static func temporary(
    models: [any TableModel.Type], configuration: Configuration = Configuration(),
    migration options: MigrationOptions = MigrationOptions()
  ) throws -> Database {
    let database = try temporary(configuration: configuration)
    try database.open(with: models, options)
    return database
  }

  /// Migrates a database that has just been opened to the schema that its models declare.
  package func open(with models: [any TableModel.Type], _ options: MigrationOptions) throws {
    let declared = try Declarations(of: models)
    try prepareWriters(declared)
    guard !configuration.isReadOnly else { return try advanceIDs(past: declared) }
    // The plan is made on the writer, because this connection is already open. A reader would have
    // to be opened first.
    let plan = try writing { core in
      let plan = try Self.plan(for: declared, options, on: core) {
        self.openingObjection(to: $0) != nil
      }
      if plan.isEmpty { try core.advanceIDs(past: declared.ids) }
      return plan
    }
    if let objection = openingObjection(to: plan) { throw objection }
    if runs(plan) {
      try run(plan, for: declared, options)
      try writing { try $0.advanceIDs(past: declared.ids) }
    }
    for type in declared.ownedTypes { try type.didOpen(self) }
  }

  /// Moves the id generator past the stored ids. Skips tables that a read-only file does not have.
  private func advanceIDs(past declared: Declarations) throws {
    guard !declared.ids.isEmpty else { return }
    try reading { core in
      let schema = try ExistingSchema(of: core.lend())
      try core.advanceIDs(past: declared.ids.filter { schema.relation($0.table) != nil })
    }
  }

  /// Returns the plan of what `migrate` would do, without changing anything.
  ///
  /// If the definitions in the file are exactly as the models declare them, this costs one read of
  /// the schema. If values must be examined, for example in a column that gets another type, the
  /// table of the column is read, too.
  public func migrationPlan(
    for models: [any TableModel.Type], _ options: MigrationOptions = MigrationOptions()
  ) throws -> MigrationPlan {
    try migrationPlan(for: Declarations(of: models), options)
  }

  /// Returns the plan of what `migrate` would do, without changing anything. This is the
  /// asynchronous form, which runs on a separate thread.
  public func migrationPlan(
    for models: [any TableModel.Type], _ options: MigrationOptions = MigrationOptions()
  ) async throws -> MigrationPlan {
    try await options.run { try self.migrationPlan(for: models, $0) }
  }

  func migrationPlan(
    for declared: Declarations, _ options: MigrationOptions
  ) throws -> MigrationPlan {
    try prepareWriters(declared)
    return try reading { try Self.plan(for: declared, options, on: $0) { _ in true } }
  }

  private static func plan(
    for declared: Declarations, _ options: MigrationOptions, on core: ConnectionCore,
    isShown: (MigrationPlan) -> Bool
  ) throws -> MigrationPlan {
    try options.cancellation?.cover(core)
    // The plan reads one snapshot, because another process may migrate between reading the schema
    // and reading rows.
    return try core.transaction(.deferred) {
      try MigrationForecast.plan(for: declared, options, on: core, isShown: isShown)
    }
  }

  /// Migrates the tables of the models in one transaction, and returns the steps that were done.
  ///
  /// If the definitions in the file are exactly as the models declare them, this costs one read of
  /// the schema. Throws `MigrationError`, and changes nothing, if a step is refused, if a row or a
  /// reference would be lost, or if `Configuration.schemaPolicy` locks a table that would change.
  @discardableResult
  public func migrate(
    _ models: [any TableModel.Type], _ options: MigrationOptions = MigrationOptions()
  ) throws -> MigrationPlan {
    try migrate(Declarations(of: models), options)
  }

  /// Migrates the tables of the models in one transaction, and returns the steps that were done.
  /// This is the asynchronous form, which runs on a separate thread. If the task is cancelled, the
  /// migration ends, changes nothing, and throws `CancellationError`.
  @discardableResult
  public func migrate(
    _ models: [any TableModel.Type], _ options: MigrationOptions = MigrationOptions()
  ) async throws -> MigrationPlan {
    try await options.run { try self.migrate(models, $0) }
  }

  @discardableResult
  func migrate(_ declared: Declarations, _ options: MigrationOptions) throws -> MigrationPlan {
    try prepareWriters(declared)
    // Most often, there is nothing to do. A reader finds this out, which needs no write lock.
    let plan = try reading { core in
      try Self.plan(for: declared, options, on: core) { self.objection(to: $0) != nil }
    }
    return try run(plan, for: declared, options)
  }

  @discardableResult
  private func run(
    _ plan: MigrationPlan, for declared: Declarations, _ options: MigrationOptions
  ) throws -> MigrationPlan {
    guard runs(plan) else { return plan }
    if let objection = objection(to: plan) { throw objection }
    if !plan.isEmpty, let path = options.copyPath {
      try vacuum(
        into: path, overwriting: false, options.cancellation ?? JobCancellation())
    }
    let start = ContinuousClock.now
    // Another process may have migrated in the meantime, so the plan is made again under the write
    // lock.
    var options = options
    if plan.isEmpty { options.waiting = .zero }
    let done: MigrationPlan
    do {
      done = try writing { core in
        try MigrationRun.run(on: core, declared: declared, options: options)
      }
    } catch let error as DatabaseError
      where plan.isEmpty && [.busy, .full, .readOnly].contains(error.code.primary)
    {
      // This is not an error: only the types had to be noted, and the file cannot be written at
      // this moment. The next opening checks the values again, and then notes the types.
      return plan
    }
    if let notify = configuration.onMigration, !done.isEmpty {
      notify(
        MigrationReport(
          description: done.description, statements: done.steps.compactMap(\.sql),
          duration: start.duration(to: .now)))
    }
    return done
  }
}

extension Database {
  /// Makes the registrations, such as a tokenizer, that full-text indexes, change logs and other
  /// owned objects of the models need. If such an object follows the changes of a table, turns on
  /// `recursive_triggers`, so that REPLACE also fires delete triggers.
  private func prepareWriters(_ declared: Declarations) throws {
    let isReadOnly = configuration.isReadOnly
    for type in declared.ownedTypes {
      for registration in type.registrations(for: declared, isReadOnly: isReadOnly) {
        try register(registration)
      }
    }
    if !isReadOnly, declared.owned.contains(where: { $0.follower != nil }) {
      try register(.recursiveTriggers)
    }
  }

  /// Returns whether a migration has something to do. If only types must be noted, it has something
  /// to do only if the schema policy is `.automatic`.
  private func runs(_ plan: MigrationPlan) -> Bool {
    !plan.isEmpty || plan.notesTypes && configuration.schemaPolicy == .automatic
  }

  /// Returns the error that `migrate` throws if it refuses a plan; nil if the plan may run, or if
  /// there is nothing to do.
  private func objection(to plan: MigrationPlan) -> MigrationError? {
    guard runs(plan) else { return nil }
    if let reason = configuration.schemaPolicy.lock(for: plan) {
      return MigrationError(plan: plan, reason: reason)
    }
    return plan.refusals.isEmpty ? nil : MigrationError(plan: plan)
  }

  /// Returns the error that the opening of a database throws if it refuses a plan; nil if the plan
  /// may run, or if there is nothing to do.
  private func openingObjection(to plan: MigrationPlan) -> MigrationError? {
    if let reason = configuration.schemaPolicy.objection(to: plan) {
      return MigrationError(plan: plan, reason: reason)
    }
    if !plan.isEmpty, configuration.schemaPolicy == .validated {
      return MigrationError(
        plan: plan,
        reason: "`Configuration.schemaPolicy` is `.validated`: change the schema yourself, or call "
          + "`migrate`")
    }
    return objection(to: plan)
  }
}

extension SchemaPolicy {
  /// Returns the reason why a database must not be opened after a newer program changed one of its
  /// tables; nil if the database may be opened.
  fileprivate func objection(to plan: MigrationPlan) -> String? {
    guard plan.newerNames.contains(where: { self == .validated || locks($0) }) else { return nil }
    return "a newer program changed the schema, and `Configuration.schemaPolicy` requires the "
      + "schema that the models declare"
  }

  /// Returns the reason why the schema policy forbids a plan; nil if the policy allows the plan.
  fileprivate func lock(for plan: MigrationPlan) -> String? {
    let isLocked = plan.steps.contains { !$0.isKept && locks($0.table) }
    return isLocked ? "the schema is locked by `Configuration.schemaPolicy`" : nil
  }
}

extension MigrationPlan.Step {
  /// Creates the plan's step for one of the user's own steps.
  init(_ step: MigrationStep) {
    let reason =
      switch step.moment {
      case .before: "before all other changes"
      case .after: "after columns are added, and before columns are dropped"
      case .last: "after all other changes"
      }
    self.init(.userStep(step.name), table: step.name, reason: reason)
  }
}
