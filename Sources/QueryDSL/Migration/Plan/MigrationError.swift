import SQLCore

/// The error for a migration that was refused. The database is unchanged.
public struct MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The plan, with the refused steps and their reasons.
  public let plan: MigrationPlan
  /// Why nothing ran, if the cause was not a refused step.
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
