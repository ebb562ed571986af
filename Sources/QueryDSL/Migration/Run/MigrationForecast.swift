import SQLCore

/// Plans a migration without changing anything.
///
/// The user's own steps do not run for a plan, because they may do more than SQL. A refusal that
/// they may resolve is `.undecided`.
struct MigrationForecast {
  let declared: Declarations
  let options: MigrationOptions
  let core: ConnectionCore

  func plan() throws -> MigrationPlan {
    let planned = try self.steps(.whole)
    var steps = planned.map(\.step)
    let pending = try self.pending()
    if pending.isEmpty || !steps.contains(where: { $0.kind == .refused }) {
      steps += try rehearsed(planned)
    }
    guard !pending.isEmpty else { return MigrationPlan(steps: steps) }
    try decide(&steps, pending)
    func userSteps(_ moment: MigrationStep.Moment) -> [MigrationPlan.Step] {
      pending.filter { $0.moment == moment }.map(MigrationPlan.Step.init)
    }
    return MigrationPlan(
      steps: userSteps(.before) + steps + userSteps(.after) + userSteps(.last))
  }

  private func steps(_ extent: MigrationPlanner.Extent) throws -> [PlannedStep] {
    var planner = MigrationPlanner(connection: core.lend())
    planner.extent = extent
    planner.configure(options, declared)
    return try planner.steps(for: declared, on: core)
  }

  /// Returns the user's own steps that will run.
  private func pending() throws -> [MigrationStep] {
    guard !options.steps.isEmpty else { return [] }
    let connection = core.lend()
    let isNew = try declared.isNew(in: ExistingSchema(of: connection))
    guard try isNew || !options.areOlder(in: connection) else { return [] }
    return try MigrationLog(connection: connection).pending(options.steps)
      .filter { !isNew || $0.onNewDatabase == .runs }
  }

  /// Returns the steps that SQLite refuses. Does not rehearse a plan that changes nothing or is
  /// refused already.
  private func rehearsed(_ planned: [PlannedStep]) throws -> [MigrationPlan.Step] {
    guard planned.contains(where: { !$0.step.isKept }),
      !planned.contains(where: { $0.step.kind == .refused })
    else { return [] }
    return try SchemaRehearsal(declared: declared, core: core).refusals(of: planned)
  }

  /// Makes refusals undecided if one of the user's own steps may resolve them. A step that runs
  /// `.before` may resolve every refusal; a step that runs `.after` only refusals of steps that
  /// follow it.
  private func decide(
    _ steps: inout [MigrationPlan.Step], _ pending: [MigrationStep]
  ) throws {
    guard steps.contains(where: { $0.kind == .refused }) else { return }
    var firm: [MigrationPlan.Step] = []
    let step: MigrationStep
    if let before = pending.first(where: { $0.moment == .before }) {
      step = before
    } else if let after = pending.first(where: { $0.moment == .after }) {
      step = after
      firm = try self.steps(.expanding).map(\.step).filter { $0.kind == .refused }
    } else {
      return
    }
    for index in steps.indices where steps[index].kind == .refused && !firm.contains(steps[index]) {
      steps[index].kind = .undecided
      steps[index].reason += " (undecided until the step \(step.name.swiftLiteral) has run)"
    }
  }
}
