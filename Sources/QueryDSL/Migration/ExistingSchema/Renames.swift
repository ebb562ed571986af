import SQLCore

/// The renamings of tables and columns that the schemas declare and the database has not had yet.
///
/// ALTER TABLE … RENAME changes every definition that names the table or column, in other tables as
/// well. Therefore renamings run before all other steps, and the models are compared with the
/// database as it will be after them.
struct Renames {
  /// A table that gets another name, or has columns that get other names.
  private struct Table {
    let formerName: String
    let name: String
    var columns: [(name: String, from: String)] = []
    /// The renamings of columns in the order in which they run, with temporary names for exchanges.
    var renamings: [(name: String, from: String)] = []
  }

  private var tables: [Table] = []
  /// The steps, in an order in which each new name is free.
  private(set) var steps: [PlannedStep] = []
  /// The notes of the database; those of exchanges say which have run.
  private var done: Set<String> = []
  /// Whether tables exchange their names.
  private(set) var exchangesTables = false

  init() {}

  /// - Parameter done: the notes of the database, which include those of exchanges that have run.
  init(of declared: [TableDefinition], in schema: ExistingSchema, done: Set<String>) {
    self.done = done
    renameTables(declared, in: schema)
    for table in declared where !table.renamedColumns.isEmpty && table.problems.isEmpty {
      renameColumns(table, in: schema)
    }
  }

  // MARK: Names before and after

  /// Returns the name that an existing table will have.
  func name(ofTable formerName: String) -> String {
    tables.first { $0.formerName.isSame(as: formerName) }?.name ?? formerName
  }

  /// Returns the present name of the table that will have `name`; nil if its present owner will
  /// have another name and no table takes it.
  func formerName(ofTable name: String) -> String? {
    if let table = tables.first(where: { $0.name.isSame(as: name) }) { return table.formerName }
    return isGivenAway(name) ? nil : name
  }

  /// Whether an existing table will have another name.
  func isGivenAway(_ formerName: String) -> Bool {
    tables.contains {
      $0.formerName.isSame(as: formerName) && !$0.name.isSame(as: formerName)
    }
  }

  /// Returns the new names of the columns of an existing table, as one simultaneous change.
  func columns(ofFormer table: String) -> [(name: String, from: String)] {
    tables.first { $0.formerName.isSame(as: table) }?.columns ?? []
  }

  /// Returns the same renamings as a sequence, with temporary names for exchanges.
  func renamings(ofFormer table: String) -> [(name: String, from: String)] {
    tables.first { $0.formerName.isSame(as: table) }?.renamings ?? []
  }

  /// Returns the new names of columns by their present names, folded.
  func newNames(ofColumnsOfFormer table: String) -> [String: String] {
    Dictionary(columns(ofFormer: table).map { ($0.from.lowercasedASCII, $0.name) }) { first, _ in
      first
    }
  }

  // MARK: Reading the declarations

  /// Plans the renaming of tables. The name of one may become free only when another table is
  /// renamed, so the tables are tried again after each renaming.
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
        tables.append(Table(formerName: former, name: line.name))
        addStep(.renameTable(from: former), of: line.name, at: index, in: exchange) { from, name in
          "ALTER TABLE \(Identifier(from).quoted) RENAME TO \(Identifier(name).quoted)"
        }
      }
    }
    while let index = pending.firstIndex(where: { former($0, in: schema) != nil }) {
      let table = pending.remove(at: index)
      guard let former = former(table, in: schema) else { return }
      tables.append(Table(formerName: former, name: table.name))
      steps.append(
        PlannedStep(
          running: MigrationPlan.Step(
            .renameTable(from: former), table: table.name,
            sql: "ALTER TABLE \(Identifier(former).quoted) RENAME TO \(table.quotedName)",
            reason: "the schema says so")))
    }
  }

  /// Adds the step of one line of an exchange. The first step also moves an item to the temporary
  /// name, and the last step takes it from there.
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

  /// Returns the existing table that becomes a declared one; nil unless the declared name is free.
  private func former(_ table: TableDefinition, in schema: ExistingSchema) -> String? {
    guard schema.relation(table.name) == nil || isGivenAway(table.name) else { return nil }
    return table.formerNames.compactMap { schema.entry($0) }
      .first { $0.kind == .table && !isGivenAway($0.name) }?.name
  }

  private mutating func renameColumns(_ declared: TableDefinition, in schema: ExistingSchema) {
    guard let former = formerName(ofTable: declared.name),
      let existing = try? schema.table(former)
    else { return }
    let name = name(ofTable: existing.name)
    var names = Set(existing.columns.map(\.name.lowercasedASCII))
    var pending = declared.renamedColumns
    var columns: [(name: String, from: String)] = []
    var renamings: [(name: String, from: String)] = []
    for exchange in Exchange.ofColumns(declared) {
      pending.removeAll { line in exchange.lines.contains { $0 == line } }
      guard !done.contains(exchange.key),
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
        // A column that has just got this name is not the one that the line means.
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
    let index = tables.firstIndex { $0.formerName.isSame(as: existing.name) } ?? tables.endIndex
    if index == tables.endIndex {
      tables.append(Table(formerName: existing.name, name: existing.name))
    }
    tables[index].columns = columns
    tables[index].renamings = renamings
  }
}

extension ExistingTable {
  /// Renames a column wherever the table itself names it. References from foreign keys are left to
  /// `follow(_:)`.
  mutating func rename(_ column: String, to name: String) {
    let folded = column.lowercasedASCII
    func renamed(_ names: [String]) -> [String] {
      names.map { $0.lowercasedASCII == folded ? name : $0 }
    }
    for index in columns.indices {
      if columns[index].name.lowercasedASCII == folded { columns[index].name = name }
      if let expression = columns[index].generated?.expression {
        columns[index].generated?.expression = expression.renaming(column, to: name)
      }
      for clause in columns[index].clauses.indices {
        let text = columns[index].clauses[clause].text
        switch columns[index].clauses[clause].kind {
        case .generated: columns[index].clauses[clause].text = text.renaming(column, to: name)
        case .constraint(let constraint) where !constraints[constraint].kind.isForeignKey:
          columns[index].clauses[clause].text = text.renaming(column, to: name)
        case .name, .key, .notNull, .null, .defaultValue, .collation, .constraint: break
        }
      }
    }
    for index in key.terms.indices where key.terms[index].column.lowercasedASCII == folded {
      key.terms[index].column = name
    }
    key.text = key.text?.renaming(column, to: name)
    for index in constraints.indices {
      let text = constraints[index].text
      switch constraints[index].kind {
      case .unique(var terms):
        for term in terms.indices where terms[term].column.lowercasedASCII == folded {
          terms[term].column = name
        }
        constraints[index].kind = .unique(terms)
        constraints[index].text = text.renaming(column, to: name)
      case .check(let condition):
        constraints[index].kind = .check(condition.renaming(column, to: name))
        constraints[index].text = text.renaming(column, to: name)
      case .foreignKey(var key):
        key.columns = renamed(key.columns)
        constraints[index].kind = .foreignKey(key)
        constraints[index].text = text.renamingForeignKey(columns: [folded: name])
      }
    }
  }

  /// Changes the foreign keys to the new names of the tables and columns to which they refer.
  mutating func follow(_ renames: Renames) {
    for index in constraints.indices {
      guard case .foreignKey(var key) = constraints[index].kind else { continue }
      let table = renames.name(ofTable: key.target)
      let names = renames.newNames(ofColumnsOfFormer: key.target)
      guard table != key.target || !names.isEmpty else { continue }
      key.target = table
      key.targetColumns = key.targetColumns.map { names[$0.lowercasedASCII] ?? $0 }
      constraints[index].kind = .foreignKey(key)
      constraints[index].text = constraints[index].text
        .renamingForeignKey(table: table, targetColumns: names)
      for column in columns.indices {
        for clause in columns[column].clauses.indices {
          guard case .constraint(index) = columns[column].clauses[clause].kind else { continue }
          columns[column].clauses[clause].text = columns[column].clauses[clause].text
            .renamingForeignKey(table: table, targetColumns: names)
        }
      }
    }
  }
}

extension String {
  /// Returns the text of a foreign key with other names for its columns, the table to which it
  /// refers, and the columns of that table. Columns are given by their present names, folded.
  fileprivate func renamingForeignKey(
    columns: [String: String] = [:], table: String? = nil, targetColumns: [String: String] = [:]
  ) -> String {
    let sql = SQLTokens(self)
    let tokens = sql.tokens
    guard let refers = tokens.firstIndex(where: { $0.isWord("references") }),
      refers + 1 < tokens.endIndex
    else { return self }
    var names: [(token: SQLTokens.Token, name: String)] = []
    func rename(_ list: ArraySlice<SQLTokens.Token>, by newNames: [String: String]) {
      guard let open = list.firstIndex(where: { $0.isSign("(") }) else { return }
      for token in list[open...].prefix(while: { !$0.isSign(")") }) where token.isName {
        if let name = newNames[token.value.lowercasedASCII] { names.append((token, name)) }
      }
    }
    rename(tokens[..<refers], by: columns)
    if let table { names.append((tokens[refers + 1], table)) }
    let behind = tokens[(refers + 2)...]
    if behind.first?.isSign("(") == true { rename(behind, by: targetColumns) }
    var renamed = ""
    var end = 0
    for (token, name) in names {
      renamed += String(decoding: sql.bytes[end..<token.range.lowerBound], as: UTF8.self)
      renamed += Identifier(name).quoted
      end = token.range.upperBound
    }
    return renamed + String(decoding: sql.bytes[end...], as: UTF8.self)
  }
}
