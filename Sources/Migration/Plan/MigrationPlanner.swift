import QueryDSL
import SQLCore

/// Compares the declarations of models with the existing schema, and plans the steps between them.
struct MigrationPlanner {
  /// The part of a migration that is planned.
  enum Extent {
    case whole
    /// Only steps that add something or allow more values. Steps that remove something or require
    /// unique values wait until the user's own steps have read the old columns.
    case expanding
  }

  let connection: Connection
  var extent = Extent.whole
  var invalidValues = MigrationOptions.InvalidValues.refused
  var missingDefaults = MigrationOptions.MissingDefaults.refused
  var checksValues = false
  var checksChangedTypes = false
  /// The declared columns whose Swift types have changed. The keys are the names of the tables. All
  /// names are in lower case.
  private(set) var changedTypes: [String: Set<String>] = [:]
  /// The closure that the planner calls before it checks the values of a column, and while it does
  /// so.
  var progress: (@Sendable (MigrationProgress) throws -> Void)?
  var newerSchema = MigrationOptions.NewerSchema.kept
  var schemaVersion: Int?
  /// The names, in lower case, of the views that models declare. Such a view can be created again
  /// after it is dropped.
  var declaredViews: Set<String> = []
  /// The names, in lower case, of the views that are dropped before all other steps. Their triggers
  /// are dropped with them.
  var droppedViews: Set<String> = []
  /// The notes of conversions that have run.
  var conversions = ConversionNotes()

  init(connection: Connection) {
    self.connection = connection
  }

  init(on core: ConnectionCore, _ options: MigrationOptions, _ declared: Declarations) {
    connection = core.lend()
    invalidValues = options.invalidValues
    missingDefaults = options.missingDefaults
    checksValues = options.checksValues
    // A database engine elsewhere, such as a cluster, cannot call Swift types to check the values.
    checksChangedTypes = options.checksChangedTypes && !core.isRemote
    progress = options.progress
    newerSchema = options.newerSchema
    schemaVersion = options.schemaVersion
    declaredViews = Set(declared.views.map(\.name.lowercasedASCII))
  }

  /// Returns whether there is nothing to do, without comparing tables. Usually nothing has changed,
  /// and comparing the SQL of the definitions is enough.
  func isDone(_ declared: Declarations, in reading: SchemaReading) throws -> Bool {
    guard !checksValues, reading.isExact, remembersTypes(of: declared, in: reading) else {
      return false
    }
    if !declared.searchTables.isEmpty {
      let schema = reading.schema
      guard declared.searchTables.allSatisfy({ $0.objection(in: schema) == nil }) else {
        return false
      }
    }
    guard !declared.exchanges.isEmpty || !declared.notedConversions.isEmpty else { return true }
    let schema = reading.schema
    return try remembers(declared.exchanges, in: schema)
      && declared.unconverted({ try ConversionNotes(of: schema, in: connection) }).isEmpty
  }

  /// Returns true if no types have to be noted, because the file already has the notes of the
  /// declared Swift types, or because it needs no such notes.
  private func remembersTypes(of declared: Declarations, in reading: SchemaReading) -> Bool {
    guard checksChangedTypes, let sql = reading.types, sql != declared.notedTypes else {
      return true
    }
    return NotedTypes(sql)?.covers(declared.types) ?? true
  }

  /// Returns whether a migration has types to note, even if the plan has no step. Types are noted
  /// if the file has notes of other types, and no newer program wrote those notes.
  func notesTypes(of declared: Declarations, in reading: SchemaReading) throws -> Bool {
    try !remembersTypes(of: declared, in: reading) && !isOlder(than: reading.schema)
  }

  /// Returns whether a program with a higher `schemaVersion` has migrated the file.
  private func isOlder(than schema: ExistingSchema) throws -> Bool {
    try MigrationOptions(newerSchema: newerSchema, schemaVersion: schemaVersion)
      .areOlder(than: schema, in: connection)
  }

  /// Returns whether all exchanges of names, for example between two columns, have already run on
  /// this database.
  private func remembers(_ exchanges: [String], in schema: ExistingSchema) throws -> Bool {
    guard !exchanges.isEmpty else { return true }
    let done = try MigrationNotes(connection: connection).names(in: schema)
    return exchanges.allSatisfy(done.contains)
  }

  /// Returns the steps, except steps that would or might undo the changes of a newer program.
  ///
  /// The history is read only if the plan changes something.
  func steps(for declared: Declarations, in schema: ExistingSchema) throws -> [PlannedStep] {
    let steps = try allSteps(for: declared, in: schema)
    guard newerSchema != .replaced, steps.contains(where: { !$0.step.isKept }) else { return steps }
    let history = try SchemaHistory(of: schema, in: connection)
    let judged = try history.map { try self.steps(steps, for: declared, in: schema, $0) } ?? steps
    // A file without a schema version counts as older than any program that has one.
    let fileNumber = history?.version?.number ?? 0
    let isCurrent = schemaVersion.map { $0 >= fileNumber } ?? false
    return isCurrent ? judged : judged.flatMap { $0.keeping.isEmpty ? [$0] : $0.keeping }
  }

  /// Returns the steps that make the schema equal to the declarations. This includes steps that
  /// would undo the changes of a newer program. The functions of a migration must be registered.
  func allSteps(for declared: Declarations, in existing: ExistingSchema) throws -> [PlannedStep] {
    var schema = existing
    let notes = MigrationNotes(connection: connection)
    let renaming = RenamePlanner(
      declared.tables, in: schema,
      done: declared.exchanges.isEmpty ? [] : Set(try notes.names(in: schema)))
    schema.renames = renaming.renames
    // Views are dropped first and created last, because a column that a view names cannot be
    // dropped.
    var steps: [PlannedStep] = []
    var created: [PlannedStep] = []
    for view in declared.views { try plan(view, declared, in: schema, &steps, &created) }
    if extent == .whole { steps += removedViews(declared, in: schema) }
    let droppedViews = Set(steps.filter(\.step.dropsView).map(\.step.table.lowercasedASCII))
    steps += renaming.steps
    var tablePlanner = self
    tablePlanner.droppedViews = droppedViews
    if declared.tables.contains(where: { $0.columns.contains { $0.conversion != nil } }) {
      tablePlanner.conversions = try ConversionNotes(of: schema, in: connection)
    }
    if checksChangedTypes, let noted = NotedTypes(schema.entry(NotedTypes.name)?.sql) {
      let changes = declared.tables.map {
        ($0.name.lowercasedASCII, noted.changes(of: $0, schema.renames))
      }
      // If a newer program migrated the file, the values belong to the types of that program. They
      // are not checked, because this program does not know these types.
      if changes.contains(where: { !$0.1.isEmpty }), try !isOlder(than: schema) {
        tablePlanner.changedTypes = Dictionary(changes) { $1 }
      }
    }
    let unconverted = declared.unconverted { tablePlanner.conversions }
    // Renamed tables are planned first, because the names of their indexes must be free before
    // other tables take them.
    let isRenamed = { (table: TableDefinition) in
      schema.renames.formerName(ofTable: table.name)?.isSame(as: table.name) == false
    }
    let ordered = declared.tables.filter(isRenamed) + declared.tables.filter { !isRenamed($0) }
    var changes: [PlannedStep] = []
    for table in ordered {
      let hasTriggers = table.removedTriggers.contains(where: schema.hasTrigger)
      if !checksValues, !hasTriggers, declared.definitions.isExact(table, in: schema),
        !schema.renames.isGivenAway(table.name), !unconverted.contains(table.name.lowercasedASCII),
        tablePlanner.changedTypes[table.name.lowercasedASCII]?.isEmpty ?? true,
        schema.renames.columns(ofFormer: table.name).isEmpty
      {
        continue
      }
      changes += try tablePlanner.plan(table, declared, in: schema)
    }
    // If tables exchange their names, the indexes of all these tables are dropped before any index
    // is created.
    if renaming.exchangesTables {
      changes = changes.filter(\.step.dropsIndex) + changes.filter { !$0.step.dropsIndex }
    }
    steps += changes
    if extent == .whole { steps += removedTables(declared, in: schema) }
    steps += declared.searchTables.compactMap { refusal(of: $0, declared, in: schema) }
    let owned = try OwnedObjectPlanner(
      OwnedObjectMigration(
        of: declared, in: schema, isWhole: extent == .whole, droppedViews: droppedViews,
        rebuilds: steps.compactMap(\.copiedTable)))
    return Array([owned.first, steps, created, owned.last].joined())
  }

  /// Plans the steps of one table. If SQLite cannot run a query of the planner, for example because
  /// a check calls an unknown function, the error becomes a refusal.
  private func plan(
    _ table: TableDefinition, _ declared: Declarations, in schema: ExistingSchema
  ) throws -> [PlannedStep] {
    do {
      return try TablePlanner(declared: table, schema: schema, planner: self, others: declared)
        .plan()
    } catch let error as DatabaseError where error.isRefusal {
      let step = MigrationPlan.Step(.rebuildTable, table: table.name, reason: "")
      return [PlannedStep(.refusal(error, of: step) { declared.takes($0, in: schema) })]
    }
  }

  /// Returns the refusal of a model with `ExistingFullText()` whose FTS5 table does not exist or
  /// has other columns; nil if the model can use the table.
  private func refusal(
    of table: SearchTableDefinition, _ declared: Declarations, in schema: ExistingSchema
  ) -> PlannedStep? {
    guard let reason = table.objection(in: schema) else { return nil }
    let line: String
    if schema.entry(table.name) == nil {
      // The SQL of the step has IF NOT EXISTS, because the step also runs in files that already
      // have the table.
      line =
        "MigrationStep(\("the FTS5 table \(table.name)".swiftLiteral), .before, "
        + "onNewDatabase: .runs) { try $0.execute(\(table.createTable.swiftLiteral)) }"
    } else {
      let otherName = table.name.numbered { declared.takes($0, in: schema) }
      line =
        "static let tableName = \(otherName.swiftLiteral)"
        + "  // \(table.name.inComment) stays as it is"
    }
    return PlannedStep(
      MigrationPlan.Step(.refuse, table: table.name, reason: reason, line: line))
  }

  /// Returns the end of a line that loses rows of a table: `  // loses 2 rows of Note`.
  private func losingRows(_ count: Int, of table: String) -> String {
    guard count > 0 else { return "" }
    return "  // loses \(count) \(count == 1 ? "row" : "rows") of \(table.inComment)"
  }

  // MARK: Views

  private func plan(
    _ view: ViewDefinition, _ declared: Declarations, in schema: ExistingSchema,
    _ dropped: inout [PlannedStep], _ created: inout [PlannedStep]
  ) throws {
    var found = schema.relation(view.name)
    if found?.kind == .table, declared.removes(.table(view.name)) {
      // The view can be created only after the table with its name is dropped. Tables are dropped
      // only if the whole migration is planned.
      guard extent == .whole else { return }
      found = nil
    }
    if let found, found.kind == .table {
      let otherName = view.name.numbered { declared.takes($0, in: schema) }
      let rows = try connection.count(found.name)
      return dropped.append(
        PlannedStep(
          MigrationPlan.Step(
            .refuse, table: view.name,
            reason: "\(view.name) is a table in the database and a view in \(view.model); give the "
              + "view another name, or drop the table in the schema of a model",
            lines: [
              "static let tableName = \(otherName.swiftLiteral)",
              "Dropped(table: \(view.name.swiftLiteral))" + losingRows(rows, of: found.name),
            ])))
    }
    guard found?.sql?.normalSQL != view.createView.normalSQL else { return }
    if let found {
      dropped.append(PlannedStep(running: .dropView(found.name, reason: "its query differs")))
    }
    // SQLite drops the triggers of a view together with the view. Those that no model declares are
    // created again together with it.
    let triggers = found.map { schema.triggers(of: $0.name) } ?? []
    let statements =
      [view.createView]
      + triggers.filter { trigger in
        TriggerDefinition.named(trigger.name, in: declared.triggers) == nil
          && !declared.removes(.trigger(trigger.name))
      }.compactMap(\.sql)
    created.append(
      PlannedStep(
        MigrationPlan.Step(
          .createView, table: view.name, sql: statements.joined(separator: ";\n"),
          reason: found == nil ? "it does not exist" : "its query differs"),
        .statements(statements)))
  }
}

extension MigrationPlan.Step {
  fileprivate var dropsIndex: Bool { if case .dropIndex = action { true } else { false } }

  fileprivate var dropsView: Bool { action == .dropView }

  static func dropView(
    _ name: String, reason: String = "the schema says so"
  ) -> MigrationPlan.Step {
    MigrationPlan.Step(
      .dropView, table: name, sql: "DROP VIEW \(Identifier(name).quoted)", reason: reason)
  }
}
