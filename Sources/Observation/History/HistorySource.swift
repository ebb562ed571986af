import QueryDSL
import SQLCore

/// Where the steps of a history come from: memory, or the change log.
protocol HistorySource: Sendable {
  var updates: HistoryUpdates { get }

  func steps(in database: Database) throws -> HistorySteps
  func steps(in database: Database) async throws -> HistorySteps

  /// Undoes or redoes a step, the next one for nil. Returns nil if there is none.
  func perform(
    _ direction: HistoryDirection, _ id: Int64?, resolving policy: ConflictPolicy,
    on core: ConnectionCore
  ) throws -> HistoryOutcome?
}

/// The two ways through a history.
enum HistoryDirection: Sendable {
  case undo, redo
}

/// What a history records, and how much.
struct HistoryOptions: Sendable {
  let author: String?
  let groupsByLabel: Bool
  let limit: Int
}
