import QueryDSL
import SQLCore

/// Runs a migration inside its transaction.
struct MigrationRun {
  let core: ConnectionCore
  let declared: Declarations
  let options: MigrationOptions
  let functions: MigrationFunctions
  /// The steps that are done.
  var done: [MigrationPlan.Step] = []
  /// The plan that is running.
  private var current = MigrationPlan()
  /// Broken views and triggers that were dropped because they made ALTER TABLE fail. They are
  /// created again after the steps.
  var aside: [ExistingSchema.Entry] = []
  /// The schema as it was last read; nil if it may have changed since then.
  private var schema: ExistingSchema?

  /// - Parameter schema: the present schema, if it has been read.
  init(
    on core: ConnectionCore, declared: Declarations, options: MigrationOptions,
    schema: ExistingSchema? = nil
  ) {
    self.core = core
    self.schema = schema
    self.declared = declared
    self.options = options
    functions = MigrationFunctions(of: declared.tables)
  }

  var connection: Connection { core.lend() }

  /// Runs a migration on the writer, in one transaction.
  ///
  /// Foreign keys are switched off before the transaction begins. If they were enforced, even as
  /// deferred, dropping the old table of a rebuild would delete the rows that refer to it.
  static func run(
    on core: ConnectionCore, declared: Declarations, options: MigrationOptions
  ) throws -> MigrationPlan {
    try options.cancellation?.cover(core)
    let enforcesForeignKeys = core.enforcesForeignKeys
    core.enforcesForeignKeys = false
    defer { core.enforcesForeignKeys = enforcesForeignKeys }
    return try waiting(options.waiting) { begin in
      try core.transaction(.immediate) {
        begin()
        var run = MigrationRun(on: core, declared: declared, options: options)
        do {
          try run.functions.use(on: core) { try run.migrate() }
        } catch let error as MigrationError where error.plan.steps.isEmpty {
          // The code that threw the error knows only its own table, and not the plan. So the plan
          // is added to the error here.
          throw MigrationError(plan: run.current, reason: error.reason)
        }
        return MigrationPlan(steps: run.done)
      }
    }
  }

  /// Repeats the transaction while another process holds the lock, because the migration of that
  /// process may take longer than the busy timeout of one statement.
  private static func waiting<Result>(
    _ patience: Duration, _ body: (_ begin: () -> Void) throws -> Result
  ) throws -> Result {
    let start = ContinuousClock.now
    while true {
      var hasBegun = false
      do {
        return try body { hasBegun = true }
      } catch let error as DatabaseError
        where error.code.primary == .busy && !hasBegun && start.duration(to: .now) < patience
      {
        // Before this error, SQLite has already waited for the busy timeout. But the timeout may be
        // zero, so this short pause keeps the loop from using the processor all the time.
        pause(nanoseconds: 5_000_000)
      }
    }
  }

  private mutating func migrate() throws {
    let notes = MigrationNotes(connection: connection)
    let old = try presentSchema()
    let isNew = declared.isNew(in: old)
    let isOlder = try options.areOlder(than: old, in: connection)
    let unknown = isOlder && !isNew ? [] : try notes.pending(options.steps, in: old)
    let pending = unknown.filter { !isNew || $0.onNewDatabase == .runs }
    // If some of the user's own steps will run, they may change what remains to be done. So the
    // whole plan is made only after they have run.
    let planned = pending.isEmpty ? try plan(.whole) : nil
    if let planned, planned.allSatisfy(\.step.isKept) {
      try run(planned, keepingTrackOfKept: true)
      // If there is nothing to migrate, the types are noted only if the file already has notes of
      // types.
      if !isOlder, old.entry(NotedTypes.name) != nil { try noteTypes() }
      return
    }
    try checkTemporaryNames()
    let renaming = RenamePlanner(declared.tables, in: old, done: Set(try notes.names(in: old)))
    let before = try foreignKeyViolations(renaming.renames)
    try run(pending.filter { $0.moment == .before })
    let after = pending.filter { $0.moment == .after }
    if !after.isEmpty {
      try run(plan(.expanding), keepingTrackOfKept: false)
      // The exchanges of names have just run. They are noted, so that the next plan does not run
      // them again.
      try notes.note(declared.exchanges)
      try run(after)
    }
    let whole = if let planned { planned } else { try plan(.whole) }
    try run(whole, keepingTrackOfKept: true)
    try run(pending.filter { $0.moment == .last })
    try checkForeignKeys(before: before)
    try notes.note(unknown.map(\.name) + declared.exchanges)
    try SchemaHistory.note(
      from: old, to: presentSchema(), declared, version: options.schemaVersion, in: connection)
    if !isOlder { try noteTypes() }
    let logTable = ExistingSchema.logTable
    if let version = options.schemaVersion, try presentSchema().entry(logTable) != nil {
      try connection.execute("UPDATE \(identifier: logTable) SET schemaVersion = \(version)")
    }
  }

  /// Throws if a temporary table or view hides a table of the file. The statements of a migration
  /// would change the temporary table.
  private func checkTemporaryNames() throws {
    guard !core.isRemote else { return }
    let hiding = try connection.row(
      """
      SELECT name FROM temp.sqlite_schema WHERE type IN ('table', 'view') AND name COLLATE NOCASE \
      IN (SELECT name FROM main.sqlite_schema)
      """)
    guard let name = try hiding?.get(String.self, at: 0) else { return }
    throw MigrationError(
      plan: MigrationPlan(),
      reason: "the temporary table or view \(name) hides \(name) of the file; drop it first")
  }

  /// Notes the types of the declared tables. If a type has changed, its values have been checked
  /// before.
  private mutating func noteTypes() throws {
    guard options.checksChangedTypes, !core.isRemote, !declared.tables.isEmpty else { return }
    let schema = try presentSchema()
    let existing = schema.entry(NotedTypes.name)
    let noted = NotedTypes(existing?.sql)
    // Another program may have created an object with this name. Such an object is left unchanged.
    guard existing == nil || noted != nil else { return }
    let sql = (noted ?? NotedTypes(of: [])).updated(
      by: declared, except: MigrationPlan(steps: done).newerNames, in: schema
    ).sql
    // A longer text is not written: SQLite limits the length of a statement, and each connection
    // reads the text with the schema, which takes time.
    guard sql != existing?.sql, sql.utf8.count < 500_000 else { return }
    if existing != nil { try connection.execute("DROP VIEW \(identifier: NotedTypes.name)") }
    try connection.execute(SQL(unsafe: sql))
    self.schema = nil
  }

  private mutating func plan(_ extent: MigrationPlanner.Extent) throws -> [PlannedStep] {
    var planner = MigrationPlanner(on: core, options, declared)
    planner.extent = extent
    let schema = try presentSchema()
    let steps = try planner.steps(for: declared, in: schema)
    return try PlannedStep.counted(steps, in: connection) {
      declared.takes($0, in: schema)
    }
  }

  /// Returns the present schema. Reads it again only if it may have changed.
  mutating func presentSchema() throws -> ExistingSchema {
    if let schema { return schema }
    let read = try ExistingSchema(of: connection)
    schema = read
    return read
  }

  // MARK: Steps

  private mutating func run(_ steps: [MigrationStep]) throws {
    for step in steps {
      schema = nil
      try report(step.name, "-- \(step.name)")
      try step.body(connection)
      guard try !connection.isRollbackRequested else {
        throw MigrationError(
          plan: MigrationPlan(steps: done), reason: "the step \(step.name) requested a rollback")
      }
      // The step is noted immediately, and not at the end: its name may be the note of a
      // conversion, which the next plan reads.
      try MigrationNotes(connection: connection).note([step])
      done.append(MigrationPlan.Step(step))
    }
  }

  mutating func run(_ steps: [PlannedStep], keepingTrackOfKept: Bool) throws {
    current = MigrationPlan(steps: steps.map(\.step))
    guard current.refusals.isEmpty else { throw MigrationError(plan: current) }
    let old = try presentSchema()
    let broken = try BrokenDefinitions(of: old, in: connection)
    schema = nil
    // The steps write existing definitions again unchanged. Such a definition may have string
    // literals in double quotes, so these must be allowed.
    core.takesQuotedTextInDefinitions = true
    defer { core.takesQuotedTextInDefinitions = false }
    for planned in steps where keepingTrackOfKept || !planned.step.isKept {
      do {
        try run(planned)
      } catch let error as DatabaseError where error.isRefusal {
        throw MigrationError(
          plan: MigrationPlan(
            steps: done + [
              .refusal(error, of: planned.step) { declared.takes($0, in: old) }
            ]))
      }
      done.append(planned.step)
    }
    try restore()
    try checkDefinitions(before: broken)
  }

  private mutating func run(_ planned: PlannedStep) throws {
    switch planned.work {
    case .none: break
    case .statements(let statements):
      guard !dropsAside(planned.step) else { return }
      for sql in statements {
        try reporting(planned.step.table, sql) { try alter(sql) }
      }
    case .rebuild(let rebuild):
      try run(rebuild, rowCount: planned.step.rowCount ?? 0)
    }
    try ConversionNotes.follow(planned, in: connection)
  }

  func report(_ table: String, _ sql: String, copied: Int = 0, of count: Int = 0) throws {
    try options.progress?(
      MigrationProgress(table: table, sql: sql, copiedRows: copied, rowCount: count))
  }

  /// Reports a statement before it runs, and the progress of a statement that reads a whole table.
  private func reporting(_ table: String, _ sql: String, _ body: () throws -> Void) throws {
    try report(table, sql)
    guard let progress = options.progress, let steps = Self.stepsPerRow(of: sql) else {
      return try body()
    }
    try connection.reportingRows(of: table, stepsPerRow: steps) { done, count in
      try progress(MigrationProgress(table: table, sql: sql, copiedRows: done, rowCount: count))
    } _: {
      try body()
    }
  }

  /// Returns the approximate number of steps that SQLite's virtual machine takes for each row of
  /// the table. Returns nil if the statement does not read all rows.
  private static func stepsPerRow(of sql: String) -> Int? {
    let words = SQLTokens(sql).tokens.prefix(3)
    if words.first?.isWord("create") == true, words.contains(where: { $0.isWord("index") }) {
      return 10
    }
    return sql.hasSuffix("VALUES ('rebuild')") ? SearchIndexDefinition.stepsPerRow : nil
  }

  private func execute(_ sql: String, of table: String) throws {
    try reporting(table, sql) { try connection.execute(SQL(unsafe: sql)) }
  }

  // MARK: Rebuilding

  private func run(_ rebuild: TableRebuild, rowCount: Int) throws {
    let table = rebuild.table
    let attached = try AttachedObjects(of: table, in: connection)
    try execute(rebuild.createTable, of: table)
    try copy(rebuild, rowCount: rowCount)
    try report(table, "-- check that every row was copied")
    try rebuild.check(in: connection)
    // With this setting, ALTER TABLE leaves other definitions that name the table unchanged. After
    // the renaming, they refer to the new table.
    core.hasLegacyAlterTable = true
    defer { core.hasLegacyAlterTable = false }
    try execute(rebuild.dropTable, of: table)
    try execute(rebuild.renameTable, of: table)
    for sql in attached.definitions { try execute(sql, of: table) }
    try attached.restoreRows(in: connection)
  }

  /// The number of rows that one statement copies.
  private static let chunk = 10_000

  private func copy(_ rebuild: TableRebuild, rowCount: Int) throws {
    guard let rowID = rebuild.oldRowID, rowCount > Self.chunk else {
      try report(rebuild.table, rebuild.copy, of: rowCount)
      return try connection.execute(SQL(unsafe: rebuild.copy))
    }
    let table = Identifier(rebuild.table).quoted
    let copy = try connection.prepare(
      SQL(unsafe: "\(rebuild.copy) WHERE \(rowID) > ? AND \(rowID) <= ?"))
    let next = try connection.prepare(
      SQL(
        unsafe: "SELECT max(\(rowID)), count(*) FROM (SELECT \(rowID) FROM \(table) "
          + "WHERE \(rowID) > ? ORDER BY \(rowID) LIMIT \(Self.chunk))"))
    // `rowid > ?` cannot find the smallest integer, so a row with that rowid is copied separately.
    if let least = try connection.row(
      SQL(unsafe: "SELECT min(\(rowID)) FROM \(table)"))?.get(Int64?.self, at: 0), least == .min
    {
      try connection.execute(SQL(unsafe: "\(rebuild.copy) WHERE \(rowID) = \(Int64.min)"))
    }
    var last = Int64.min
    var copied = 0
    while true {
      try next.bind([.integer(last)])
      guard try next.step(), let end = try next.get(Int64?.self, at: 0) else { break }
      let count = try next.get(Int.self, at: 1)
      try next.reset()
      try report(rebuild.table, rebuild.copy, copied: copied, of: rowCount)
      try copy.bind([.integer(last), .integer(end)])
      try copy.run()
      copied += count
      last = end
    }
    try next.reset()
  }
}

extension Declarations {
  /// Returns whether the database has none of the tables, under their present or former names.
  func isNew(in schema: ExistingSchema) -> Bool {
    !tables.contains { table in
      ([table.name] + table.formerNames).contains { schema.relation($0) != nil }
    }
  }
}
