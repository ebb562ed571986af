import SQLCore

extension MigrationRun {
  /// Whether a step drops what was set aside: it is gone already.
  mutating func dropsAside(_ step: MigrationPlan.Step) -> Bool {
    let kind: LiveSchema.Entry.Kind
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

  // MARK: Definitions that are broken

  /// Runs a statement. ALTER TABLE fails for every view and trigger that is broken already: one that
  /// stands in the way is set aside while the migration runs.
  mutating func alter(_ sql: String) throws {
    while true {
      do {
        return try connection.execute(SQL(unsafe: sql))
      } catch let error as DatabaseError {
        guard let entry = try broken(by: error) else { throw error }
        let schema = try LiveSchema(of: connection)
        aside.append(entry)
        if entry.kind == .view { aside += schema.triggers(of: entry.name) }
        try connection.execute(
          "DROP \(unsafe: entry.kind.rawValue.uppercased()) \(identifier: entry.name)")
      }
    }
  }

  /// The view or trigger for which ALTER TABLE failed before it did anything: `error in view v: …`.
  private func broken(by error: DatabaseError) throws -> LiveSchema.Entry? {
    guard error.code.primary == .error, error.message.hasPrefix("error in ") else { return nil }
    return try LiveSchema(of: connection).entries.first { entry in
      (entry.kind == .view || entry.kind == .trigger) && entry.sql != nil
        && error.message.hasPrefix("error in \(entry.kind.rawValue) \(entry.name): ")
    }
  }

  /// Writes what was set aside as it was.
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

  /// Throws where a view or trigger works no more that did before.
  func checkDefinitions(before: BrokenDefinitions) throws {
    let after = try BrokenDefinitions(in: connection).definitions.filter { !before.contains($0) }
    guard after.isEmpty else {
      throw MigrationError(
        plan: MigrationPlan(steps: done + after.map { MigrationPlan.Step.refusal($0) }))
    }
  }

  /// Runs steps on an empty copy of the schema; throws `MigrationError` for what SQLite refuses.
  static func rehearse(
    _ steps: [PlannedStep], on core: ConnectionCore, declared: Declarations
  ) throws -> [MigrationPlan.Step] {
    core.enforcesForeignKeys = false
    return try core.transaction(.immediate) {
      var run = MigrationRun(on: core, declared: declared, options: MigrationOptions())
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
