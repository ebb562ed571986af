/// An error thrown when an access does not end before its deadline, as in
/// `db.read(deadline: .seconds(2)) { … }`.
///
/// The running statement was stopped, and a transaction was rolled back.
/// - SeeAlso: <https://www.sqlite.org/c3ref/interrupt.html>
public struct DeadlineExceeded: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence that names the cause.
  public var description: String { "the access took longer than its deadline allows" }
}
