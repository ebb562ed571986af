import QueryDSL
import SQLCore

/// Plans the steps that create a declared table or change the existing table into it.
///
/// Comparers find the differences between both tables. A `StepBuilder` makes steps of the
/// differences.
struct TablePlanner {
  let declared: TableDefinition
  let schema: ExistingSchema
  let planner: MigrationPlanner
  /// The declarations of all models.
  let others: Declarations

  /// The existing object from which the declared table is made.
  private enum Origin {
    case existing(TableComparison)
    /// No table exists. If a view has the table's name, the view is dropped first.
    indirect case none(droppedView: PlannedStep?)
    /// The existing object is not an ordinary table.
    indirect case refused(PlannedStep)
  }

  /// Returns the steps in the order in which they run.
  func plan() throws -> [PlannedStep] {
    guard declared.problems.isEmpty else {
      return declared.problems.map { refusal($0.reason, line: $0.line) }
    }
    switch try origin() {
    case .existing(let table): return try steps(changing: table)
    case .none(let droppedView): return (droppedView.map { [$0] } ?? []) + creation
    case .refused(let refusal): return [refusal]
    }
  }

  private func steps(changing table: TableComparison) throws -> [PlannedStep] {
    var builder = StepBuilder(table)
    builder.add(keptTriggers(of: table.names.table))
    builder.add(droppedTriggers.map(TableDifference.step))
    builder.add(try KeyComparer(table: table).differences())
    // A column that becomes a generated column is compared after all others. Its expression may use
    // their new values, which are known only then.
    let isCalculated = declared.columns.map { column in
      column.generated != nil
        && table.existing.column(column.name).map { $0.generated == nil } == true
    }
    let columns = zip(declared.columns, isCalculated)
    for (column, _) in columns.filter({ !$1 }) + columns.filter({ $1 }) {
      builder.add(
        try table.existing.column(column.name).map {
          try ColumnComparer(table: table, sources: builder.sources).differences(column, $0)
        } ?? NewColumnComparer(table: table).differences(column))
    }
    builder.add(try ConstraintComparer(table: table, sources: builder.sources).differences())
    builder.add(try UndeclaredColumnComparer(table: table).differences())
    let indexes = IndexComparer(table: table)
    builder.add(indexes.existingDifferences())
    try builder.makeChanges()
    builder.add(
      try indexes.newDifferences(sources: builder.sources, refused: builder.refusedUnique))
    return builder.plannedSteps
  }

  /// Finds the existing table by its name or a former name.
  private func origin() throws -> Origin {
    guard let former = schema.renames.formerName(ofTable: declared.name),
      let found = schema.relation(former)
    else { return .none(droppedView: nil) }
    guard found.kind == .table else {
      return declared.removes(.view(found.name))
        ? .none(droppedView: PlannedStep(running: .dropView(found.name)))
        : .refused(
          refusal(
            "\(declared.name) is a view; a model needs a table",
            line: "Dropped(view: \(found.name.swiftLiteral))"))
    }
    do {
      guard let existing = try schema.renamedTable(declared.name) else {
        return .none(droppedView: nil)
      }
      var declared = declared
      // A model without a key leaves the key of the existing table unchanged.
      if declared.keyNames.isEmpty { declared.keyNames = existing.key.columns }
      return .existing(
        TableComparison(
          declared, existing, former: found.name, others, in: schema, planner: planner))
    } catch is TableParser.Unreadable {
      return .refused(
        refusal(
          "\(found.name) is not an ordinary table: \(found.sql ?? ""); give the model's table "
            + "another name",
          line: declared.otherNameLine { others.takes($0, in: schema) }))
    }
  }

  private func refusal(_ reason: String, line: String) -> PlannedStep {
    PlannedStep(MigrationPlan.Step(.refuse, table: declared.name, reason: reason, line: line))
  }

  // MARK: New tables

  /// The steps that create the table and its indexes.
  private var creation: [PlannedStep] {
    var created = PlannedStep(
      running: MigrationPlan.Step(
        .createTable, table: declared.name, sql: declared.createTable, reason: "it does not exist"))
    created.conversions = declared.needlessConversions(of: declared.columns)
    return droppedTriggers + [created]
      + uniqued(declared.indexes).map { index -> PlannedStep in
        let creation = IndexCreation(table: declared, index: index, schema: schema, former: nil)
        return creation.refusedName ?? creation.step
      }
  }

  // MARK: Triggers

  private func keptTriggers(of table: String) -> [TableDifference] {
    schema.triggers(of: table).filter { trigger in
      !others.removes(.trigger(trigger.name)) && !others.manages(trigger, renames: schema.renames)
    }.map { trigger in
      .kept(
        PlannedStep(
          MigrationPlan.Step(
            .keepDeclaration("the trigger \(trigger.name)"), table: declared.name,
            reason: ["no model declares it", trigger.hidingReason(in: declared)].compactMap(\.self)
              .joined(separator: "; "),
            line: "Dropped(trigger: \(trigger.name.swiftLiteral))")))
    }
  }

  /// The steps that drop triggers, as the schema declares. A trigger may belong to another table.
  /// If several schemas drop the same trigger, only the first of them plans the step.
  private var droppedTriggers: [PlannedStep] {
    guard planner.extent == .whole else { return [] }
    return declared.removedTriggers.filter { name in
      guard let trigger = schema.trigger(name),
        TriggerDefinition.named(name, in: others.triggers) == nil
      else {
        return false
      }
      return !planner.droppedViews.contains(trigger.table.lowercasedASCII)
        && others.tables.first { $0.removes(.trigger(name)) }?.name == declared.name
    }.map { .dropTrigger($0, of: declared.name, reason: "the schema says so") }
  }
}

/// Makes steps of the differences of one table. The steps are an ALTER TABLE for each change, one
/// rebuild if any change needs it, or refusals.
struct StepBuilder {
  private let table: TableComparison
  private var steps: [PlannedStep] = []
  /// The columns, indexes and other parts that stay although no model declares them. The plan lists
  /// them after the steps.
  private var kept: [PlannedStep] = []
  private var changes: [TableChange] = []
  /// The notes of conversions that are written or removed with the changes.
  private var conversions: [ConversionNote] = []
  /// The SQL for the values that a rebuild changes or adds. The keys are column names in lower
  /// case.
  private(set) var sources: [String: TableRebuild.Source] = [:]
  /// The lists of columns whose values would not be unique after a rebuild. The plan already has a
  /// refusal for each list.
  private(set) var refusedUnique: Set<[String]> = []

  init(_ table: TableComparison) {
    self.table = table
  }

  /// The steps in the order in which they run.
  var plannedSteps: [PlannedStep] { steps + kept }

  private var isRefused: Bool { steps.contains { $0.step.kind == .refused } }

  mutating func add(_ differences: [TableDifference]) {
    for difference in differences {
      switch difference {
      case .change(let change): changes.append(change)
      case .refusal(let refusal): add(refusal)
      case .step(let step): steps.append(step)
      case .kept(let step): kept.append(step)
      case .value(let source): sources[source.column.lowercasedASCII] = source
      case .conversion(let note): conversions.append(note)
      }
    }
  }

  private mutating func add(_ refusal: TableRefusal) {
    let lines = refusal.step.step.lines
    if refusal.isLeftOutIfOffered, steps.contains(where: { $0.step.lines == lines }) { return }
    steps.append(refusal.step)
    if let columns = refusal.uniqueColumns { refusedUnique.insert(columns) }
  }

  /// Adds the steps for all changes that the comparers have found.
  mutating func makeChanges() throws {
    guard !changes.isEmpty else { return }
    let alters = changes.compactMap(\.alter)
    if alters.count == changes.count {
      steps += alters
      steps[steps.count - 1].conversions = conversions
      return
    }
    // If any step is refused, no step runs. So the plan needs no rebuild.
    guard !isRefused else { return }
    let rebuild = try TableRebuild(of: table, sources: sources)
    add(
      try RebuildVerifier(
        table: table, rebuild: rebuild, new: TableParser.parse(rebuild.createTable),
        sources: sources, steps: steps.map(\.step)
      ).differences())
    guard !isRefused else { return }
    var step = PlannedStep(
      MigrationPlan.Step(
        .rebuildTable,
        kind: changes.contains { $0.kind == .destructive } ? .destructive : .lossless,
        table: table.declared.name, sql: rebuild.sql,
        reason: uniqued(changes.map(\.reason)).joined(separator: "; ")),
      .rebuild(rebuild), touching: .all, of: table.names.table)
    step.conversions = conversions
    steps.append(step)
  }
}
