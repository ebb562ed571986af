import SQLCore

/// An error of the change log.
public enum LogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The database has no change log.
  case noLog
  /// Entries after this position were purged before they were read.
  case expired(position: Int64, purged: Int64)
  /// No cursor has this name.
  case unknownCursor(String)
  /// Transactions of another database are missing between those that were applied and these.
  case missingTransactions(source: String, after: Int64, before: Int64)

  /// The error in a sentence, with what to do.
  public var description: String {
    switch self {
    case .noLog:
      "the database has no change log; declare `Logged()` in the schema of a model, and open the "
        + "database with the model"
    case .expired(let position, let purged):
      "the change log was purged up to entry \(purged), so the changes after entry \(position) are "
        + "incomplete; in one read, copy the logged tables and take `logPosition()`, and continue "
        + "from there: for a cursor, `db.log.cursor(_:startingAfter:)` with that position"
    case .unknownCursor(let name):
      "the change log has no cursor named \(name.debugDescription); create it by "
        + "`db.log.cursor(_:startingAfter:)`"
    case .missingTransactions(let source, let after, let before):
      "the transactions after \(after) and up to \(before) of the database \(source) have not been "
        + "applied; ask it for a batch after \(after)"
    }
  }
}
