/// An error thrown for a write that was undone because another write, with which it shared its
/// transaction, made SQLite roll back the whole transaction.
///
/// The write can be run again; `write(alone: true)` does not share its transaction.
/// - SeeAlso: <https://www.sqlite.org/lang_savepoint.html>
public struct SharedTransactionRolledBack: Error, CustomStringConvertible {
  /// The error that made SQLite roll back.
  public let cause: any Error

  /// A sentence that names the cause.
  public var description: String {
    "the write was undone together with another write of the same transaction; run it again, or "
      + "use `write(alone: true)`: \(cause)"
  }
}
