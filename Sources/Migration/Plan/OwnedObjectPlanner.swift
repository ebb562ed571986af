import QueryDSL
import SQLCore

/// Plans the objects that the library owns in a schema: triggers, full-text and vector indexes, and
/// the change log. Each object finds out how the file differs from its declaration. The planner
/// makes steps of these differences, and decides about objects that no model declares.
///
/// The SQL of such an object names tables and columns. So the object is dropped before all other
/// steps and created after them.
struct OwnedObjectPlanner {
  private let declared: Declarations
  private let schema: ExistingSchema
  private var migration: OwnedObjectMigration
  /// The steps that run before all other steps of the migration.
  private(set) var first: [PlannedStep] = []
  /// The steps that run after all other steps of the migration.
  private(set) var last: [PlannedStep] = []

  init(_ migration: OwnedObjectMigration) throws {
    declared = migration.declared
    schema = migration.schema
    self.migration = migration
    for object in declared.owned { try plan(object) }
    if migration.isWhole {
      planUndeclaredTriggers()
      planEndedLogs()
    }
    for index in schema.searchIndexes
    where !declared.declares(searchIndex: index.name) {
      planUndeclared(index)
    }
  }

  private mutating func plan(_ object: any OwnedObject) throws {
    guard let change = try object.change(in: migration) else { return }
    let (kind, table) = (object.kind, object.table)
    if !change.refusedLines.isEmpty {
      first.append(
        PlannedStep(
          MigrationPlan.Step(
            .refuse, table: table, reason: change.reason, lines: change.refusedLines)))
    }
    if !change.drops.isEmpty {
      let dropped = change.droppedKind ?? kind
      first.append(PlannedStep(dropped.drop, of: table, change.drops, change.reason))
    }
    if !change.creation.isEmpty {
      migration.creation.formUnion(change.creation)
      last.append(PlannedStep(kind.creation, of: table, change.creation, change.creationReason))
    }
    if !change.filling.isEmpty, case .searchIndex(let name) = kind {
      last.append(
        PlannedStep(
          .fillSearchIndex(name), of: table, change.filling, "its table has other values"))
    }
  }

  // MARK: Objects that no model declares

  private mutating func planUndeclaredTriggers() {
    let declaredTriggers = declared.owned.flatMap(\.definitions).filter { $0.kind == .trigger }
    let searchIndexes = schema.searchIndexes
    for entry in schema.entries where declared.manages(entry, renames: schema.renames) {
      guard !declaredTriggers.contains(where: { $0.name.isSame(as: entry.name) }),
        !declared.removes(.trigger(entry.name)), !entry.isLogTrigger,
        !searchIndexes.contains(where: { $0.owns(entry) })
      else { continue }
      var step = PlannedStep.dropTrigger(
        entry.name, of: schema.renames.name(ofTable: entry.table), reason: Self.isUndeclared)
      step.keep("the trigger \(entry.name)", "Dropped(trigger: \(entry.name.swiftLiteral))")
      // When a view is created again, its undeclared triggers are created again, too. So the
      // trigger of such a view must be dropped after the view is created, and not before.
      if migration.drops(view: entry.table) { last.append(step) } else { first.append(step) }
    }
  }

  private static let isUndeclared = "the schema no longer declares it"

  private mutating func planUndeclared(_ index: ExistingSearchIndex) {
    let isDropped =
      declared.removes(.searchIndex(index.name)) || declared.removes(.table(index.table))
    let table = schema.renames.name(ofTable: index.table)
    guard declared.declares(relation: table) || isDropped else { return }
    let isRenamed = index.isTouched(by: schema.renames)
    // A rebuild changes values without firing triggers, so the index would keep the former values.
    let isStale =
      !isDropped && !isRenamed
      && migration.rebuild(of: table).map { rebuild in
        !index.names.allSatisfy { name in
          rebuild.sameColumns.contains { $0.isSame(as: name) }
        }
      } ?? false
    let hasOtherValues = "its table has other values"
    let filling = index.filling(in: schema).map {
      PlannedStep(.fillSearchIndex(index.name), of: table, $0, hasOtherValues)
    }
    guard isRenamed || isStale || migration.isWhole else { return }
    if isStale, !migration.isWhole, let filling { return last.append(filling) }
    let reason =
      isDropped
      ? "the schema says so" : isRenamed ? "a name in it is changed" : Self.isUndeclared
    var step = PlannedStep(
      .dropSearchIndex(index.name), of: table, index.entries(in: schema).drops,
      isStale && filling == nil ? hasOtherValues : reason)
    // An index that a newer program may have created is kept, except in these cases: the schema
    // drops it; a renaming breaks it; its values change, and it cannot be filled again.
    if !isDropped, !isRenamed, !isStale || filling != nil {
      step.keep(
        "the \(index.type) index \(index.name)",
        "Dropped(\(index.type == "vector" ? "vectorIndex" : "fullText"): "
          + "\(index.name.swiftLiteral))")
    }
    guard isStale, let filling else { return first.append(step) }
    step.keeping.append(filling)
    last.append(step)
  }

  /// Drops the log triggers of tables with `NotLogged()`. If a table has log triggers, but no model
  /// declares either `Logged()` or `NotLogged()`, lists them as kept, because another program may
  /// use the log.
  private mutating func planEndedLogs() {
    for table in declared.tables where !declared.logs(table.name) {
      let triggers =
        schema.renames.formerName(ofTable: table.name)
        .map { schema.logTriggers(of: $0) } ?? []
      guard !triggers.isEmpty else { continue }
      first.append(
        table.removes(.log)
          ? PlannedStep(.stopLog, of: table.name, triggers.drops, "the schema says so")
          : PlannedStep(
            MigrationPlan.Step(
              .keepDeclaration("the change log"), table: table.name,
              reason: "no model declares it", line: "NotLogged()")))
    }
  }
}

extension OwnedObjectKind {
  fileprivate var creation: MigrationPlan.Step.Action {
    switch self {
    case .trigger(let name): .createTrigger(name)
    case .searchIndex(let name): .createSearchIndex(name)
    case .log: .startLog
    }
  }

  fileprivate var drop: MigrationPlan.Step.Action {
    switch self {
    case .trigger(let name): .dropTrigger(name)
    case .searchIndex(let name): .dropSearchIndex(name)
    case .log: .stopLog
    }
  }
}

extension PlannedStep {
  fileprivate init(
    _ action: MigrationPlan.Step.Action, of table: String, _ statements: [String], _ reason: String
  ) {
    self.init(
      MigrationPlan.Step(
        action, table: table, sql: statements.joined(separator: ";\n"), reason: reason),
      .statements(statements))
  }

  static func dropTrigger(_ name: String, of table: String, reason: String) -> PlannedStep {
    PlannedStep(
      .dropTrigger(name), of: table, ["DROP TRIGGER \(Identifier(name).quoted)"], reason)
  }

  /// Sets the step that replaces this step if a newer program may have created the object. The
  /// other step keeps the object instead of dropping it.
  fileprivate mutating func keep(_ title: String, _ line: String) {
    keeping = [
      PlannedStep(
        MigrationPlan.Step(
          .keepDeclaration(title), table: step.table,
          reason: "no model declares it, and a newer program may have created it", line: line))
    ]
  }
}

extension Declarations {
  /// Returns whether a model declares the change log of a table.
  func logs(_ table: String) -> Bool {
    owned.contains { $0.kind == .log && $0.table.isSame(as: table) }
  }

  /// Returns whether `OwnedObjectPlanner` decides about an existing trigger. It does so if the
  /// trigger is declared, or if a migration created the trigger for a table or view of the models.
  /// Other triggers are only listed as kept.
  func manages(_ trigger: ExistingSchema.Entry, renames: Renames) -> Bool {
    guard trigger.kind == .trigger else { return false }
    return TriggerDefinition.named(trigger.name, in: triggers) != nil
      || trigger.isOwnTrigger && declares(relation: renames.name(ofTable: trigger.table))
  }
}
