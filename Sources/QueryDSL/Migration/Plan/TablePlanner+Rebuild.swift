import SQLCore

extension TablePlanner {
  /// Does away with the differences: each by its ALTER or, where one needs it, all by a rebuild.
  mutating func change() throws {
    guard !changes.isEmpty else { return }
    let alters = changes.compactMap(\.alter)
    if alters.count == changes.count {
      steps += alters.map(PlannedStep.init(running:))
      steps[steps.count - 1].conversions = conversions
      return
    }
    // Nothing runs where something is refused; the reasons stand there already.
    guard !steps.contains(where: { $0.step.kind == .refused }) else { return }
    let rebuild = try rebuild()
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
    let isWithoutRowID = declared.isWithoutRowID ?? live.isWithoutRowID
    let text = self.text(isWithoutRowID: isWithoutRowID)
    let temporaryName = freeName()
    let kept = live.columns.filter { isKept($0) && $0.generated == nil }
    var sources = declared.columns.filter { $0.generated == nil }.map { column in
      self.sources[column.name.lowercasedASCII]
        ?? TableRebuild.Source(
          column: column.name,
          sql: Identifier(live.column(column.name)?.name ?? column.name).quoted,
          isSame: live.column(column.name) != nil, keepsNull: live.column(column.name) != nil)
    }
    sources += kept.map {
      TableRebuild.Source(
        column: $0.name, sql: Identifier($0.name).quoted, isSame: true, keepsNull: true)
    }
    let names = Set(sources.map(\.column.lowercasedASCII))
    let hasRowID = !live.isWithoutRowID && !isWithoutRowID
    let rowID = ["rowid", "_rowid_", "oid"].first {
      live.column($0) == nil && !names.contains($0) && !declared.declares($0)
    }
    // A key that is the rowid brings it along.
    let isCopied = hasRowID && !declaredRowIDKey(isWithoutRowID)
    let isSameKey =
      live.key.columns.map(\.lowercasedASCII) == declared.keyNames.map(\.lowercasedASCII)
      && sources.filter { declared.isKey($0.column) }.allSatisfy(\.isSame)
    return TableRebuild(
      table: live.name, temporaryName: temporaryName, createTable: text.createTable(temporaryName),
      sources: sources, rowID: isCopied ? rowID : nil, oldRowID: liveRowIDName,
      key: isSameKey ? declared.keyNames : [])
  }

  private func declaredRowIDKey(_ isWithoutRowID: Bool) -> Bool {
    !isWithoutRowID && declared.keyNames.count == 1
      && declared.column(declared.keyNames[0])?.storageClass == .integer
  }

  private func isKept(_ column: LiveTable.Column) -> Bool {
    guard !declared.declares(column.name) else { return false }
    return planner.extent == .expanding || !declared.removes(.column(column.name))
  }

  private func freeName() -> String {
    var name = "apus_new_\(declared.name)"
    while schema.entry(name) != nil { name += "_" }
    return name
  }

  // MARK: The new definition

  /// What is declared, and behind it what is kept as it was.
  private func text(isWithoutRowID: Bool) -> TableText {
    let hasRowIDKey = declaredRowIDKey(isWithoutRowID)
    var columns = declared.columns.map { column in
      hasRowIDKey && declared.isKey(column.name)
        ? TableDefinition.rowIDKey(column, isAutoincrement: live.key.isAutoincrement)
        : text(column)
    }
    columns += live.columns.filter(isKept).map(\.sql)
    var constraints: [String] = []
    if !hasRowIDKey {
      let isSame =
        live.key.columns.map(\.lowercasedASCII)
        == declared.keyNames.map(\.lowercasedASCII)
      let terms = isSame ? live.key.terms : declared.keyNames.quotedList
      constraints.append("PRIMARY KEY (\(terms))" + (isSame ? live.key.conflict : ""))
    }
    constraints += declared.foreignKeys.map(\.sql)
    constraints += declared.checks.map(\.sql)
    constraints += live.constraints.filter { !isDeclared($0) && !isRemoved($0) }.map(\.text)
    return TableText(
      columns: columns, constraints: constraints, isStrict: live.isStrict,
      isWithoutRowID: isWithoutRowID)
  }

  /// A declared column, with what it keeps: a default and a collation that no model declares, and in
  /// a table that is not STRICT its own word for the type.
  private func text(_ column: TableDefinition.Column) -> String {
    guard let found = live.column(column.name) else { return column.sql() }
    var merged = column
    if column.defaultSQL == nil,
      !declared.removes(.attribute(column: column.name, .default)),
      let text = found.defaultText
    {
      merged.defaultSQL = text
    }
    if column.collation == nil,
      !declared.removes(.attribute(column: column.name, .collation))
    {
      merged.collation = found.collation
    }
    let sql = merged.sql()
    guard !live.isStrict, StorageClass(declaredType: found.type) == column.storageClass,
      !found.type.isEmpty
    else { return sql }
    let prefix = "\(column.quotedName) \(column.storageClass.rawValue)"
    return "\(column.quotedName) \(found.type)" + sql.dropFirst(prefix.count)
  }
}

extension LiveTable.Column {
  /// The column as its table declared it.
  fileprivate var sql: String {
    var text = Identifier(name).quoted
    if !type.isEmpty { text += " \(type)" }
    if let form { text += " \(form.comment)" }
    if let notNullText { text += " \(notNullText)" }
    if let defaultText { text += " DEFAULT \(defaultText)" }
    if let collation { text += " COLLATE \(Collation(collation).sql)" }
    if let generated {
      text +=
        " GENERATED ALWAYS AS (\(generated.expression)) "
        + (generated.isStored ? "STORED" : "VIRTUAL")
    }
    return text
  }
}
