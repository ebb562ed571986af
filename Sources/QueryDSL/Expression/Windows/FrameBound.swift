import SQLCore

/// The start or the end of a window's frame.
public enum FrameBound: Hashable, Sendable {
  /// The first row of the partition.
  case unboundedPreceding
  /// A number of rows (or groups, or a distance) before the current row.
  case preceding(Int)
  /// The current row.
  case currentRow
  /// A number of rows (or groups, or a distance) after the current row.
  case following(Int)
  /// The last row of the partition.
  case unboundedFollowing

  var rank: Int {
    switch self {
    case .unboundedPreceding: 0
    case .preceding: 1
    case .currentRow: 2
    case .following: 3
    case .unboundedFollowing: 4
    }
  }
}

extension FrameBound {
  func write<Sink: QuerySink>(to sink: inout Sink) throws {
    switch self {
    case .unboundedPreceding: try sink.token(.unboundedPreceding)
    case .preceding(let count):
      try sink.value(BoundValue(count))
      try sink.token(.preceding)
    case .currentRow: try sink.token(.currentRow)
    case .following(let count):
      try sink.value(BoundValue(count))
      try sink.token(.following)
    case .unboundedFollowing: try sink.token(.unboundedFollowing)
    }
  }
}
