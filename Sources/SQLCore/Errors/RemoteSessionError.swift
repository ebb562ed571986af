/// An error of a session with an engine that was lost while it was used.
///
/// Outside a transaction, a statement that certainly was not run is sent again, as is one that only
/// reads. So this is thrown for a write, for a transaction, or when no session could be opened
/// within `Configuration.busyTimeout`.
/// - SeeAlso: <https://www.sqlite.org/lang_transaction.html>
public struct RemoteSessionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The effect of the statement or transaction, as far as it is known.
  public enum Outcome: Hashable, Sendable {
    /// Nothing was changed: the statement was not run, or the transaction was rolled back.
    case notRun
    /// The change may have been committed, or not.
    case unknown
  }

  /// Whether the statement or transaction took effect, as far as that is known.
  public var outcome: Outcome
  /// What happened to the session.
  public var message: String

  /// Creates an error.
  public init(outcome: Outcome, message: String) {
    self.outcome = outcome
    self.message = message
  }

  /// The message, and what is known.
  public var description: String {
    switch outcome {
    case .notRun: "\(message); nothing was changed, so it can be tried again"
    case .unknown:
      "\(message); whether the change was committed is unknown: look before you try again"
    }
  }
}
