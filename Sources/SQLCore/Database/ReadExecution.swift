/// The places where the closure of an asynchronous read may run.
public enum ReadExecution: Sendable {
  /// The closure runs where it is called if a reader is idle, but never on the main actor: from
  /// there it moves to a thread of the database. For short reads.
  case caller
  /// The closure runs on a thread of the database. For reads that may take long.
  case background
}
