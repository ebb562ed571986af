import ChangeObservation
import QueryDSL

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A step of a history: one transaction, or consecutive transactions with the same label if the
/// history groups them.
///
/// ```swift
/// let history = try History(of: [Post.self], in: db)
/// for step in try history.steps().undoable { print(step.date, step.label ?? "") }
/// ```
public struct HistoryStep: Hashable, Sendable, Identifiable {
  /// The number of the step in its history. It stays the same when the step is undone and redone.
  public let id: Int64
  /// The label of the step's transactions, as in `db.write(label: "Rename") { … }`; nil without a
  /// label.
  public let label: String?
  /// The author of the step's transactions; nil without an author.
  public let author: String?
  /// The time of the step's first transaction, by the clock of the program that wrote it.
  public let date: Date
  /// The position of the step's last transaction. If the history later adds transactions to the
  /// step, this copy of the step still ends here. Undoing this copy does not undo the added
  /// transactions.
  ///
  /// The position also has the epoch of the log, or of the history in memory. So a transaction with
  /// the same number in another history, or in a restored file, is not taken for this step.
  let last: LogPosition
}

/// The steps of a history at one moment.
public struct HistorySteps: Hashable, Sendable {
  /// The steps that can be undone, in the order in which they were made or redone.
  public let undoable: [HistoryStep]
  /// The steps that can be redone. The last element is the step that was undone last.
  public let redoable: [HistoryStep]

  init<Transaction>(_ stack: HistoryStack<Transaction>) {
    undoable = stack.done.map(\.step)
    redoable = stack.undone.map(\.step)
  }
}

/// The result of an undo or a redo.
public struct HistoryOutcome: Hashable, Sendable {
  /// The step that was undone or redone.
  public let step: HistoryStep
  /// The conflicts, with the decisions of the policy.
  public let conflicts: [ResolvedConflict]
}

/// An error of undo and redo.
public enum HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The history has no step with this number that can be undone, redone or skipped.
  case unknownStep(Int64)
  /// In a database in UTF-16, a row of this table contained invalid text, which SQLite would not
  /// write back unchanged.
  case invalidText(table: String)

  /// The error in a sentence, with advice.
  public var description: String {
    switch self {
    case .unknownStep(let id):
      "the history has no step \(id) to undo or redo; it was undone already, a new change replaced "
        + "it, or it was dropped with the oldest steps: ask for the present steps"
    case .invalidText(let table):
      "a transaction cannot be undone, because a row of \(table) contained text that is not valid "
        + "UTF-16, which SQLite would write back as another text; skip the step"
    }
  }
}
