import CSQLite

/// A conflict: a change that does not fit the database to which it is applied.
///
/// - SeeAlso: <https://www.sqlite.org/session/c_changeset_conflict.html>
public struct ChangeConflict: Sendable {
  /// The kinds of conflict.
  public enum Reason: Hashable, Sendable {
    /// The row exists, but with other values than the change expects.
    case differs
    /// The row that is to be updated or deleted does not exist.
    case notFound
    /// A row with the key of the row to insert exists already.
    case exists
    /// Another constraint would be violated.
    case constraint
    /// Foreign keys are violated after all changes were applied; the associated value is their
    /// number.
    case foreignKeys(Int)
  }

  /// The ways to resolve a conflict.
  public enum Resolution: Sendable {
    /// Skips the change.
    case omit
    /// Applies the change over the existing row; only possible for `.differs` and `.exists`.
    case replace
    /// Applies nothing of the changeset and throws `.abort`.
    case abort
  }

  /// The kind of the conflict.
  public let reason: Reason
  /// The change; nil for `.foreignKeys`.
  public let change: Changeset.Change?
  /// The values of the conflicting row in the database; empty if no row of it conflicts.
  public let existing: [DatabaseValue?]

  init(_ reason: Reason, _ iterator: OpaquePointer) {
    self.reason = reason
    if case .foreignKeys = reason {
      (change, existing) = (nil, [])
      return
    }
    let change = Changeset.Change(iterator)
    self.change = change
    guard reason == .differs || reason == .exists else {
      existing = []
      return
    }
    existing = (0..<(change?.isKey.count ?? 0)).map { index in
      var value: OpaquePointer?
      guard sqlite3changeset_conflict(iterator, Int32(index), &value) == SQLITE_OK, let value
      else { return DatabaseValue?.none }
      return DatabaseValue(copying: value)
    }
  }
}
