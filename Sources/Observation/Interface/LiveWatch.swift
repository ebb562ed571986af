import SQLCore

/// An observation that an object of a user interface follows: of a query or of a closure's value.
protocol LiveWatch<Shown>: AnyObject, Sendable {
  /// The result that the object shows: the rows of a query, or a value.
  associatedtype Shown: Sendable
  /// The tables that are observed.
  var watch: TableWatch { get }

  /// Returns the first result, or waits until the result may have changed and updates it. After an
  /// error, it tries again at the next change.
  func step(isFirst: Bool) async -> LiveStep<Shown>
}

/// The outcome of one step of following a result.
enum LiveStep<Shown: Sendable>: Sendable {
  /// A new result; `missing` is the error if a table or column of the query does not exist.
  case result(Shown, missing: DatabaseError?)
  /// The result has not changed.
  case unchanged
  /// Since fetching failed, no relevant change happened.
  case stillFailed
  case failed(any Error)
  /// The task is cancelled, or the database is closed.
  case ended(isClosed: Bool)
}

extension LiveWatch {
  /// Follows the result on behalf of an object of a user interface, until the object is released or
  /// the database is closed.
  ///
  /// - Parameters:
  ///   - isolation: the actor that the object belongs to.
  ///   - show: puts the result and the phase into the object, each only if it is not nil. Returns
  ///     false if the object no longer exists.
  func follow(
    isolation: isolated (any Actor), _ show: (Shown?, LivePhase?) -> Bool
  ) async {
    var isFirst = true
    while true {
      let step = await step(isFirst: isFirst)
      isFirst = false
      // Callers of `refresh()` that waited for this result now see it, whatever it is.
      defer { watch.answerRefreshes() }
      switch step {
      case .result(let result, let missing):
        guard show(result, missing.map { .failed($0) } ?? .loaded) else { return }
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
}

extension LivePhase {
  /// Changes to another phase, if there is one. A result that stays loaded is not a change, so that
  /// its observers are not notified.
  mutating func change(to phase: LivePhase?) {
    guard let phase else { return }
    if case (.loaded, .loaded) = (self, phase) { return }
    self = phase
  }
}

/// Applies a new result to an object of a user interface, in the way that its user chose.
///
/// - Parameter apply: calls its argument, for example in an animation; nil applies it directly.
func applying(_ apply: (@Sendable (() -> Void) -> Void)?, _ change: () -> Void) {
  guard let apply else { return change() }
  var isApplied = false
  apply {
    guard !isApplied else { return }
    isApplied = true
    change()
  }
  if !isApplied { change() }
}
