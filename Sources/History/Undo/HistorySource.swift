import ChangeObservation
import QueryDSL
import SQLCore

/// The source of a history's steps: a record in memory, or the change log.
protocol HistorySource: Sendable {
  var updates: HistoryUpdates { get }
  /// Whether an undo needs a `HistoryWitness`. This is so if the source itself does not record the
  /// changes that an undo makes in other tables.
  var needsWitness: Bool { get }

  func steps(in database: Database) throws -> HistorySteps
  func steps(in database: Database) async throws -> HistorySteps

  /// Undoes, redoes or skips a step. If `step` is nil, an undo or a skip takes the last step, and a
  /// redo takes the step that was undone last. Returns nil if there is no such step.
  ///
  /// - Parameter witness: the observer that receives the changes of the undo. It is used only if
  ///   `needsWitness` is true.
  func perform(
    _ action: HistoryAction, _ step: HistoryStep?, resolving policy: ConflictPolicy,
    on core: ConnectionCore, _ witness: HistoryWitness
  ) throws -> HistoryOutcome?
}

/// An action on a step of a history.
enum HistoryAction: Sendable {
  case undo, redo
  /// The step is removed from the history, and its rows stay unchanged.
  case skip
}

/// The options of a history: its author, how it groups transactions, and the limit of its steps.
struct HistoryOptions: Sendable {
  let author: String?
  let groupsByLabel: Bool
  let limit: Int
}

/// An observer of all tables during an undo. It receives the changes that foreign keys make outside
/// the tables of the history, so that a redo can reverse these changes as well.
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
  /// Runs a closure that undoes or redoes the step. If the closure throws `ChangeConflicts`, adds
  /// the label of the step to the error's text.
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

  /// Returns a stream that yields an element at once, and another element after each change. If
  /// several changes come before an element is taken, the stream yields only one element for them.
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
