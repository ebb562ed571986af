import ChangeObservation
import QueryDSL
import SQLCore

/// The source of a history's steps: memory, or the change log.
protocol HistorySource: Sendable {
  var updates: HistoryUpdates { get }
  /// Whether the source needs a witness of the undo's changes, because the source does not record
  /// them itself.
  var needsWitness: Bool { get }

  func steps(in database: Database) throws -> HistorySteps
  func steps(in database: Database) async throws -> HistorySteps

  /// Undoes, redoes or skips a step; the next step if `step` is nil. Returns nil if there is no
  /// next step.
  ///
  /// - Parameter witness: the observer of the commit, if the source needs a witness.
  func perform(
    _ action: HistoryAction, _ step: HistoryStep?, resolving policy: ConflictPolicy,
    on core: ConnectionCore, _ witness: HistoryWitness
  ) throws -> HistoryOutcome?
}

/// An action on a step of a history.
enum HistoryAction: Sendable {
  case undo, redo
  /// The step is taken out of the history, and its rows stay unchanged.
  case skip
}

/// The options of a history: its author, how it groups transactions, and the limit of its steps.
struct HistoryOptions: Sendable {
  let author: String?
  let groupsByLabel: Bool
  let limit: Int
}

/// An observer of all tables during an undo. The witness receives the undo's changes in tables
/// outside of the history, so that a redo can reverse these changes as well.
final class HistoryWitness: CommitReceiver {
  private let changes = Lock<WriteChanges?>(nil)

  func append(_ commit: Commit) { changes.withLock { $0 = commit.writes.last } }
  func end() {}

  /// Returns the changes of the last commit, and forgets them.
  func take() -> WriteChanges? {
    changes.withLock { changes in
      defer { changes = nil }
      return changes
    }
  }
}

extension HistoryStep {
  /// Runs a closure that undoes or redoes the step, and adds the step's label to conflicts that it
  /// throws.
  func naming<Result>(_ action: HistoryAction, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var conflicts as ChangeConflicts {
      let name = label.map { "“\($0)”" } ?? "the change"
      conflicts.attempt = "\(name) cannot be \(action == .undo ? "undone" : "redone")"
      throw conflicts
    }
  }
}

/// The observers that are notified when the steps of a history may have changed.
final class HistoryUpdates: Sendable {
  private struct State {
    var observers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var nextID: UInt64 = 0
    var isEnded = false
  }

  private let state = Lock(State())

  deinit { end() }

  /// Returns a stream with an element at once, and a further element after each change. If several
  /// changes come before an element is taken, they give only one element.
  func stream() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    let id = state.withLock { state -> UInt64? in
      guard !state.isEnded else { return nil }
      state.nextID += 1
      state.observers[state.nextID] = continuation
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.observers.removeValue(forKey: id) }
    }
    return stream
  }

  func send() {
    for observer in state.withLock({ Array($0.observers.values) }) { observer.yield() }
  }

  func end() {
    let observers = state.withLock { state in
      state.isEnded = true
      defer { state.observers = [:] }
      return Array(state.observers.values)
    }
    for observer in observers { observer.finish() }
  }
}
