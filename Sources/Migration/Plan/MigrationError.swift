import QueryDSL
import SQLCore

/// The error for a migration that was refused. The database is unchanged.
///
/// ```swift
/// do {
///   _ = try Database(path: "blog.sqlite", models: [Author.self, Post.self])
/// } catch let error as MigrationError {
///   print(error.plan)      // each step, and the lines to write
/// }
/// ```
public struct MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The plan, with the refused steps and their reasons.
  public let plan: MigrationPlan
  /// The reason why nothing was changed; nil if the refused steps of the plan are the reason.
  public let reason: String?

  init(plan: MigrationPlan, reason: String? = nil) {
    self.plan = plan
    self.reason = reason
  }

  /// The reason and the whole plan.
  public var description: String {
    let why = reason.map { ", because \($0)" } ?? ""
    return "the database was not migrated, and nothing was changed\(why):\n\(plan)"
  }
}

extension MigrationPlan.Step {
  /// Returns the refusal of a step for which SQLite returned an error.
  ///
  /// - Parameter isTaken: returns whether a table name is already taken. The refusal may offer a
  ///   free name for the model's table.
  static func refusal(
    _ error: DatabaseError, of step: MigrationPlan.Step,
    isTaken: (String) -> Bool = { _ in false }
  ) -> MigrationPlan.Step {
    // If the message has the temporary name of a table that is rebuilt, the name of the table
    // itself replaces it.
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
      // The message has this form: `error in view v after drop column: no such column: a`
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

  /// Returns the refusal for a declared trigger that SQLite cannot compile.
  static func refusal(
    _ trigger: TriggerDefinition, _ broken: BrokenDefinitions.Definition
  ) -> MigrationPlan.Step {
    MigrationPlan.Step(
      .refuse, table: trigger.table,
      reason:
        "the trigger \(trigger.name) of \(trigger.model) does not work (\(broken.reason)); correct "
        + "its declaration",
      line: "// Trigger(\(trigger.name.swiftLiteral), …)")
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
  /// Whether the error is caused by the text of the statement or by the rows, and not by the disk,
  /// a lock or memory.
  var isRefusal: Bool {
    switch code.primary {
    case .error, .constraint, .mismatch, .tooBig, .range: true
    default: false
    }
  }
}
