import SQLCore

/// Follows a result for an object of a user interface, until the object goes or the database is closed.
///
/// - Parameters:
///   - isolation: the actor to which the object belongs.
///   - show: puts the rows, where they are others, and the phase, where it is another one, into the
///     object; false where the object is gone. A phase of nil leaves the phase as it is.
func follow<Row>(
  _ watch: QueryWatch<Row>, isolation: isolated (any Actor),
  _ show: (Results<Row>?, LivePhase?) -> Bool
) async {
  var isFirst = true
  while true {
    let step = await watch.step(isFirst: isFirst)
    isFirst = false
    // Those who asked for this result see it, whatever it is.
    defer { watch.didShow() }
    switch step {
    case .result(let rows, let missing):
      guard show(rows, missing.map { .failed($0) } ?? .loaded) else { return }
    case .unchanged:
      guard show(nil, .loaded) else { return }
    case .stillFailed:
      guard show(nil, nil) else { return }
    case .failed(let error):
      guard show(nil, .failed(error)) else { return }
    case .ended(let isClosed):
      if isClosed { _ = show(nil, .ended) }
      watch.end()
      return
    }
  }
}

extension LivePhase {
  /// The phase to change to; nil where this one stays, of which nobody is told again.
  func changed(to phase: LivePhase?) -> LivePhase? {
    guard let phase, !(isLoaded && phase.isLoaded) else { return nil }
    return phase
  }
}

extension QueryWatch {
  /// What became of the result of an object for a user interface.
  enum Step: Sendable {
    /// Another result, and what of the query is not there.
    case result(Results<Row>, missing: DatabaseError?)
    /// The result is the one that is known.
    case unchanged
    /// Nothing that matters was done since it failed.
    case stillFailed
    case failed(any Error)
    /// The task is cancelled, or the database closed.
    case ended(isClosed: Bool)
  }

  /// Asks for the result to be fetched, and waits until `didShow()`.
  nonisolated(nonsending)
    func refresh() async
  {
    await watch.refresh()
  }

  /// Nobody follows the result any more.
  func end() {
    watch.end()
  }

  /// The result of the last step is where those who asked for it see it.
  func didShow() {
    watch.answerRefreshes()
  }
}
