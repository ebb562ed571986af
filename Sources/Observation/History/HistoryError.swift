/// An error of undo and redo.
public enum HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The history has no step with this number that can be undone, redone or skipped.
  case unknownStep(Int64)
  /// In a database in UTF-16, a row of this table contained text that is not valid, which SQLite would
  /// not write again as it was.
  case invalidText(table: String)

  /// The error in a sentence, with what to do.
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
