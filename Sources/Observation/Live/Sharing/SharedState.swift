/// The state of a `SharedResult`. The state is not generic over the type of the rows, because
/// unspecialized code would look up the type's metadata at each use.
struct SharedState {
  /// The outcome of a run.
  enum Outcome: Sendable {
    /// The result, without the type of its rows. If a table or column of the query does not exist,
    /// `missing` is the error.
    case result(Results<Void>, missing: (any Error)?)
    case failed(any Error)
  }

  /// An outcome, with the numbers that show an observer whether the outcome is new.
  struct News: Sendable {
    let outcome: Outcome
    /// The number of outcomes so far.
    let version: UInt64
    /// The number of the last request that has been answered.
    let answered: UInt64
  }

  /// The purpose of a run.
  struct Purpose: Sendable {
    /// The number of the last request that the run answers; 0 if it answers none.
    let request: UInt64
    let mustFetch: Bool
  }

  /// The next step of an observer: take the outcome, wait, or end. An observer ends if its task is
  /// cancelled or the database is closed.
  enum Turn { case take, wait, end }

  var version: UInt64 = 0
  var outcome: Outcome?
  var isRunning = false
  /// The task of the run; nil if there is no run, or if the run is in a `MergeLine`.
  var run: Task<Void, Never>?
  /// Whether there may be commits that no run has looked at.
  var isPending = false
  /// Whether the query must be fetched even if nothing changed.
  var mustFetch = false
  /// Whether the database is closed.
  var isEnded = false
  /// The number of requests so far. Each request asks for a result that contains all earlier
  /// commits. `answered` is the number of requests that were answered.
  var requests: UInt64 = 0
  var answered: UInt64 = 0
  /// The signals of the waiting observers.
  var waiting: [ObjectIdentifier: Signal] = [:]
  var observers = 0

  func turn(after version: UInt64, _ request: UInt64?) -> Turn {
    let isAnswered = request.map { $0 <= answered } ?? false
    if isAnswered || request == nil && self.version > version, outcome != nil { return .take }
    return isOver ? .end : .wait
  }

  /// Whether no further outcome will follow.
  var isOver: Bool { isEnded && !isRunning && !isDue }

  /// Whether a run is due.
  private var isDue: Bool { isPending || mustFetch || answered < requests || outcome == nil }

  /// If a run is due and an observer waits, begins the run and returns its purpose.
  mutating func beginRun() -> Purpose? {
    guard !isRunning, isDue, !waiting.isEmpty else { return nil }
    defer { (isRunning, isPending, mustFetch) = (true, false, false) }
    return Purpose(request: answered < requests ? requests : 0, mustFetch: mustFetch)
  }
}
