import SQLCore

/// Follows a result on behalf of an object of a user interface, until the object is released or the
/// database is closed.
///
/// - Parameters:
///   - isolation: the actor that the object belongs to.
///   - show: puts the rows and the phase into the object, each only if it is not nil. Returns false
///     if the object no longer exists.
func follow<Row>(
  _ watch: QueryWatch<Row>, isolation: isolated (any Actor),
  _ show: (Results<Row>?, LivePhase?) -> Bool
) async {
  var isFirst = true
  while true {
    let step = await watch.step(isFirst: isFirst)
    isFirst = false
    // Callers of `refresh()` that waited for this result now see it, whatever it is.
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
  /// Returns the phase to change to; nil if this one stays, so that its observers are not notified.
  func changed(to phase: LivePhase?) -> LivePhase? {
    if case .loaded = self, case .loaded? = phase { return nil }
    return phase
  }
}

extension QueryWatch {
  /// The outcome of one step of following a result.
  enum Step: Sendable {
    /// A new result; `missing` is the error if a table or column of the query does not exist.
    case result(Results<Row>, missing: DatabaseError?)
    /// The result has not changed.
    case unchanged
    /// Since fetching failed, no relevant change happened.
    case stillFailed
    case failed(any Error)
    /// The task is cancelled, or the database is closed.
    case ended(isClosed: Bool)
  }

  /// Asks for the result to be fetched, and waits until `didShow()`.
  func refresh() async {
    await watch.refresh()
  }

  /// Ends the observation: the result is no longer followed.
  func end() {
    watch.end()
  }

  /// Notes that the result of the last step is shown, so that callers of `refresh()` can resume.
  func didShow() {
    watch.answerRefreshes()
  }
}
