/// The steps of a history at one moment.
public struct HistorySteps: Hashable, Sendable {
  /// The steps that can be undone, in the order in which they were made.
  public let undoable: [HistoryStep]
  /// The steps that can be redone. The one that was undone last is the last.
  public let redoable: [HistoryStep]

  init<Transaction>(_ stack: HistoryStack<Transaction>) {
    undoable = stack.done.map(\.step)
    redoable = stack.undone.map(\.step)
  }
}
