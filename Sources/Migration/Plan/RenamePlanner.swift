import QueryDSL
import SQLCore

/// Plans the renamings of tables and columns that the schemas declare and that the database still
/// needs.
///
/// ALTER TABLE … RENAME changes every definition that names the table or column, also in other
/// tables. Therefore renamings run before all other steps, and the models are compared with the
/// database as it will be after the renamings.
struct RenamePlanner {
  private(set) var renames = Renames()
  /// The steps, in an order in which each new name is free when its step runs.
  private(set) var steps: [PlannedStep] = []
  /// The notes of the database. They show which exchanges of names have run.
  private let done: Set<String>
  /// Whether tables exchange their names.
  private(set) var exchangesTables = false

  /// - Parameter done: the notes of the database, which include the exchanges that have run.
  init(_ declared: [TableDefinition], in schema: ExistingSchema, done: Set<String>) {
    self.done = done
    renameTables(declared, in: schema)
    for table in declared where !table.renamedColumns.isEmpty && table.problems.isEmpty {
      renameColumns(table, in: schema)
    }
  }

  /// Plans the renaming of tables. A name may become free only when another table is renamed, so
  /// the tables are tried again after each renaming.
  private mutating func renameTables(_ declared: [TableDefinition], in schema: ExistingSchema) {
    var pending = declared.filter { !$0.formerNames.isEmpty && $0.problems.isEmpty }
    for exchange in Exchange.ofTables(pending) {
      pending.removeAll { table in exchange.lines.contains { $0.name.isSame(as: table.name) } }
      guard !done.contains(exchange.key),
        exchange.lines.allSatisfy({ schema.entry($0.from)?.kind == .table })
      else { continue }
      exchangesTables = true
      for (index, line) in exchange.lines.enumerated() {
        guard let former = schema.entry(line.from)?.name else { continue }
        renames.tables.append(Renames.Table(formerName: former, name: line.name))
        addStep(.renameTable(from: former), of: line.name, at: index, in: exchange) { from, name in
          "ALTER TABLE \(Identifier(from).quoted) RENAME TO \(Identifier(name).quoted)"
        }
      }
    }
    while let index = pending.firstIndex(where: { former($0, in: schema) != nil }) {
      let table = pending.remove(at: index)
      guard let former = former(table, in: schema) else { return }
      renames.tables.append(Renames.Table(formerName: former, name: table.name))
      steps.append(
        PlannedStep(
          running: MigrationPlan.Step(
            .renameTable(from: former), table: table.name,
            sql: "ALTER TABLE \(Identifier(former).quoted) RENAME TO \(table.quotedName)",
            reason: "the schema says so")))
    }
  }

  /// Adds the step for one `Renamed` line of an exchange of names. At first, another table or
  /// column still has the new name of the first line. So the first step gives a temporary name to
  /// this other table or column. The last step gives the other one its new name.
  private mutating func addStep(
    _ action: MigrationPlan.Step.Action, of table: String, at index: Int, in exchange: Exchange,
    _ sql: (_ from: String, _ name: String) -> String
  ) {
    let line = exchange.lines[index]
    let isLast = index + 1 == exchange.lines.count
    var names = [(from: isLast ? Exchange.room : line.from, name: line.name)]
    if index == 0 { names.insert((from: line.name, name: Exchange.room), at: 0) }
    let statements = names.map(sql)
    var step = PlannedStep(
      MigrationPlan.Step(
        action, table: table, sql: statements.joined(separator: ";\n"),
        reason: "the schema exchanges the names"), .statements(statements))
    step.exchangedNames = names
    steps.append(step)
  }

  /// Returns the name of the existing table that is renamed to become a declared one. Returns nil
  /// if no former name fits an existing table, or if another table keeps the declared name.
  private func former(_ table: TableDefinition, in schema: ExistingSchema) -> String? {
    guard schema.relation(table.name) == nil || renames.isGivenAway(table.name) else { return nil }
    return table.formerNames.compactMap { schema.entry($0) }
      .first { $0.kind == .table && !renames.isGivenAway($0.name) }?.name
  }

  private mutating func renameColumns(_ declared: TableDefinition, in schema: ExistingSchema) {
    guard let former = renames.formerName(ofTable: declared.name),
      let existing = try? schema.table(former)
    else { return }
    let name = renames.name(ofTable: existing.name)
    var names = Set(existing.columns.map(\.name.lowercasedASCII))
    var pending = declared.renamedColumns
    var columns: [(name: String, from: String)] = []
    var renamings: [(name: String, from: String)] = []
    for exchange in Exchange.ofColumns(declared) {
      pending.removeAll { line in exchange.lines.contains { $0 == line } }
      guard !done.contains(exchange.key), !exchange.formerKeys.contains(where: done.contains),
        exchange.lines.allSatisfy({ names.contains($0.from.lowercasedASCII) })
      else { continue }
      columns += exchange.lines
      renamings += exchange.renamings
      for (index, line) in exchange.lines.enumerated() {
        addStep(
          .renameColumn(from: line.from, to: line.name), of: declared.name, at: index, in: exchange
        ) { from, column in
          "ALTER TABLE \(Identifier(name).quoted) RENAME COLUMN \(Identifier(from).quoted) TO "
            + Identifier(column).quoted
        }
      }
    }
    while let index = pending.firstIndex(where: { line in
      names.contains(line.from.lowercasedASCII) && !names.contains(line.name.lowercasedASCII)
        // The line must refer to a column of the file, and not to a column that gets the name
        // `line.from` by another line in this migration.
        && !columns.contains { $0.name.isSame(as: line.from) }
    }) {
      let line = pending.remove(at: index)
      columns.append(line)
      renamings.append(line)
      names.remove(line.from.lowercasedASCII)
      names.insert(line.name.lowercasedASCII)
      steps.append(
        PlannedStep(
          running: MigrationPlan.Step(
            .renameColumn(from: line.from, to: line.name), table: declared.name,
            sql: "ALTER TABLE \(Identifier(name).quoted) RENAME COLUMN "
              + "\(Identifier(line.from).quoted) TO \(Identifier(line.name).quoted)",
            reason: "the schema says so")))
    }
    guard !columns.isEmpty else { return }
    let index =
      renames.tables.firstIndex { $0.formerName.isSame(as: existing.name) }
      ?? renames.tables.endIndex
    if index == renames.tables.endIndex {
      renames.tables.append(Renames.Table(formerName: existing.name, name: existing.name))
    }
    renames.tables[index].columns = columns
    renames.tables[index].renamings = renamings
  }
}
