/// The ways in which a transaction takes its locks.
///
/// - SeeAlso: <https://www.sqlite.org/lang_transaction.html>
public enum TransactionKind: String, Sendable {
  /// Takes locks when statements need them. A transaction that reads first and then writes fails
  /// immediately if another connection has written in between.
  case deferred = "BEGIN DEFERRED"
  /// Takes the write lock at the beginning, and waits for it as long as the busy timeout allows.
  case immediate = "BEGIN IMMEDIATE"
  /// In WAL mode the same as `immediate`. In other modes it also locks readers out.
  case exclusive = "BEGIN EXCLUSIVE"
}
