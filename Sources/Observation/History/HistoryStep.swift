import QueryDSL

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A step of a history: one transaction, or consecutive ones with the same label.
public struct HistoryStep: Hashable, Sendable, Identifiable {
  /// The number of the step in its history. It keeps it when it is undone and redone.
  public let id: Int64
  /// The label of its transactions, as in `db.write(label: "Rename") { … }`; nil if they have none.
  public let label: String?
  /// The author of its transactions; nil if they name none.
  public let author: String?
  /// The time of its first transaction, by the clock of the program that wrote.
  public let date: Date
}

/// What an undo or a redo did.
public struct HistoryOutcome: Hashable, Sendable {
  /// The step that was undone or redone.
  public let step: HistoryStep
  /// The conflicts that the policy decided.
  public let conflicts: [ResolvedConflict]
}
