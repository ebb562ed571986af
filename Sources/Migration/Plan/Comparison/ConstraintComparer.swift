import QueryDSL
import SQLCore

/// Compares foreign keys and checks, and finds the constraints that no model declares.
struct ConstraintComparer: TableComparer {
  let table: TableComparison
  /// The SQL for the values that change. The keys are column names in lower case.
  let sources: [String: TableRebuild.Source]

  func differences() throws -> [TableDifference] {
    try declared.foreignKeys.flatMap(foreignKeyDifferences)
      + declared.checks.flatMap(checkDifferences) + existing.constraints.compactMap(undeclared)
  }

  // MARK: Foreign keys

  private func foreignKeyDifferences(_ key: TableDefinition.ForeignKey) throws -> [TableDifference]
  {
    let added = key.columns.allSatisfy { existing.column($0) == nil }
    guard let found = existing.foreignKeys.first(where: { table.refersAlike($0, key) }) else {
      // If the only column of the foreign key is new, ALTER TABLE adds the column together with the
      // foreign key, so there is no further difference.
      if added, key.columns.count == 1 { return [] }
      let new = change("\(key.columns.joined(separator: ", ")) refers to \(key.target.table)")
      return try [new] + (added ? [] : violations(of: key))
    }
    guard !key.acts(as: found) else { return [] }
    return [
      change(
        "the foreign key (\(key.columns.joined(separator: ", "))) to "
          + "\(key.target.table) acts differently")
    ]
  }

  /// If rows would violate a new foreign key, returns a refusal, or the deletion of these rows if
  /// the options allow it.
  private func violations(of key: TableDefinition.ForeignKey) throws -> [TableDifference] {
    let parent = try table.schema.renamedTable(key.target.table)
    if let parent, !key.target.columns.allSatisfy({ parent.column($0) != nil }) { return [] }
    let columns = key.columns.filter { existing.column($0) != nil }
    guard columns.count == key.columns.count else { return [] }
    // The rows are counted before any step runs, so the query uses the names before the renamings.
    // They are deleted after the renamings, so the deletion uses the new names.
    let renames = table.schema.renames
    let formerTarget = parent.flatMap { renames.formerName(ofTable: $0.name) }
    let formerColumns = renames.columns(ofFormer: formerTarget ?? "")
    let count = try rows.connection.number(
      "SELECT count(*) FROM \(names.quotedTable) AS child WHERE "
        + refersToNothing(
          columns.map { names.quoted($0) }, formerTarget,
          key.target.columns.map { name in
            formerColumns.first { $0.name.isSame(as: name) }?.from ?? name
          }))
    guard count > 0 else { return [] }
    return [
      deletionOrRefusal(
        of: count,
        "\(key.columns.joined(separator: ", ")) must refer to \(key.target.table), and \(count) "
          + "existing \(count == 1 ? "row refers" : "rows refer") to no row there",
        "DELETE FROM \(quotedExistingName) AS child WHERE "
          + refersToNothing(
            columns.map { Identifier($0).quoted }, parent?.name, key.target.columns))
    ]
  }

  /// Returns the SQL condition for child rows whose parent row does not exist. If `target` is nil,
  /// the parent table has yet to be created. Then the condition matches all child rows without NULL
  /// in the foreign key.
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

  // MARK: Checks

  private func checkDifferences(_ check: TableDefinition.Check) throws -> [TableDifference] {
    guard table.constraint(for: check) == nil else { return [] }
    let new = change("each row must satisfy \(check.condition)")
    let isKnown = SQLTokens(check.condition).tokens.allSatisfy { token in
      token.kind != .quotedName || existing.column(token.value) != nil
    }
    let question = RowQuestion(table: table, sources: sources)
    // The existing rows can be tested only if all values in the condition are known already. If
    // not, SQLite checks the condition when the migration runs.
    guard isKnown, let asked = question.asked(check.condition),
      let renamed = question.renamed(check.condition)
    else { return [new] }
    let count = try rows.count(where: "NOT (\(asked))")
    guard count > 0 else { return [new] }
    return [
      new,
      deletionOrRefusal(
        of: count,
        "each row must satisfy \(check.condition), and \(count) existing "
          + "\(count == 1 ? "row does" : "rows do") not",
        "DELETE FROM \(quotedExistingName) WHERE NOT (\(renamed))"),
    ]
  }

  // MARK: Undeclared constraints

  /// Keeps a constraint that no model declares, or drops it if a schema says so. Returns nil for a
  /// declared constraint.
  private func undeclared(_ constraint: ExistingTable.Constraint) -> TableDifference? {
    guard !table.isDeclared(constraint) else { return nil }
    if table.isRemoved(constraint) { return change("\(constraint.text) is dropped") }
    guard !constraint.isOf({ !declared.declares($0) }) else { return nil }
    return keep(constraint.text, line: constraint.removalLine)
  }
}

extension ExistingTable.Constraint {
  /// Returns whether `isOne` is true for all columns of the constraint. If no column of a
  /// constraint is declared, the constraint stays together with these columns, and the plan does
  /// not list it.
  fileprivate func isOf(_ isOne: (String) -> Bool) -> Bool {
    switch kind {
    case .foreignKey(let key): key.columns.allSatisfy(isOne)
    case .unique(let terms): terms.allSatisfy { isOne($0.column) }
    case .check: false
    }
  }
}
