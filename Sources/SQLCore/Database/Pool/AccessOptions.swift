/// The options of an access to a connection: its deadline, its thread and its origin.
struct AccessOptions: Sendable {
  /// The time by which the access must have ended.
  var deadline: Deadline?
  /// Whether the access always runs on a thread of the database.
  var hops = false
  /// Whether the access may begin inside another access of the same thread, on that access's
  /// connection.
  var isReentrant = false
  /// Whether the access is a probe. Closing the database waits for a probe instead of throwing
  /// `.busy`.
  var isProbe = false
  /// Whether the access may read from the snapshot that its connection has kept. Otherwise the
  /// snapshot ends before the access begins.
  var usesKeptSnapshot = false
  /// The place in the source that requested the access; nil for an access of the
  /// library's own.
  var place: SourcePlace?

  init(deadline: Duration? = nil, hops: Bool = false, place: SourcePlace? = nil) {
    self.deadline = deadline.map(Deadline.after)
    self.hops = hops
    self.place = place
  }
}
