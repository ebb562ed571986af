import SQLCore

/// Compares a declared table with the existing one, and plans the steps between them.
struct TablePlanner {
  /// A difference that an ALTER TABLE or a rebuild resolves.
  struct Change {
    /// The reason in the words of a plan.
    let reason: String
    var kind = MigrationPlan.Step.Kind.lossless
    /// The step that resolves it by ALTER TABLE; nil if only a rebuild can.
    var alter: MigrationPlan.Step?
  }

  let declared: TableDefinition
  let schema: LiveSchema
  let planner: MigrationPlanner
  /// The declarations of all models.
  let others: Declarations
  var connection: Connection { planner.connection }

  /// The existing table, as it will be after all renamings.
  var live = LiveTable(name: "", sql: "")
  /// The present name of the table, before any step runs.
  var oldName = ""
  /// The present names of the columns by their names, folded, after all renamings.
  var oldColumnNames: [String: String] = [:]
  var indexes: [LiveIndex] = []
  /// The names that Apus would have given to the indexes before the renamings.
  var formerIndexNames: [String: Set<String>] = [:]
  var changes: [Change] = []
  var steps: [PlannedStep] = []
  /// The parts that stay although no model declares them; they follow the steps in the plan.
  var kept: [PlannedStep] = []
  /// The notes of conversions that are written or removed with the changes.
  var conversions: [ConversionNote] = []
  /// The sources of the values in a rebuilt table, by the folded names of its columns.
  var sources: [String: TableRebuild.Source] = [:]
  /// The columns of unique indexes that a rebuild would violate and that are refused already.
  var refusedUnique: Set<[String]> = []
  private var cachedRowCount: Int?

  init(
    _ declared: TableDefinition, schema: LiveSchema, planner: MigrationPlanner,
    others: Declarations
  ) {
    self.declared = declared
    self.schema = schema
    self.planner = planner
    self.others = others
  }

  /// Returns the steps in the order in which they run.
  mutating func plan() throws -> [PlannedStep] {
    for problem in declared.problems { refuse(problem.reason, line: problem.line) }
    guard declared.problems.isEmpty else { return steps }
    guard try findTable() else {
      removeTriggers()
      var created = create(declared.createTable)
      created.conversions = needlessConversions(of: declared.columns)
      steps.append(created)
      for index in declared.indexes.uniqued() where !refusesName(of: index) {
        steps.append(create(index))
      }
      return steps
    }
    guard !steps.contains(where: { $0.step.kind == .refused }) else { return steps }
    followRenames()
    removeTriggers()
    try compareKey()
    // A column that will be calculated from others is compared when their values are known.
    let calculated = declared.columns.filter { column in
      column.generated != nil && live.column(column.name)?.generated == nil
        && live.column(column.name) != nil
    }
    for column in declared.columns where !calculated.contains(where: { $0.name == column.name }) {
      try compare(column)
    }
    for column in calculated { try compare(column) }
    try compareForeignKeys()
    try compareChecks()
    compareUndeclaredConstraints()
    try compareUndeclaredColumns()
    dropIndexes()
    try change()
    try createIndexes()
    return steps + kept
  }

  // MARK: Finding the table

  /// Finds the existing table by its name or a former name. Returns false if the table is to be
  /// created.
  private mutating func findTable() throws -> Bool {
    guard let former = schema.renames.formerName(ofTable: declared.name),
      let found = schema.relation(former)
    else { return false }
    guard found.kind == .table else {
      if declared.removes(.view(found.name)) {
        steps.append(PlannedStep(running: .dropView(found.name)))
        return false
      }
      refuse(
        "\(declared.name) is a view; a model needs a table",
        line: "Dropped(view: \(found.name.swiftLiteral))")
      return true
    }
    oldName = found.name
    do {
      guard let table = try schema.renamedTable(declared.name) else { return false }
      live = table
    } catch is TableParser.Unreadable {
      refuse(
        "\(found.name) is not an ordinary table: \(found.sql ?? ""); give the model's table "
          + "another name",
        line: otherNameLine)
      return true
    }
    indexes = schema.indexes(of: found.name)
    return true
  }

  private func create(_ sql: String) -> PlannedStep {
    PlannedStep(
      running: MigrationPlan.Step(
        .createTable, table: declared.name, sql: sql, reason: "it does not exist"))
  }

  func create(_ index: TableDefinition.Index) -> PlannedStep {
    PlannedStep(
      running: MigrationPlan.Step(
        .createIndex(declared.name(of: index)), table: declared.name,
        sql: declared.createIndex(index),
        reason: index.isUnique ? "the schema declares it as unique" : "the schema declares it"))
  }

  private mutating func followRenames() {
    let columns = schema.renames.columns(ofFormer: oldName)
    let formerNames = live.columns.map { column in
      columns.first { $0.name.isSame(as: column.name) }?.from ?? column.name
    }
    for index in indexes {
      formerIndexNames[index.name] = generatedNames(of: index, columns: formerNames)
    }
    for column in schema.renames.renamings(ofFormer: oldName) {
      for index in indexes.indices { indexes[index].rename(column.from, to: column.name) }
    }
    for column in columns { oldColumnNames[column.name.lowercasedASCII] = column.from }
  }

  private mutating func removeTriggers() {
    for trigger in schema.triggers(of: oldName) where !others.removes(.trigger(trigger.name)) {
      keep(
        "the trigger \(trigger.name)", line: "Dropped(trigger: \(trigger.name.swiftLiteral))")
    }
    guard planner.extent == .whole else { return }
    // The trigger may belong to another table; the first schema that drops it plans the step.
    for name in declared.removedTriggers
    where schema.hasTrigger(name)
      && others.tables.first(where: { $0.removes(.trigger(name)) })?.name == declared.name
    {
      steps.append(
        PlannedStep(
          running: MigrationPlan.Step(
            .dropTrigger(name), table: declared.name,
            sql: "DROP TRIGGER \(Identifier(name).quoted)",
            reason: "the schema says so")))
    }
  }

  // MARK: Rows and names

  var quotedLiveName: String { Identifier(live.name).quoted }

  /// A line that gives the model a table of its own.
  var otherNameLine: String { declared.otherNameLine { others.takes($0, in: schema) } }

  mutating func refuse(_ reason: String, line: String, rowCount: Int? = nil) {
    steps.append(
      PlannedStep(
        MigrationPlan.Step(
          .refuse, table: declared.name, reason: reason, line: line, rowCount: rowCount)))
  }

  mutating func keep(_ what: String, reason: String = "no model declares it", line: String) {
    kept.append(
      PlannedStep(
        MigrationPlan.Step(
          .keepDeclaration(what), table: declared.name, reason: reason, line: line)))
  }

  /// Returns the number of rows. Counting reads the whole table, once.
  mutating func rowCount() throws -> Int {
    if let cachedRowCount { return cachedRowCount }
    let count = try connection.count(oldName)
    cachedRowCount = count
    return count
  }

  /// Returns the number of rows that fulfil a condition, which uses the present names of columns.
  func rows(where condition: String) throws -> Int {
    try connection.number(
      "SELECT count(*) FROM \(Identifier(oldName).quoted) WHERE \(condition)")
  }

  /// Returns the present name of a column, quoted.
  func oldName(of column: String) -> String {
    Identifier(oldColumnNames[column.lowercasedASCII] ?? column).quoted
  }
}
