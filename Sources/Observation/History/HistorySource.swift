import QueryDSL
import SQLCore

/// Where the steps of a history come from: memory, or the change log.
protocol HistorySource: Sendable {
  var updates: HistoryUpdates { get }
  /// Whether the source needs to see all that an undo changes, since nothing else keeps it.
  var needsWitness: Bool { get }

  func steps(in database: Database) throws -> HistorySteps
  func steps(in database: Database) async throws -> HistorySteps

  /// Undoes, redoes or skips a step, the next one for nil. Returns nil if there is none.
  ///
  /// - Parameter witness: sees the commit, if the source needs it.
  func perform(
    _ action: HistoryAction, _ step: HistoryStep?, resolving policy: ConflictPolicy,
    on core: ConnectionCore, _ witness: HistoryWitness
  ) throws -> HistoryOutcome?
}

/// An action on a step of a history.
enum HistoryAction: Sendable {
  case undo, redo
  /// The step is taken out of the history, and its rows stay as they are.
  case skip
}

/// What a history records, and how much.
struct HistoryOptions: Sendable {
  let author: String?
  let groupsByLabel: Bool
  let limit: Int
}

/// An observer of all tables during an undo. It sees what the undo changes in tables outside the
/// history, so that a redo can take that back as well.
final class HistoryWitness: CommitReceiver {
  private let changes = Lock<WriteChanges?>(nil)

  func append(_ commit: Commit) { changes.withLock { $0 = commit.writes.last } }
  func end() {}

  /// Returns the changes of the last commit, once.
  func take() -> WriteChanges? {
    changes.withLock { changes in
      defer { changes = nil }
      return changes
    }
  }
}

extension HistoryStep {
  /// Runs a closure that undoes or redoes the step, so that its conflicts name the step.
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
