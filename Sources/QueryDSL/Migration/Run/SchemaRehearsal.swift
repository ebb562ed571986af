import SQLCore

/// A trial of a migration on a copy of the schema, in memory and without rows.
///
/// SQLite reports there what it refuses (a view that would name a dropped column, too many
/// columns), so that the plan can refuse it before anything runs. This costs the statements of the
/// schema and of the plan, on empty tables.
struct SchemaRehearsal {
  let declared: Declarations
  let core: ConnectionCore
  /// The schema that is copied.
  let schema: ExistingSchema

  /// Returns the refusals of SQLite. Returns none if the schema cannot be copied, for example
  /// because it uses a module or collation that only another program has.
  func refusals(of steps: [PlannedStep]) throws -> [MigrationPlan.Step] {
    let definitions = schema.entries.compactMap { entry in
      entry.sql.map { (type: entry.kind.rawValue, name: entry.name, sql: $0) }
    }
    let copy = try SchemaCopy(of: definitions, in: core)
    guard !copy.objects.isEmpty, let twin = try? core.emptyTwin() else { return [] }
    twin.takesQuotedTextInDefinitions = true
    copy.make(in: twin)
    guard let copied = try? ExistingSchema(of: twin.lend()),
      copy.objects.allSatisfy({ object in
        object.kind == .trigger ? copied.hasTrigger(object.name) : copied.entry(object.name) != nil
      })
    else { return [] }
    do {
      return try MigrationRun.rehearse(steps, on: twin, declared: declared, schema: copied)
    } catch let error as MigrationError {
      return error.plan.refusals
    } catch {
      // Any other error will show when the migration runs.
      return []
    }
  }
}

extension MigrationPlan.Step {
  /// Returns the refusal of a step that SQLite refuses, with its message.
  ///
  /// - Parameter isTaken: whether something has a name already. Another name for the model's table
  ///   is offered.
  static func refusal(
    _ error: DatabaseError, of step: MigrationPlan.Step,
    isTaken: (String) -> Bool = { _ in false }
  ) -> MigrationPlan.Step {
    // A rebuild uses a temporary table name.
    let message = error.message.replacing("apus_new_\(step.table)", with: step.table)
    let check = "CHECK constraint failed: "
    if message.hasPrefix(check) {
      let name = String(message.dropFirst(check.count))
      return MigrationPlan.Step(
        .refuse, table: step.table,
        reason: "a row would not satisfy the check \(name) after the migration; change the row in "
          + "a `MigrationStep`, or drop the check", line: "Dropped(check: \(name.swiftLiteral))")
    }
    for (word, argument) in [("view", "view"), ("trigger", "trigger"), ("index", "index")] {
      // `error in view v after drop column: no such column: a`
      guard message.hasPrefix("error in \(word) "),
        let end = message.firstRange(of: " after ")?.lowerBound
          ?? message.firstRange(of: ": ")?.lowerBound
      else { continue }
      let name = String(message[..<end].dropFirst("error in \(word) ".count))
      return MigrationPlan.Step(
        .refuse, table: step.table,
        reason: "the \(word) \(name) prevents the change (\(message)); change the \(word) in a "
          + "`MigrationStep`, or drop it in the schema",
        line: "Dropped(\(argument): \(name.swiftLiteral))")
    }
    return MigrationPlan.Step(
      .refuse, table: step.table,
      reason:
        "SQLite refuses the change: \(message); make it possible in a `MigrationStep`, or give the "
        + "model another table",
      line: "static let tableName = \(step.table.numbered(isTaken).swiftLiteral)")
  }

  /// Returns the refusal for a view or trigger that a migration would break.
  static func refusal(_ broken: BrokenDefinitions.Definition) -> MigrationPlan.Step {
    let kind = broken.kind.rawValue
    return MigrationPlan.Step(
      .refuse, table: broken.name,
      reason:
        "the \(kind) \(broken.name) would no longer work (\(broken.reason)); change it in a "
        + "`MigrationStep`, or drop it in the schema", line: broken.removalLine)
  }
}

extension DatabaseError {
  /// Whether SQLite refuses a statement because of its text or the rows, and not because of the
  /// disk, a lock or memory.
  var isRefusal: Bool {
    switch code.primary {
    case .error, .constraint, .mismatch, .tooBig, .range: true
    default: false
    }
  }
}
