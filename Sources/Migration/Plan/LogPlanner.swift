import QueryDSL
import SQLCore

/// Plans the triggers of the change log: for which tables they are created, and where they are
/// dropped.
///
/// The triggers name all columns of their table, also those that no model declares, so they are
/// dropped before all other steps and created after them. Their order among the triggers of the table
/// does not matter.
struct LogPlanner {
  let declared: Declarations
  let schema: ExistingSchema
  /// The steps that come before all others, and those that come after them.
  private(set) var first: [PlannedStep] = []
  private(set) var last: [PlannedStep] = []
  /// The number of value pairs for which `apus_log_change` has columns.
  private var width: Int

  init(
    _ declared: Declarations, in schema: ExistingSchema, extent: MigrationPlanner.Extent,
    changes: [PlannedStep]
  ) throws {
    self.declared = declared
    self.schema = schema
    let existing = try schema.table(LogTables.change)?.columns.count
    width = ((existing ?? LogTables.changeColumns.count) - LogTables.changeColumns.count) / 2
    // While the user's own steps still read the old columns, triggers stay as they are, unless a
    // renaming breaks them.
    for log in declared.logs { plan(log, extent, changes) }
    for table in Set(schema.entries.filter(\.isLogTrigger).map(\.table.lowercasedASCII)).sorted() {
      planUndeclared(table, extent)
    }
  }

  // MARK: Declared logs

  private mutating func plan(
    _ declaredLog: LogDefinition, _ extent: MigrationPlanner.Extent, _ changes: [PlannedStep]
  ) {
    let former = schema.renames.formerName(ofTable: declaredLog.table)
    let existing = former.map { schema.logTriggers(of: $0) } ?? []
    let logged = existing.loggedColumns
    var log = declaredLog
    // The planner of the table refuses a definition that cannot be read.
    let table = former == nil ? nil : (try? schema.renamedTable(log.table)) ?? nil
    if let table, let definition = declared.tables.first(where: { $0.name.isSame(as: log.table) }) {
      log = LogDefinition(of: definition, beside: table, order: logged)
    }
    guard !existing.isEmpty else {
      guard extent == .whole else { return }
      let owners = log.triggers.compactMap { schema.trigger($0.name) }
      if let owner = owners.first(where: { !$0.isLogTrigger }) {
        return first.append(refusal(of: log, owner))
      }
      let hasRows = former.map { schema.relation($0) != nil } ?? false
      return last.append(start(log, saysGap: hasRows, "the schema declares it"))
    }
    let isRenamed = former.map { schema.renames.touch($0) } ?? false
    let isSame =
      existing.count == log.triggers.count
      && existing.allSatisfy { TriggerDefinition.named($0.name, in: log.triggers)?.sql == $0.sql }
    let isConverted = changes.contains { $0.changesValues(of: log) }
    guard isRenamed || extent == .whole && (!isSame || isConverted) else { return }
    let reason =
      isRenamed
      ? "a name in it is changed"
      : !isSame
        ? "the table has other columns" : "values of the table are changed without triggers"
    first.append(stop(existing, of: log.table, reason))
    // If a trigger was missing, so may be changes; and those of a column that the table has, and
    // that the triggers did not know.
    let isBroken =
      isConverted || existing.count != log.triggers.count
      || !isRenamed
        && log.shape.columns.contains { name in
          table?.columns.contains { $0.name.isSame(as: name) } ?? false
            && !logged.contains { $0.isSame(as: name) }
        }
    last.append(start(log, saysGap: isBroken, closesEntry: true, reason))
  }

  /// - Parameters:
  ///   - saysGap: whether an entry says that changes before it are missing.
  ///   - closesEntry: whether the open entry ends, so that an entry has only one shape of a table.
  private mutating func start(
    _ log: LogDefinition, saysGap: Bool, closesEntry: Bool = false, _ reason: String
  ) -> PlannedStep {
    let isComplete = LogTables.all.allSatisfy { schema.entry($0) != nil }
    var statements = isComplete || !last.isEmpty ? [] : LogTables.creation
    let count = log.shape.columns.count
    statements += LogTables.widening(from: width, to: count)
    width = max(width, count)
    statements.append(log.shape.registration)
    if saysGap || closesEntry { statements.append(LogTables.closing) }
    if saysGap { statements.append(LogTables.gap(in: log.table)) }
    statements += log.triggers.map(\.sql)
    return PlannedStep(
      MigrationPlan.Step(
        .startLog, table: log.table, sql: statements.joined(separator: ";\n"), reason: reason),
      .statements(statements))
  }

  private func stop(
    _ triggers: [ExistingSchema.Entry], of table: String, _ reason: String
  ) -> PlannedStep {
    let statements = triggers.map { "DROP TRIGGER \(Identifier($0.name).quoted)" }
    return PlannedStep(
      MigrationPlan.Step(
        .stopLog, table: table, sql: statements.joined(separator: ";\n"), reason: reason),
      .statements(statements))
  }

  private func refusal(of log: LogDefinition, _ owner: ExistingSchema.Entry) -> PlannedStep {
    PlannedStep(
      MigrationPlan.Step(
        .refuse, table: log.table,
        reason:
          "changes of \(log.table) cannot be logged: a trigger that Apus did not create has the "
          + "name \(owner.name), on \(owner.table); drop it",
        line: "Dropped(trigger: \(owner.name.swiftLiteral))"))
  }

  // MARK: Logs that are no longer declared

  private mutating func planUndeclared(_ former: String, _ extent: MigrationPlanner.Extent) {
    let table = schema.renames.name(ofTable: former)
    guard let definition = declared.tables.first(where: { $0.name.isSame(as: table) }),
      LogDefinition.named(table, in: declared.logs) == nil
    else { return }
    let isDropped = definition.removes(.log)
    let isRenamed = schema.renames.touch(former)
    guard isRenamed || extent == .whole else { return }
    let reason =
      isDropped
      ? "the schema says so"
      : isRenamed ? "a name in it is changed" : "the schema no longer declares it"
    var step = stop(schema.logTriggers(of: former), of: definition.name, reason)
    // Triggers that a newer program may have created are kept, unless they would no longer work.
    if !isDropped, !isRenamed {
      step.keeping = MigrationPlan.Step(
        .keepDeclaration("the change log"), table: definition.name,
        reason: "no model declares it, and a newer program may have created it",
        line: "NotLogged()")
    }
    first.append(step)
  }
}

extension PlannedStep {
  /// Whether the step replaces rows of a logged table, or their values, without its triggers.
  fileprivate func changesValues(of log: LogDefinition) -> Bool {
    guard case .rebuild(let rebuild) = work, rebuild.table.isSame(as: log.table) else {
      return false
    }
    return rebuild.sources.contains { source in
      !source.isSame && log.shape.columns.contains { $0.isSame(as: source.column) }
    }
  }
}

extension Renames {
  /// Whether a renaming changes the name of a table or of one of its columns.
  fileprivate func touch(_ table: String) -> Bool {
    isGivenAway(table) || !columns(ofFormer: table).isEmpty
  }
}
