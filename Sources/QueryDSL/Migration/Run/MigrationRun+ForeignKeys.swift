import SQLCore

extension MigrationRun {
  /// The rows whose foreign keys refer to no row, by child and parent table.
  struct Violations {
    struct Reference: Hashable {
      let child: String
      let parent: String
    }

    /// The rowids of the rows; NULL for a table without rowids.
    var rows: [Reference: [DatabaseValue]] = [:]
    /// The error of the check itself. It fails if a foreign key refers to columns that are not a
    /// key.
    var error: DatabaseError?
  }

  /// Returns the rows whose foreign keys refer to no row.
  ///
  /// - Parameter renames: the renamings that will follow; the result has the names after them.
  func foreignKeyViolations(_ renames: Renames = Renames()) throws -> Violations {
    var violations = Violations()
    do {
      for row in try connection.rows("PRAGMA foreign_key_check") {
        let reference = Violations.Reference(
          child: renames.name(ofTable: try row.get(at: 0)),
          parent: renames.name(ofTable: try row.get(at: 2)))
        violations.rows[reference, default: []].append(row[1] ?? .null)
      }
    } catch let error as DatabaseError where error.code.primary == .error {
      violations.error = error
    }
    return violations
  }

  /// Throws if the migration left rows that refer to no row. Rows that did so before are allowed:
  /// they are identified by their rowids, or counted if a rebuild may have changed those.
  func checkForeignKeys(before: Violations) throws {
    guard done.contains(where: \.concernsReferences) else { return }
    try report("", "PRAGMA foreign_key_check")
    let after = try foreignKeyViolations()
    if let error = after.error, before.error == nil {
      throw MigrationError(plan: MigrationPlan(steps: done), reason: error.message)
    }
    for (reference, rows) in after.rows {
      let known = before.rows[reference] ?? []
      let isRenumbered = done.contains { step in
        guard case .rebuildTable = step.action else { return false }
        return step.table.isSame(as: reference.child)
      }
      let new = rows.filter { !known.contains($0) }
      guard rows.count > known.count || !new.isEmpty && !isRenumbered else { continue }
      throw MigrationError(
        plan: MigrationPlan(steps: done),
        reason: "row \(new.first ?? rows[0]) of '\(reference.child)' would refer to a row of "
          + "'\(reference.parent)' that does not exist")
    }
  }
}

extension MigrationPlan.Step {
  /// Whether the step may leave rows that refer to no row.
  fileprivate var concernsReferences: Bool {
    switch action {
    case .rebuildTable, .deleteRows, .dropTable, .dropColumn, .renameTable, .renameColumn,
      .userStep:
      true
    case .createTable, .createView, .dropView, .addColumn, .createIndex, .dropIndex,
      .createTrigger, .dropTrigger, .createSearchIndex, .dropSearchIndex, .fillSearchIndex,
      .startLog, .stopLog, .keepNewer, .keepColumn, .keepDeclaration,
      .refuse:
      false
    }
  }
}
