/// The answer of an authorizer.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_deny.html>
public enum AuthorizerDecision: Sendable {
  /// The action is allowed.
  case allow
  /// A column that would be read gives NULL; any other action is skipped without an error.
  case ignore
  /// The statement is rejected with an error.
  case deny
}
