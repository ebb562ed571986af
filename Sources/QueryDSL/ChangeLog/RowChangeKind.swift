/// The kind of a row's change.
public enum RowChangeKind: Hashable, Sendable {
  /// The row did not exist before.
  case inserted
  /// The row existed before, and has other values now.
  case updated
  /// The row no longer exists.
  case deleted
}

extension RowChangeKind {
  /// The name of the kind in the tables of the change log, and in batches.
  var name: String {
    switch self {
    case .inserted: "insert"
    case .updated: "update"
    case .deleted: "delete"
    }
  }

  init?(named name: String) {
    switch name {
    case "insert": self = .inserted
    case "update": self = .updated
    case "delete": self = .deleted
    default: return nil
    }
  }
}
