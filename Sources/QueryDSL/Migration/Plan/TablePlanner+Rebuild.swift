import SQLCore

extension TablePlanner {
  /// Plans the steps for all changes: one ALTER TABLE for each, or one rebuild if any of them needs
  /// it.
  mutating func change() throws {
    guard !changes.isEmpty else { return }
    let alters = changes.compactMap(\.alter)
    if alters.count == changes.count {
      steps += alters.map(PlannedStep.init(running:))
      steps[steps.count - 1].conversions = conversions
      return
    }
    // If any step is refused, none will run, and the reasons are planned already.
    guard !steps.contains(where: { $0.step.kind == .refused }) else { return }
    let rebuild = try rebuild()
    try verify(rebuild, TableParser.parse(rebuild.createTable))
    guard !steps.contains(where: { $0.step.kind == .refused }) else { return }
    var step = PlannedStep(
      MigrationPlan.Step(
        .rebuildTable,
        kind: changes.contains { $0.kind == .destructive } ? .destructive : .lossless,
        table: declared.name, sql: rebuild.sql,
        reason: changes.map(\.reason).uniqued().joined(separator: "; "),
        rowCount: try rowCount()),
      .rebuild(rebuild))
    step.conversions = conversions
    steps.append(step)
  }

  private func rebuild() throws -> TableRebuild {
    let isWithoutRowID = declared.isWithoutRowID ?? existing.isWithoutRowID
    let temporaryName = freeName()
    let definition = definition(isWithoutRowID: isWithoutRowID)
    let createTable = definition.createTable(temporaryName)
    // The new definition is parsed from its text, so that it cannot differ from what SQLite will
    // read.
    let new = try TableParser.parse(createTable)
    let kept = existing.columns.filter { isKept($0) && $0.generated == nil }
    var sources = declared.columns.filter { $0.generated == nil }.map { column in
      self.sources[column.name.lowercasedASCII]
        ?? TableRebuild.Source(
          column: column.name,
          sql: Identifier(existing.column(column.name)?.name ?? column.name).quoted,
          isSame: existing.column(column.name) != nil,
          keepsNull: existing.column(column.name) != nil)
    }
    sources += kept.map {
      TableRebuild.Source(
        column: $0.name, sql: Identifier($0.name).quoted, isSame: true, keepsNull: true)
    }
    let hasRowID = !existing.isWithoutRowID && !isWithoutRowID
    let rowID = ["rowid", "_rowid_", "oid"].first {
      existing.column($0) == nil && new.column($0) == nil
    }
    // A key that is the rowid is copied as a column.
    let isCopied = hasRowID && !new.hasRowIDKey
    let isSameKey =
      existing.key.columns.map(\.lowercasedASCII) == declared.keyNames.map(\.lowercasedASCII)
      && sources.filter { declared.isKey($0.column) }.allSatisfy(\.isSame)
    return TableRebuild(
      table: existing.name, temporaryName: temporaryName, createTable: createTable,
      sources: sources, rowID: isCopied ? rowID : nil, oldRowID: existingRowIDName,
      key: isSameKey ? declared.keyNames : [])
  }

  private func isKept(_ column: ExistingTable.Column) -> Bool {
    guard !declared.declares(column.name) else { return false }
    return planner.extent == .expanding || !declared.removes(.column(column.name))
  }

  private func freeName() -> String {
    var name = "apus_new_\(declared.name)"
    while schema.entry(name) != nil { name += "_" }
    return name
  }

  // MARK: The new definition

  private func definition(isWithoutRowID: Bool) -> RebuiltDefinition {
    RebuiltDefinition(
      declared: declared, existing: existing, isWithoutRowID: isWithoutRowID,
      tableNames: [existing.name.lowercasedASCII, oldName.lowercasedASCII],
      isKept: isKept, removes: { declared.removes($0) }, fates: existing.constraints.map(fate),
      existingKey: existing, existingCheck: existing)
  }

  private func fate(of constraint: ExistingTable.Constraint) -> RebuiltDefinition.Fate {
    switch constraint.kind {
    case .foreignKey(let found):
      guard let key = declared.foreignKeys.first(where: { refersAlike(found, $0) }) else { break }
      return key.acts(as: found) ? .kept : .replaced
    case .check(let text):
      let condition = text.normalSQL
      let isSame = declared.checks.contains {
        $0.condition.normalSQL == condition && ($0.name == nil || $0.name == constraint.name)
      }
      if isSame { return .kept }
      if isDeclared(constraint) { return .replaced }
    case .unique: break
    }
    return isRemoved(constraint) ? .dropped : .kept
  }

  private func existing(_ key: TableDefinition.ForeignKey) -> Int? {
    existing.constraints.firstIndex { constraint in
      if case .foreignKey(let found) = constraint.kind { refersAlike(found, key) } else { false }
    }
  }

  private func existing(_ check: TableDefinition.Check) -> Int? {
    let condition = check.condition.normalSQL
    return existing.constraints.firstIndex { constraint in
      guard case .check(let text) = constraint.kind else { return false }
      return text.normalSQL == condition && (check.name == nil || check.name == constraint.name)
    }
  }
}
