/// An error of a session with an engine that was lost while it was used.
///
/// Outside a transaction, the library sends a statement again if the statement certainly did not
/// run or only reads, unless `allowsRetry` is false. So this is thrown for a write, for a
/// transaction, for a statement that may have no end, or when no session could be opened within
/// `Configuration.busyTimeout`.
/// - SeeAlso: <https://www.sqlite.org/lang_transaction.html>
public struct RemoteSessionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The known effect of the statement or transaction.
  public enum Outcome: Hashable, Sendable {
    /// Nothing was changed: the statement was not run, or the transaction was rolled back.
    case notRun
    /// The change may have been committed, or not.
    case unknown
  }

  /// Whether the statement or transaction took effect, if that is known.
  public var outcome: Outcome
  /// What happened to the session.
  public var message: String
  /// Whether the library may send the statement again; true by default.
  ///
  /// An engine says false if its node stopped answering while it ran the statement. The statement
  /// may be the reason: a query without an end would stop one node after another. The library then
  /// repeats only its own statements, and statements that read no rows in a loop, because these
  /// certainly end.
  public var allowsRetry: Bool

  /// Creates an error.
  public init(outcome: Outcome, message: String, allowsRetry: Bool = true) {
    self.outcome = outcome
    self.message = message
    self.allowsRetry = allowsRetry
  }

  /// The message, and the known effect.
  public var description: String {
    switch outcome {
    case .notRun where !allowsRetry:
      "\(message); nothing was changed, and the statement was not sent again, because one without an "
        + "end would stop the next node as well: make sure that it ends before you try again"
    case .notRun: "\(message); nothing was changed, so it can be tried again"
    case .unknown:
      "\(message); whether the change was committed is unknown: look before you try again"
    }
  }
}
