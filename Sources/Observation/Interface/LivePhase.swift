/// How far a `LiveQuery` or `LiveModel` is.
public enum LivePhase: Sendable {
  /// The first result is on its way.
  case loading
  /// The result is there, and followed.
  case loaded
  /// Fetching failed; what is there is the last result. It is followed no further.
  case failed(any Error)

  /// Whether the result is there, and followed.
  public var isLoaded: Bool {
    if case .loaded = self { true } else { false }
  }
}
