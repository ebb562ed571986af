/// The error that is thrown if the session with a remote engine is lost while a statement or a
/// transaction uses it.
///
/// Outside a transaction, the library opens another session and sends the statement again if it
/// certainly did not run, or if it only reads. The error is therefore thrown for a transaction, for
/// a write that may have run, and for a read that may not be sent again (see `allowsRetry`). It is
/// also thrown if no session could be opened within `Configuration.busyTimeout`.
/// - SeeAlso: <https://www.sqlite.org/lang_transaction.html>
public struct RemoteSessionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The effect of the statement or transaction, as far as it is known.
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
  /// Whether the library may repeat a statement that only reads; true by default.
  ///
  /// An engine sets this to false if its node stopped answering while it ran the statement. The
  /// statement may be the reason: a query without an end would stop one node after another. The
  /// library then sends only two kinds of reads again, because these certainly end: its own
  /// statements, and statements that read no rows in a loop.
  public var allowsRetry: Bool

  /// Creates an error.
  public init(outcome: Outcome, message: String, allowsRetry: Bool = true) {
    self.outcome = outcome
    self.message = message
    self.allowsRetry = allowsRetry
  }

  /// The message, followed by what is known about the effect of the statement or transaction.
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
