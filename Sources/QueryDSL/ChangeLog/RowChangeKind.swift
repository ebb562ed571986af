/// The kind of a row's change.
public enum RowChangeKind: Hashable, Sendable {
  /// The row did not exist before.
  case inserted
  /// The row existed before, and has other values now.
  case updated
  /// The row no longer exists.
  case deleted
}
