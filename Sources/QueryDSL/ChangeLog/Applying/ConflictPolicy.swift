/// A rule that decides what happens to a change that does not fit the present row.
///
/// ```swift
/// try history.undo(resolving: .mine)
/// try history.undo(
///   resolving: ConflictPolicy { conflict in conflict.change.table == "Draft" ? .apply : .fail })
/// ```
public struct ConflictPolicy: Sendable {
  /// A decision about one change.
  public enum Resolution: Hashable, Sendable {
    /// The row stays as it is, and the change is left out. A change from another database that
    /// cannot be applied yet waits.
    case keep
    /// The change is made all the same. It overwrites columns and rows that changed since, and
    /// deletes a row that has a value which must be unique. If it cannot be made, because the row
    /// is gone for example, it is left out. A change from another database that cannot be applied
    /// yet waits.
    case apply
    /// The row stays as it is, and the change is left out for good, even if it could wait.
    case discard
    /// Nothing is changed, and `ChangeConflicts` is thrown.
    case fail
  }

  let resolve: @Sendable (ChangeConflict) throws -> Resolution
  /// The built-in policies, by which changes that wait are applied later.
  enum Rule: String, Sendable {
    case mine, theirs, newer

    var policy: ConflictPolicy {
      switch self {
      case .mine: .mine
      case .theirs: .theirs
      case .newer: .newer
      }
    }
  }

  /// The built-in policy that this one is; nil for another one.
  private(set) var rule: Rule?

  /// Whether columns that were changed later are left out before conflicts are looked for.
  var comparesTimes: Bool { rule == .newer }

  /// Creates a policy from a closure. It is called for each conflict, inside the transaction and on
  /// the writer's thread, so it must not use the database. Its errors roll the transaction back and
  /// are thrown.
  public init(_ resolve: @escaping @Sendable (ChangeConflict) throws -> Resolution) {
    self.resolve = resolve
  }

  /// Any conflict fails.
  public static let fail = ConflictPolicy { _ in .fail }
  /// The present rows win.
  public static let mine = ConflictPolicy(.mine) { _ in .keep }
  /// The change wins wherever it can be made.
  public static let theirs = ConflictPolicy(.theirs) { _ in .apply }

  private init(
    _ rule: Rule, _ resolve: @escaping @Sendable (ChangeConflict) throws -> Resolution
  ) {
    self.resolve = resolve
    self.rule = rule
  }

  /// Returns a policy that fails for some conflicts, and decides the others as this one does.
  ///
  /// ```swift
  /// let policy = ConflictPolicy.newer.failing { conflict in
  ///   if case .notUnique = conflict.reason { true } else { false }
  /// }
  /// ```
  /// The closure is called like that of `init(_:)`.
  public func failing(
    where fails: @escaping @Sendable (ChangeConflict) throws -> Bool
  ) -> ConflictPolicy {
    let resolve = resolve
    var policy = ConflictPolicy { try fails($0) ? .fail : resolve($0) }
    policy.rule = rule
    return policy
  }

  /// The newest value of each column wins, by the times of the transactions; where they are equal,
  /// the identities of the databases decide. A deletion wins over updates. Databases that
  /// exchange all their transactions end with the same rows, as long as keys are not used again after
  /// a deletion, and no unique values or foreign keys conflict: such a change is left out, and
  /// reported. What cannot be applied yet waits.
  ///
  /// It is a policy for transactions of other databases. For undo and redo it is as `theirs`.
  public static let newer = ConflictPolicy(.newer) { conflict in
    switch conflict.reason {
    case .columnsChanged, .rowExists: .apply
    default: .keep
    }
  }
}
