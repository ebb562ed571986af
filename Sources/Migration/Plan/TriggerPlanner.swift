import QueryDSL
import SQLCore

/// Plans the triggers that models declare: which are created, and which existing ones are dropped.
///
/// A trigger may name any table, so it is dropped before all other steps and created after them. A
/// trigger without the mark of Apus belongs to another program or to raw SQL, and stays.
struct TriggerPlanner {
  let declared: Declarations
  let schema: ExistingSchema
  let extent: MigrationPlanner.Extent
  /// The folded names of the views that are dropped first. Their triggers are dropped with them.
  let droppedViews: Set<String>
  /// The steps that come before all others, and those that come after them.
  private(set) var first: [PlannedStep] = []
  private(set) var last: [PlannedStep] = []

  init(
    _ declared: Declarations, in schema: ExistingSchema, extent: MigrationPlanner.Extent,
    droppedViews: Set<String>
  ) {
    self.declared = declared
    self.schema = schema
    self.extent = extent
    self.droppedViews = droppedViews
    for trigger in declared.triggers { plan(trigger) }
    if extent == .whole { planUndeclared() }
  }

  // MARK: Declared triggers

  private mutating func plan(_ trigger: TriggerDefinition) {
    let isOnDroppedView = droppedViews.contains(trigger.table.lowercasedASCII)
    // While the user's own steps still read the old columns, triggers stay as they are.
    guard extent == .whole || isOnDroppedView else { return }
    let creation = PlannedStep(
      running: MigrationPlan.Step(
        .createTrigger(trigger.name), table: trigger.table, sql: trigger.sql,
        reason: "the schema declares it"))
    guard let existing = schema.trigger(trigger.name) else { return last.append(creation) }
    let isDropped = droppedViews.contains(existing.table.lowercasedASCII)
    let isSame = existing.sql?.normalSQL == trigger.sql.normalSQL
    if isSame, !isDropped, !schema.renames.mayChange(existing) { return }
    if isSame || mayDrop(existing) {
      if !isDropped {
        let reason =
          isSame
          ? "a table or column in it is renamed"
          : "the schema declares another trigger of that name"
        first.append(.dropTrigger(existing.name, of: trigger.table, reason: reason))
      }
      last.append(creation)
    } else {
      first.append(refusal(of: trigger, existing))
    }
  }

  /// Whether a migration of these models may drop a trigger that they declare differently.
  private func mayDrop(_ existing: ExistingSchema.Entry) -> Bool {
    declared.removes(.trigger(existing.name)) || existing.isOwnTrigger && isDeclared(existing.table)
  }

  private func isDeclared(_ formerName: String) -> Bool {
    declared.declares(relation: schema.renames.name(ofTable: formerName))
  }

  private func refusal(
    of trigger: TriggerDefinition, _ existing: ExistingSchema.Entry
  ) -> PlannedStep {
    let free = trigger.name.numbered(separator: "_") { name in
      schema.trigger(name) != nil || TriggerDefinition.named(name, in: declared.triggers) != nil
    }
    let owner =
      existing.isOwnTrigger
      ? "a trigger of another model has that name"
      : "a trigger that Apus did not create has that name"
    let renaming = "Trigger(\(free.swiftLiteral), …)"
    let dropping = "Dropped(trigger: \(existing.name.swiftLiteral))"
    return PlannedStep(
      MigrationPlan.Step(
        .refuse, table: trigger.table,
        reason: "the trigger \(trigger.name) cannot be created: \(owner), on "
          + "\(existing.table); give the trigger another name, or drop the existing one",
        lines: existing.isOwnTrigger ? [renaming, dropping] : [dropping, renaming]))
  }

  // MARK: Triggers that are no longer declared

  private mutating func planUndeclared() {
    let searchIndexes = schema.searchIndexes
    let searchTriggers = declared.searchIndexes.flatMap(\.triggers)
    for entry in schema.entries where declared.manages(entry, renames: schema.renames) {
      guard TriggerDefinition.named(entry.name, in: declared.triggers) == nil,
        !declared.removes(.trigger(entry.name)),
        // Other planners plan the triggers of the change log and of full-text indexes.
        !entry.isLogTrigger, TriggerDefinition.named(entry.name, in: searchTriggers) == nil,
        !searchIndexes.contains(where: { $0.owns(entry) })
      else { continue }
      let table = schema.renames.name(ofTable: entry.table)
      var step = PlannedStep.dropTrigger(
        entry.name, of: table, reason: "the schema no longer declares it")
      step.keeping = MigrationPlan.Step(
        .keepDeclaration("the trigger \(entry.name)"), table: table,
        reason: "no model declares it, and a newer program may have created it",
        line: "Dropped(trigger: \(entry.name.swiftLiteral))")
      // A view that is created again gets its undeclared triggers back.
      if droppedViews.contains(entry.table.lowercasedASCII) {
        last.append(step)
      } else {
        first.append(step)
      }
    }
  }
}

extension PlannedStep {
  static func dropTrigger(_ name: String, of table: String, reason: String) -> PlannedStep {
    PlannedStep(
      running: MigrationPlan.Step(
        .dropTrigger(name), table: table, sql: "DROP TRIGGER \(Identifier(name).quoted)",
        reason: reason))
  }
}

extension Declarations {
  /// Whether a model declares a table or view of that name.
  func declares(relation name: String) -> Bool {
    tables.contains { $0.name.isSame(as: name) } || views.contains { $0.name.isSame(as: name) }
  }

  /// Whether the trigger planner decides about an existing trigger: one that is declared, or that a
  /// migration created for a table or view of the models. Other triggers are only listed as kept.
  func manages(_ trigger: ExistingSchema.Entry, renames: Renames) -> Bool {
    guard trigger.kind == .trigger else { return false }
    return TriggerDefinition.named(trigger.name, in: triggers) != nil
      || trigger.isOwnTrigger && declares(relation: renames.name(ofTable: trigger.table))
  }
}

extension ExistingSchema {
  /// Returns the trigger with that name, ignoring case.
  func trigger(_ name: String) -> Entry? {
    entries.first { $0.kind == .trigger && $0.name.isSame(as: name) }
  }
}
