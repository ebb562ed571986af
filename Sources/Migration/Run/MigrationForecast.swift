import QueryDSL
import SQLCore

/// Plans a migration without changing anything.
///
/// The user's own steps do not run during planning, because they may do more than SQL. A refusal
/// that such a step may resolve becomes `.undecided`.
struct MigrationForecast {
  let declared: Declarations
  let options: MigrationOptions
  let core: ConnectionCore
  /// The existing schema, which is read once.
  let schema: ExistingSchema

  /// Returns the plan.
  ///
  /// - Parameter isShown: returns whether a plan will be shown. Rows are counted only for such a
  ///   plan.
  static func plan(
    for declared: Declarations, _ options: MigrationOptions, on core: ConnectionCore,
    isShown: (MigrationPlan) -> Bool
  ) throws -> MigrationPlan {
    let connection = core.lend()
    let reading = try SchemaReading(of: connection, for: declared)
    let planner = MigrationPlanner(on: core, options, declared)
    let isDone = try planner.isDone(declared, in: reading)
    if isDone, options.steps.isEmpty { return MigrationPlan() }
    var plan = try MigrationForecast(
      declared: declared, options: options, core: core, schema: reading.schema
    ).plan(isDone: isDone, isShown: isShown)
    plan.notesTypes = try planner.notesTypes(of: declared, in: reading)
    return plan
  }

  private func plan(isDone: Bool, isShown: (MigrationPlan) -> Bool) throws -> MigrationPlan {
    var steps = try isDone ? [] : self.steps(.whole)
    let pending = try self.pending()
    if pending.isEmpty || !steps.contains(where: { $0.step.kind == .refused }) {
      steps += try rehearsed(steps)
    }
    try decide(&steps, pending) { try self.steps(.expanding) }
    let plan = plan(of: steps, pending)
    guard isShown(plan) else { return plan }
    steps = try counted(steps)
    // If SQLite could not count the rows of a step, a refusal has replaced this step. So the
    // refusals are decided once more.
    try decide(&steps, pending) { try counted(self.steps(.expanding)) }
    return self.plan(of: steps, pending)
  }

  private func plan(of steps: [PlannedStep], _ pending: [MigrationStep]) -> MigrationPlan {
    func userSteps(_ moment: MigrationStep.Moment) -> [MigrationPlan.Step] {
      pending.filter { $0.moment == moment }.map(MigrationPlan.Step.init)
    }
    return MigrationPlan(
      steps: userSteps(.before) + steps.map(\.step) + userSteps(.after) + userSteps(.last))
  }

  private func counted(_ steps: [PlannedStep]) throws -> [PlannedStep] {
    try PlannedStep.counted(steps, in: core.lend()) { declared.takes($0, in: schema) }
  }

  private func steps(_ extent: MigrationPlanner.Extent) throws -> [PlannedStep] {
    var planner = MigrationPlanner(on: core, options, declared)
    planner.extent = extent
    return try MigrationFunctions(of: declared.tables).use(on: core) {
      try planner.steps(for: declared, in: schema)
    }
  }

  /// Returns those of the user's own steps that will run.
  private func pending() throws -> [MigrationStep] {
    guard !options.steps.isEmpty else { return [] }
    let connection = core.lend()
    let isNew = declared.isNew(in: schema)
    guard try isNew || !options.areOlder(than: schema, in: connection) else { return [] }
    return try MigrationNotes(connection: connection).pending(options.steps, in: schema)
      .filter { !isNew || $0.onNewDatabase == .runs }
  }

  /// Makes refusals undecided if one of the user's own steps may resolve them. A step that runs
  /// `.before` may resolve every refusal. A step that runs `.after` may resolve only the refusals
  /// of later steps.
  ///
  /// - Parameter expanding: returns the steps that run before the user's `.after` steps.
  private func decide(
    _ steps: inout [PlannedStep], _ pending: [MigrationStep],
    expanding: () throws -> [PlannedStep]
  ) throws {
    guard steps.contains(where: { $0.step.kind == .refused }) else { return }
    var firm: [MigrationPlan.Step] = []
    let step: MigrationStep
    if let before = pending.first(where: { $0.moment == .before }) {
      step = before
    } else if let after = pending.first(where: { $0.moment == .after }) {
      step = after
      firm = try expanding().map(\.step).filter { $0.kind == .refused }
    } else {
      return
    }
    for index in steps.indices
    where steps[index].step.kind == .refused && !firm.contains(steps[index].step) {
      steps[index].step.kind = .undecided
      steps[index].step.reason +=
        " (undecided until the step \(step.name.swiftLiteral) has run)"
    }
  }
}

// MARK: Rehearsing

extension MigrationForecast {
  /// Runs the steps on a copy of the schema, and returns the steps that SQLite refuses. Returns
  /// none for a plan that changes nothing or already contains a refusal.
  private func rehearsed(_ planned: [PlannedStep]) throws -> [PlannedStep] {
    guard planned.contains(where: { !$0.step.isKept }),
      !planned.contains(where: { $0.step.kind == .refused })
    else { return [] }
    return try refusals(of: planned).map { PlannedStep($0) }
  }

  /// Tries the steps on a copy of the schema, in memory and without rows, and returns SQLite's
  /// refusals. Returns none if the schema cannot be copied, for example because it uses a module or
  /// collation that only another program has.
  ///
  /// SQLite refuses a step on the copy for the same reason as in the database, for example because
  /// a view would name a dropped column, or because a table has too many columns. So the plan
  /// refuses the step before anything runs. Costs the statements of the schema and of the plan, on
  /// empty tables.
  private func refusals(of steps: [PlannedStep]) throws -> [MigrationPlan.Step] {
    let definitions = schema.entries.compactMap { entry in
      entry.sql.map { (type: entry.kind.rawValue, name: entry.name, sql: $0) }
    }
    let copy = try SchemaCopy(of: definitions, in: core)
    guard !copy.objects.isEmpty, let twin = try? core.emptyTwin() else { return [] }
    twin.takesQuotedTextInDefinitions = true
    copy.make(in: twin)
    guard let copied = try? ExistingSchema(of: twin.lend()),
      copy.objects.allSatisfy({ object in
        object.kind == .trigger ? copied.hasTrigger(object.name) : copied.entry(object.name) != nil
      })
    else { return [] }
    do {
      return try MigrationRun.rehearse(steps, on: twin, declared: declared, schema: copied)
    } catch let error as MigrationError {
      return error.plan.refusals
    } catch {
      // Any other error is ignored here, because it occurs again when the migration runs.
      return []
    }
  }
}
