/// The state of a `SharedResult`. It does not depend on the type of the rows: each use of a generic
/// type in code that is not specialized costs a look-up of its metadata.
struct SharedState {
  /// The outcome of a run.
  enum Outcome: Sendable {
    /// The result, without the type of its rows; `missing` is the error if a table or column of the
    /// query does not exist.
    case result(Results<Void>, missing: (any Error)?)
    case failed(any Error)
  }

  /// An outcome as an observer receives it.
  struct News: Sendable {
    let outcome: Outcome
    /// The number of outcomes so far.
    let version: UInt64
    /// The number of the last request that has been answered.
    let answered: UInt64
  }

  /// The purpose of a run.
  struct Purpose: Sendable {
    /// The number of the last request that it answers; 0 if there is none.
    let request: UInt64
    let mustFetch: Bool
  }

  /// The next step of an observer: take the outcome, wait, or end, since its task is cancelled or the
  /// database is closed.
  enum Turn { case take, wait, end }

  var version: UInt64 = 0
  var outcome: Outcome?
  var isRunning = false
  /// The task of the run, if it has one of its own.
  var run: Task<Void, Never>?
  /// Whether there may be commits that no run has looked at.
  var isPending = false
  /// Whether the query must be fetched even if nothing changed.
  var mustFetch = false
  /// Whether the database is closed.
  var isEnded = false
  /// The number of requests for a result that contains all commits so far, and the number of
  /// answered requests.
  var requests: UInt64 = 0
  var answered: UInt64 = 0
  /// The signals of the observers that wait.
  var waiting: [ObjectIdentifier: Signal] = [:]
  var observers = 0

  func turn(after version: UInt64, _ request: UInt64?) -> Turn {
    let isAnswered = request.map { $0 <= answered } ?? false
    if isAnswered || request == nil && self.version > version, outcome != nil { return .take }
    return isOver ? .end : .wait
  }

  /// Whether no further outcome will follow.
  var isOver: Bool { isEnded && !isRunning && !isDue }

  /// Whether the query is to run.
  private var isDue: Bool { isPending || mustFetch || answered < requests || outcome == nil }

  /// Begins a run if one is due and an observer waits for it.
  mutating func beginRun() -> Purpose? {
    guard !isRunning, isDue, !waiting.isEmpty else { return nil }
    defer { (isRunning, isPending, mustFetch) = (true, false, false) }
    return Purpose(request: answered < requests ? requests : 0, mustFetch: mustFetch)
  }
}
