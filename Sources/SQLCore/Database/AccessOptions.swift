/// How a connection is used: for how long, and where.
struct AccessOptions: Sendable {
  /// When the access must have ended.
  var deadline: Deadline?
  /// Whether it runs on a thread of the database, wherever it is asked for.
  var hops = false
  /// Whether it may begin inside another access of the same thread, on that access's connection.
  var isReentrant = false
  /// Whether the library asks for it by itself: closing waits for it, and does not find it running.
  var isLook = false
  /// Who asked for it; nil for a single call.
  var place: SourcePlace?

  init(deadline: Duration? = nil, hops: Bool = false, place: SourcePlace? = nil) {
    self.deadline = deadline.map(Deadline.after)
    self.hops = hops
    self.place = place
  }
}

/// Where the closure of an asynchronous read runs.
public enum ReadExecution: Sendable {
  /// Where it is called, while a reader is idle; from the main actor on a thread of the database.
  /// For what is short.
  case caller
  /// On a thread of the database. For what may be long.
  case background
}
