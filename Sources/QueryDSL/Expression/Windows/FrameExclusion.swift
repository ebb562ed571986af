import SQLCore

/// The rows that are excluded from a frame.
public enum FrameExclusion: Sendable {
  /// The current row.
  case currentRow
  /// The current row and its peers.
  case group
  /// The peers of the current row, but not the row itself.
  case ties

  var token: SQLToken {
    switch self {
    case .currentRow: .excludeCurrentRow
    case .group: .excludeGroup
    case .ties: .excludeTies
    }
  }
}
