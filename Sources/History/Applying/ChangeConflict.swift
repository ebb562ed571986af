import QueryDSL
import SQLCore

/// A change that does not fit the present row, for example because the row no longer has the values
/// that the change expects.
///
/// It is not a conflict if only *other* columns of the row have changed, or if the row already has
/// the new values.
public struct ChangeConflict: Hashable, Sendable {
  /// The kinds of conflict.
  public enum Reason: Hashable, Sendable {
    /// The row has other values in these columns than the change expects.
    case columnsChanged([String])
    /// The row does not exist.
    case rowIsGone
    /// A row with the same key already exists, and has other values.
    case rowExists
    /// Another row already has the same value in a column that must be unique.
    case notUnique(ConstraintFailure)
    /// The row would violate a constraint of another kind, such as a foreign key.
    case violates(ConstraintFailure)
    /// The table lacks these columns of the change. If the list is empty, the table does not exist
    /// or has another key.
    case schemaChanged(missing: [String])
    /// The key contains NULL, so several rows may have the same key.
    case incompleteKey
    /// The log does not show how these columns were changed; see `AnyLogChange.uncertainColumns`.
    case uncertain([String])
    /// A deleted row would be restored without its values in these columns. Another program has
    /// added the columns, and the triggers of the log do not log them. If the policy decides
    /// `apply`, the row is restored without these values.
    case notLogged([String])
  }

  /// The change that was to be made.
  public let change: AnyLogChange
  /// The kind of the conflict.
  public let reason: Reason
  /// The current values of the row, by the names of its columns in lower case. Nil if the row does
  /// not exist, or was not read because the conflict does not depend on its values.
  public let current: [String: DatabaseValue]?

  /// Whether the change can still be made, by overwriting the conflicting values or deleting the
  /// conflicting row.
  public var canBeOverwritten: Bool {
    switch reason {
    case .columnsChanged, .rowExists, .notLogged: true
    case .notUnique(let failure): !failure.columns.isEmpty
    case .rowIsGone, .violates, .schemaChanged, .incompleteKey, .uncertain: false
    }
  }
}

extension ChangeConflict: CustomStringConvertible {
  /// The conflict in a sentence.
  public var description: String {
    let key = change.keyValues.map(\.description).joined(separator: ", ")
    let row = "the row \(key) of \(change.table)"
    switch reason {
    case .columnsChanged(let columns):
      return "\(row) was changed since in \(columns.joined(separator: ", "))"
    case .rowIsGone: return "\(row) was deleted since"
    case .rowExists: return "\(row) was inserted since, with other values"
    case .violates(let failure) where failure.kind == .foreignKey && change.kind == .deleted:
      guard let table = failure.table else {
        return "\(row) cannot be deleted, because another row would refer to a row that does not "
          + "exist"
      }
      return "\(row) cannot be deleted, because a row of \(table) refers to it"
        + (failure.columns.isEmpty ? "" : " through \(failure.columns.joined(separator: " and "))")
    case .notUnique(let failure), .violates(let failure):
      return "\(row) cannot be written: \(failure)"
    case .schemaChanged(let missing):
      return missing.isEmpty
        ? "\(row) cannot be written: this database lacks the table, does not log it, or has it with "
          + "another key"
        : "\(row) cannot be written: this database does not have the "
          + (missing.count == 1 ? "column " : "columns ") + missing.joined(separator: ", ")
    case .uncertain(let columns):
      return
        "what happened to \(row) is not certain for \(columns.joined(separator: ", ")), because "
        + "a trigger changed the row while it was being changed"
    case .notLogged(let columns):
      return "\(row) cannot be restored as it was: the log has no values of "
        + "\(columns.joined(separator: ", ")), which another program added to the table"
    case .incompleteKey: return "\(row) cannot be identified, because its key contains NULL"
    }
  }
}

/// The error that is thrown if changes do not fit the present rows. Nothing was changed.
///
/// ```swift
/// let history = try History(of: [Post.self], in: db)
/// do {
///   try history.undo()
/// } catch let error as ChangeConflicts {
///   print(error)      // a sentence to show
/// }
/// ```
public struct ChangeConflicts: Error, Hashable, Sendable, CustomStringConvertible {
  /// The conflicts, in the order in which they were found.
  public let conflicts: [ChangeConflict]
  /// The undo or redo that failed, in words, such as `“Add card” cannot be undone`.
  var attempt: String?

  /// A sentence about the first conflicts, which a program can show. If an undo or a redo has
  /// failed, the sentence begins with the label of the step. If transactions of another database
  /// cannot be applied, the sentence ends with advice.
  public var description: String {
    let shown = conflicts.prefix(3).map(\.description).joined(separator: "; ")
    let others = conflicts.count > 3 ? "; and \(conflicts.count - 3) more" : ""
    guard let attempt else {
      return "nothing was changed, because \(shown)\(others); a `ConflictPolicy` can decide for "
        + "each row"
    }
    return "\(attempt), because \(shown)\(others)"
  }
}

/// A conflict, and what the policy has decided about it.
public struct ResolvedConflict: Hashable, Sendable {
  /// The conflict.
  public let conflict: ChangeConflict
  /// Whether the change was made despite the conflict. If not, the row is unchanged.
  public let wasApplied: Bool
  /// Whether the decision of the policy was `discard`. If so, the change does not wait.
  var isDiscarded = false
}

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
    /// The row stays unchanged, and the change is left out. A change from another database that
    /// cannot be applied yet is not left out: it waits.
    case keep
    /// The change is made despite the conflict. It overwrites columns and rows that changed in the
    /// meantime, and deletes a row with a conflicting unique value. If the change is impossible,
    /// for example because the row is gone, the change is left out. A change from another database
    /// that cannot be applied yet is not left out: it waits.
    case apply
    /// The row stays unchanged, and the change is left out for good, even if it could wait until it
    /// can be applied.
    case discard
    /// Nothing is changed, and `ChangeConflicts` is thrown.
    case fail
  }

  let resolve: @Sendable (ChangeConflict) throws -> Resolution
  /// The built-in policies. A waiting change is stored with its policy, and is later applied with
  /// the same policy.
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

  /// The built-in policy on which this policy is based; nil for a program's own policy.
  private(set) var rule: Rule?

  /// Whether a change is applied only to columns that no later transaction has changed.
  var comparesTimes: Bool { rule == .newer }

  /// Creates a policy from a closure that decides each conflict.
  ///
  /// The closure is called inside the transaction and on the writer's thread, so it must not use
  /// the database. If the closure throws an error, the transaction is rolled back and the error is
  /// thrown.
  public init(_ resolve: @escaping @Sendable (ChangeConflict) throws -> Resolution) {
    self.resolve = resolve
  }

  /// The policy that throws `ChangeConflicts` for every conflict.
  public static let fail = ConflictPolicy { _ in .fail }
  /// The policy that keeps the present rows: a change with a conflict is left out.
  public static let mine = ConflictPolicy(.mine) { _ in .keep }
  /// The policy that applies each change despite conflicts, wherever this is possible.
  public static let theirs = ConflictPolicy(.theirs) { _ in .apply }

  private init(
    _ rule: Rule, _ resolve: @escaping @Sendable (ChangeConflict) throws -> Resolution
  ) {
    self.resolve = resolve
    self.rule = rule
  }

  /// Returns a policy that fails for some conflicts, and otherwise decides as this policy does.
  ///
  /// ```swift
  /// let policy = ConflictPolicy.newer.failing { conflict in
  ///   if case .notUnique = conflict.reason { true } else { false }
  /// }
  /// ```
  /// For this closure, the same rules hold as for the closure of `init(_:)`.
  public func failing(
    where fails: @escaping @Sendable (ChangeConflict) throws -> Bool
  ) -> ConflictPolicy {
    let resolve = resolve
    var policy = ConflictPolicy { try fails($0) ? .fail : resolve($0) }
    policy.rule = rule
    return policy
  }

  /// The policy that keeps the newest value of each column.
  ///
  /// The times of the transactions decide which value is newer. If the times are equal, the
  /// identities of the databases decide. A deletion wins over updates. A change that cannot be
  /// applied yet waits. If unique values, foreign keys or CHECK constraints conflict, the change is
  /// left out and reported.
  ///
  /// Databases that exchange all their transactions have the same rows in the end. This does not
  /// hold if a conflicting change was left out, or if a key is used again after a deletion.
  ///
  /// Use this policy for transactions of other databases. In an undo or a redo, it overwrites
  /// columns and rows that have changed, and leaves out changes with any other conflict.
  public static let newer = ConflictPolicy(.newer) { conflict in
    switch conflict.reason {
    case .columnsChanged, .rowExists: .apply
    default: .keep
    }
  }
}
