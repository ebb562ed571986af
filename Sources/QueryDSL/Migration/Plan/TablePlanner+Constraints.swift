import SQLCore

extension TablePlanner {
  // MARK: Foreign keys

  mutating func compareForeignKeys() throws {
    for key in declared.foreignKeys {
      let added = key.columns.allSatisfy { live.column($0) == nil }
      guard let existing = live.foreignKeys.first(where: { refersAlike($0, key) }) else {
        // ALTER TABLE adds a single new column together with its foreign key.
        if added, key.columns.count == 1 { continue }
        changes.append(
          Change(reason: "\(key.columns.joined(separator: ", ")) refers to \(key.target.table)"))
        if !added { try checkReferences(key) }
        continue
      }
      if !key.acts(as: existing) {
        changes.append(
          Change(
            reason: "the foreign key (\(key.columns.joined(separator: ", "))) to "
              + "\(key.target.table) acts differently"))
      }
    }
  }

  /// Whether both refer from the same columns to the same columns.
  func refersAlike(_ existing: LiveTable.ForeignKey, _ key: TableDefinition.ForeignKey) -> Bool {
    guard existing.target.isSame(as: key.target.table) else { return false }
    var targets = existing.targetColumns
    if targets.isEmpty { targets = (try? schema.renamedTable(existing.target))?.key.columns ?? [] }
    return existing.columns.map(\.lowercasedASCII) == key.columns.map(\.lowercasedASCII)
      && targets.map(\.lowercasedASCII) == key.target.columns.map(\.lowercasedASCII)
  }

  /// Refuses rows that would violate a new foreign key, or deletes them if the options say so.
  private mutating func checkReferences(_ key: TableDefinition.ForeignKey) throws {
    let parent = try schema.renamedTable(key.target.table)
    if let parent, !key.target.columns.allSatisfy({ parent.column($0) != nil }) { return }
    let columns = key.columns.filter { live.column($0) != nil }
    guard columns.count == key.columns.count else { return }
    // The count runs before all steps, with the former names; the deletion runs after renamings,
    // with the new names.
    let formerTarget = parent.flatMap { schema.renames.formerName(ofTable: $0.name) }
    let formerColumns = schema.renames.columns(ofFormer: formerTarget ?? "")
    let count = try connection.number(
      "SELECT count(*) FROM \(Identifier(oldName).quoted) AS child WHERE "
        + refersToNothing(
          columns.map { oldName(of: $0) }, formerTarget,
          key.target.columns.map { name in
            formerColumns.first { $0.name.isSame(as: name) }?.from ?? name
          }))
    guard count > 0 else { return }
    try delete(
      count,
      "\(key.columns.joined(separator: ", ")) must refer to \(key.target.table), and \(count) "
        + "existing \(count == 1 ? "row refers" : "rows refer") to no row there",
      "DELETE FROM \(quotedLiveName) AS child WHERE "
        + refersToNothing(
          columns.map { Identifier($0).quoted }, parent?.name, key.target.columns))
  }

  /// Returns the SQL condition for rows that refer to no row. `target` is nil if the table has yet
  /// to be created: then each row with a value does.
  private func refersToNothing(
    _ columns: [String], _ target: String?, _ targetColumns: [String]
  ) -> String {
    let isThere = columns.map { "child.\($0) IS NOT NULL" }.joined(separator: " AND ")
    guard let target else { return isThere }
    let isParent = zip(columns, targetColumns).map { column, name in
      "parent.\(Identifier(name).quoted) = child.\(column)"
    }
    return "\(isThere) AND NOT EXISTS (SELECT 1 FROM \(Identifier(target).quoted) AS parent "
      + "WHERE \(isParent.joined(separator: " AND ")))"
  }

  /// Plans the deletion of rows that a declaration forbids, or refuses them if the options do not
  /// allow it.
  ///
  /// - Parameter keeping: The line that leaves the rows as they are, if there is one.
  mutating func delete(
    _ count: Int, _ reason: String, column: String? = nil, keeping: String? = nil, _ sql: String
  ) throws {
    guard planner.invalidValues.deletes(declared.name, column) else {
      return refuse(
        "\(reason); fix them in a `MigrationStep`, or let the migration delete the rows",
        lines: (keeping.map { [$0] } ?? []) + [deletingLine(column, count)], rowCount: count)
    }
    steps.append(deletion(of: count, reason, sql))
  }

  func deletion(of count: Int, _ reason: String, _ sql: String) -> PlannedStep {
    PlannedStep(
      running: MigrationPlan.Step(
        .deleteRows, kind: .destructive, table: declared.name, sql: sql, reason: reason,
        rowCount: count))
  }

  // MARK: Checks

  mutating func compareChecks() throws {
    for check in declared.checks {
      let condition = check.condition.normalSQL
      let isThere = live.constraints.contains { constraint in
        guard case .check(let text) = constraint.kind else { return false }
        return text.normalSQL == condition && (check.name == nil || check.name == constraint.name)
      }
      guard !isThere else { continue }
      changes.append(Change(reason: "each row must satisfy \(check.condition)"))
      let isKnown = SQLTokens(check.condition).tokens.allSatisfy { token in
        token.kind != .quotedName || live.column(token.value) != nil
      }
      // What is not known now is checked by the run.
      guard isKnown, let former = question(check.condition, .former),
        let renamed = question(check.condition, .renamed)
      else { continue }
      let count = try rows(where: "NOT (\(former))")
      guard count > 0 else { continue }
      try delete(
        count,
        "each row must satisfy \(check.condition), and \(count) existing "
          + "\(count == 1 ? "row does" : "rows do") not",
        "DELETE FROM \(quotedLiveName) WHERE NOT (\(renamed))")
    }
  }

  // MARK: Undeclared constraints

  /// Keeps constraints that no model declares, unless a schema drops them.
  mutating func compareUndeclaredConstraints() {
    for constraint in live.constraints where !isDeclared(constraint) {
      if isRemoved(constraint) {
        changes.append(Change(reason: "\(constraint.text) is dropped"))
      } else if !constraint.isOf({ !declared.declares($0) }) {
        keep(constraint.text, line: constraint.removalLine)
      }
    }
  }

  /// Whether a model declares this constraint, or a changed one in its place.
  func isDeclared(_ constraint: LiveTable.Constraint) -> Bool {
    switch constraint.kind {
    case .foreignKey(let key):
      return declared.foreignKeys.contains { refersAlike(key, $0) }
    case .check(let text):
      let condition = text.normalSQL
      return declared.checks.contains { check in
        check.condition.normalSQL == condition
          || check.name != nil && check.name?.lowercasedASCII == constraint.name?.lowercasedASCII
      }
    case .unique: return false
    }
  }

  func isRemoved(_ constraint: LiveTable.Constraint) -> Bool {
    guard planner.extent == .whole else { return false }
    return switch constraint.kind {
    case .foreignKey(let key): declared.removes(.foreignKey(key.columns))
    case .unique(let terms): declared.removes(.unique(terms.map(\.column)))
    case .check(let text):
      declared.removes(.check(text))
        || constraint.name.map { declared.removes(.check($0)) } ?? false
    }
  }
}

extension TableDefinition.ForeignKey {
  /// Whether both have the same actions and are checked at the same time.
  func acts(as existing: LiveTable.ForeignKey) -> Bool {
    existing.onDelete == onDelete.rawValue && existing.onUpdate == onUpdate.rawValue
      && existing.isDeferred == isDeferred
  }
}

extension LiveTable {
  var foreignKeys: [ForeignKey] {
    constraints.compactMap { constraint in
      if case .foreignKey(let key) = constraint.kind { key } else { nil }
    }
  }
}

extension LiveTable.Constraint {
  /// Whether all its columns meet a condition. A constraint whose columns are all undeclared is
  /// kept with them, so the plan does not list it.
  fileprivate func isOf(_ isOne: (String) -> Bool) -> Bool {
    switch kind {
    case .foreignKey(let key): key.columns.allSatisfy(isOne)
    case .unique(let terms): terms.allSatisfy { isOne($0.column) }
    case .check: false
    }
  }

  /// The line of a schema that drops the constraint.
  var removalLine: String {
    switch kind {
    case .foreignKey(let key): key.removalLine
    case .unique(let terms): "Dropped(unique: \(terms.map(\.column).swiftList))"
    case .check(let text): "Dropped(check: \((name ?? text).swiftLiteral))"
    }
  }
}

extension LiveTable.ForeignKey {
  /// The line of a schema that drops the foreign key.
  var removalLine: String { "Dropped(foreignKey: \(columns.swiftList))" }
}
