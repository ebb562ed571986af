/// The state of a `LiveQuery` or `LiveModel`.
public enum LivePhase: Sendable {
  /// The first result is being fetched.
  case loading
  /// The result is loaded and kept up to date.
  case loaded
  /// Fetching failed. The result is still the last one, or has no rows if its table was dropped. It
  /// is fetched again after the next change and by `refresh()`; if that succeeds, the phase is
  /// `loaded`.
  case failed(any Error)
  /// The database was closed; the result is still the last one.
  case ended

  /// Whether the result is loaded and kept up to date.
  public var isLoaded: Bool {
    if case .loaded = self { true } else { false }
  }
}
