import QueryDSL
import SQLCore

extension MigrationRun {
  /// Returns whether a step drops a view or trigger that `alter` has already dropped. If so,
  /// `restore` does not create it again.
  mutating func dropsAside(_ step: MigrationPlan.Step) -> Bool {
    let kind: ExistingSchema.Entry.Kind
    let name: String
    switch step.action {
    case .dropView: (kind, name) = (.view, step.table)
    case .dropTrigger(let trigger): (kind, name) = (.trigger, trigger)
    default: return false
    }
    guard let index = aside.firstIndex(where: { $0.kind == kind && $0.name.isSame(as: name) })
    else { return false }
    aside.remove(at: index)
    return true
  }

  // MARK: Broken definitions

  /// Runs a statement. ALTER TABLE fails if any view or trigger is broken. In that case, drops the
  /// broken view or trigger, sets it aside until the steps have run, and tries again.
  mutating func alter(_ sql: String) throws {
    while true {
      do {
        return try connection.execute(SQL(unsafe: sql))
      } catch let error as DatabaseError {
        guard error.message.hasPrefix("error in ") else { throw error }
        let schema = try ExistingSchema(of: connection)
        guard let entry = schema.entry(brokenBy: error) else { throw error }
        aside.append(entry)
        if entry.kind == .view { aside += schema.triggers(of: entry.name) }
        try connection.execute(
          "DROP \(unsafe: entry.kind.rawValue.uppercased()) \(identifier: entry.name)")
      }
    }
  }

  /// Creates each view and trigger that was set aside, with its old definition.
  mutating func restore() throws {
    for entry in aside {
      do {
        try connection.execute(SQL(unsafe: entry.sql ?? ""))
      } catch let error as DatabaseError where error.isRefusal {
        throw MigrationError(
          plan: MigrationPlan(
            steps: done + [
              .refusal(
                BrokenDefinitions.Definition(
                  kind: entry.kind, name: entry.name, reason: error.message))
            ]))
      }
    }
    aside = []
  }

  /// Throws if a view or trigger that worked before is broken now.
  mutating func checkDefinitions(before: BrokenDefinitions) throws {
    let after = try BrokenDefinitions(of: presentSchema(), in: connection).definitions
      .filter { !before.contains($0) }
    guard after.isEmpty else {
      throw MigrationError(
        plan: MigrationPlan(
          steps: done
            + after.map { broken in
              let trigger =
                broken.kind == .trigger
                ? TriggerDefinition.named(broken.name, in: declared.triggers) : nil
              return trigger.map { .refusal($0, broken) } ?? .refusal(broken)
            }))
    }
  }

  /// Runs steps on an empty copy of the schema. Throws `MigrationError` if SQLite refuses one.
  static func rehearse(
    _ steps: [PlannedStep], on core: ConnectionCore, declared: Declarations, schema: ExistingSchema
  ) throws -> [MigrationPlan.Step] {
    core.enforcesForeignKeys = false
    return try core.transaction(.immediate) {
      var run = MigrationRun(
        on: core, declared: declared, options: MigrationOptions(), schema: schema)
      return try run.functions.use(on: core) {
        let before = try run.foreignKeyViolations().error
        try run.run(steps, keepingTrackOfKept: false)
        if before == nil, let error = try run.foreignKeyViolations().error, let last = run.done.last
        {
          return [.refusal(error, of: last)]
        }
        return []
      }
    }
  }
}

extension ExistingSchema {
  /// Returns the view or trigger that made ALTER TABLE fail, because it was already broken. The
  /// message of such an error begins with `error in view v: `.
  fileprivate func entry(brokenBy error: DatabaseError) -> Entry? {
    guard error.code.primary == .error else { return nil }
    return entries.first { entry in
      (entry.kind == .view || entry.kind == .trigger) && entry.sql != nil
        && error.message.hasPrefix("error in \(entry.kind.rawValue) \(entry.name): ")
    }
  }
}

extension MigrationRun {
  /// The rows whose foreign keys reference no row, by child and parent table.
  struct Violations {
    struct Reference: Hashable {
      let child: String
      let parent: String
    }

    /// The rowids of the rows; NULL for a table without rowids.
    var rows: [Reference: [DatabaseValue]] = [:]
    /// The errors of the checks themselves, by the name of the child table in lower case. The check
    /// of a table fails if a foreign key references columns that are not a key.
    var errors: [String: DatabaseError] = [:]
    var error: DatabaseError? { errors.first?.value }
  }

  /// Returns the rows whose foreign keys reference no row.
  ///
  /// - Parameter renames: the renamings that will follow. The result has the new names.
  func foreignKeyViolations(_ renames: Renames = Renames()) throws -> Violations {
    var violations = Violations()
    // Each table is checked separately. In one check of all tables, a foreign key that SQLite
    // cannot check would end the whole check.
    let tables = try connection.rows(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND lower(sql) LIKE '%references%'")
    for table in try tables.map({ try $0.get(String.self, at: 0) }) {
      let child = renames.name(ofTable: table)
      do {
        for row in try connection.rows("PRAGMA main.foreign_key_check(\(identifier: table))") {
          let reference = Violations.Reference(
            child: child, parent: renames.name(ofTable: try row.get(at: 2)))
          violations.rows[reference, default: []].append(row[1] ?? .null)
        }
      } catch let error as DatabaseError where error.code.primary == .error {
        violations.errors[child.lowercasedASCII] = error
      }
    }
    return violations
  }

  /// Throws if the migration left rows that reference no row. Rows that referenced no row before
  /// the migration are allowed. They are identified by their rowids. If a rebuild may have changed
  /// the rowids, the rows are only counted.
  func checkForeignKeys(before: Violations) throws {
    guard done.contains(where: \.concernsReferences) else { return }
    try report("", "PRAGMA foreign_key_check")
    let after = try foreignKeyViolations()
    for (child, error) in after.errors where before.errors[child] == nil {
      throw MigrationError(plan: MigrationPlan(steps: done), reason: error.message)
    }
    for (reference, rows) in after.rows {
      let former = before.rows[reference] ?? []
      let known = Set(former)
      let isRenumbered = done.contains { step in
        guard case .rebuildTable = step.action else { return false }
        return step.table.isSame(as: reference.child)
      }
      let new = rows.filter { !known.contains($0) }
      guard rows.count > former.count || !new.isEmpty && !isRenumbered else { continue }
      throw MigrationError(
        plan: MigrationPlan(steps: done),
        reason: "row \(new.first ?? rows[0]) of '\(reference.child)' would refer to a row of "
          + "'\(reference.parent)' that does not exist")
    }
  }
}

extension MigrationPlan.Step {
  /// Whether the step may leave rows whose foreign keys refer to a row that does not exist.
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
