/// How far a `LiveQuery` or `LiveModel` is.
public enum LivePhase: Sendable {
  /// The first result is on its way.
  case loading
  /// The result is there, and followed.
  case loaded
  /// Fetching failed; what is there is the last result, without rows where the table was dropped. It
  /// is fetched again after the next change and by `refresh()`, and is `loaded` when that succeeds.
  case failed(any Error)
  /// The database was closed; what is there is the last result.
  case ended

  /// Whether the result is there, and followed.
  public var isLoaded: Bool {
    if case .loaded = self { true } else { false }
  }
}
