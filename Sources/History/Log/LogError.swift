import QueryDSL
import SQLCore

/// An error of the change log.
public enum LogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The database has no change log.
  case noLog
  /// Entries after this position were purged before they were read.
  case expired(position: LogPosition, purged: LogPosition)
  /// The log of the database with this identity has no entry at this position. The file was
  /// restored from a backup, or another copy of the file was written.
  case unknownPosition(LogPosition, newest: LogPosition, database: String)
  /// No cursor has this name.
  case unknownCursor(String)
  /// Transactions of another database are missing: the batch does not begin directly after the
  /// transactions that were applied before.
  case missingTransactions(source: String, after: LogPosition, before: LogPosition)
  /// The log of another database lacks changes of these tables up to a position. A migration began
  /// to log tables that existed already, or it changed values in them, or it found that a trigger
  /// or a column of the log was missing.
  case incomplete(source: String, tables: [String], position: LogPosition)
  /// After the batch is applied, more changes from other databases would wait in this database than
  /// the limit allows.
  case tooManyWaiting(LogWaiting, limit: Int)
  /// A batch comes from a database with the same identity as this one.
  case sameIdentity(String)

  /// The error in a sentence, with advice.
  public var description: String {
    switch self {
    case .noLog:
      "the database has no change log; declare `Logged()` in the schema of a model, and open the "
        + "database with the model"
    case .expired(let position, let purged):
      "the change log was purged up to entry \(purged), so the changes after entry \(position) are "
        + "incomplete; in one read, copy the logged tables and take `logPosition()`, and continue "
        + "from there: for a cursor, `db.log.cursor(_:startingAfter:)` with that position"
    case .unknownPosition(let position, let newest, let database):
      "the change log of the database \(database) does not have the entry \(position), and ends at "
        + "\(newest): the file was restored from a backup, or another copy of it was written; a "
        + "reader must take back what followed from entries that are gone, and continue from a copy "
        + "of the logged tables and its `logPosition()`; in a database that applies batches, "
        + "`connection.setAppliedLogPosition(.start, of:)` begins again, without applying a "
        + "transaction twice; a `History` is created again, and asked for its steps"
    case .unknownCursor(let name):
      "the change log has no cursor named \(name.debugDescription); create it by "
        + "`db.log.cursor(_:startingAfter:)`"
    case .missingTransactions(let source, let after, let before):
      "the transactions after \(after) and up to \(before) of the database \(source) have not been "
        + "applied; ask it for a batch after \(after)"
    case .incomplete(let source, let tables, let position):
      "the log of the database \(source) lacks changes of \(tables.joined(separator: ", ")) up to "
        + "\(position), which a migration made; copy these tables from it, unless the same migration "
        + "ran here, and continue by `connection.setAppliedLogPosition(_:of:)` with that position or "
        + "the position of the copy"
    case .tooManyWaiting(let waiting, let limit):
      "no more than \(limit) changes may wait, and with this batch \(waiting); nothing of it was "
        + "applied: update this database to the models of the other one, apply what is missing, "
        + "raise `waitingLimit`, or let a `ConflictPolicy` answer `.discard`"
    case .sameIdentity(let identity):
      "the batch comes from a database with the identity of this one, \(identity); if one file is a "
        + "copy of the other, call `db.log.renewIdentity()` in the copy"
    }
  }
}
