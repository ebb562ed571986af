/// The error for a session with an engine that was lost while it was in use.
///
/// Outside a transaction, the library sends a statement again if the statement certainly did not
/// run, or if it only reads. If `allowsRetry` is false, the library does not send it again. The
/// error is therefore thrown for a write, for a transaction, and for a statement that may have no
/// end. It is also thrown if no session could be opened within `Configuration.busyTimeout`.
/// - SeeAlso: <https://www.sqlite.org/lang_transaction.html>
public struct RemoteSessionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The known effect of the statement or transaction.
  public enum Outcome: Hashable, Sendable {
    /// Nothing was changed: the statement was not run, or the transaction was rolled back.
    case notRun
    /// It is not known whether the change was committed.
    case unknown
  }

  /// Whether the statement or transaction took effect, if that is known.
  public var outcome: Outcome
  /// What happened to the session.
  public var message: String
  /// Whether the library may send the statement again; true by default.
  ///
  /// An engine sets this to false if its node stopped answering while it ran the statement. The
  /// statement may be the reason: a query without an end would stop one node after another. The
  /// library then repeats only its own statements, and statements that read no rows in a loop,
  /// because these certainly end.
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
