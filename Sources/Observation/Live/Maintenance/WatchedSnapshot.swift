import SQLCore

/// A description of the commits that a snapshot contains: the writer's own commits and, if it is
/// known, a count of the commits of other connections.
struct WatchedSnapshot: Sendable {
  /// The writer's commits that the snapshot contains.
  var position: CommitClock.Position
  /// A number that changes with each commit of another connection. If two snapshots have the same
  /// number, no other connection committed between them. The number itself has no meaning, because
  /// the counting starts at any value. Nil if the number is not known.
  var otherCount: UInt32?

  init(position: CommitClock.Position, otherCount: UInt32? = nil) {
    self.position = position
    self.otherCount = otherCount
  }

  /// Creates the description of a result that was calculated without reading a snapshot. The result
  /// contains the writer's commits up to the commit with the number `last`.
  init(containing last: UInt64) {
    position = CommitClock.Position(last: last, mayContainNext: false)
  }
}

extension TableWatch {
  /// Begins a read transaction and returns the commits that its snapshot contains. If the schema
  /// has another version than the given version, ends the transaction and returns nil.
  func openSnapshot(
    on core: ConnectionCore, schemaVersion: Int32
  ) throws -> WatchedSnapshot? {
    var isKnown = true
    let position = try opening {
      try core.run(cached: "BEGIN DEFERRED")
      // BEGIN DEFERRED takes no snapshot. SQLite takes the snapshot at the first read, which is
      // this one.
      isKnown = try core.schemaVersion() == schemaVersion
    } close: {
      try core.run(cached: "ROLLBACK")
    }
    guard isKnown else {
      try core.run(cached: "ROLLBACK")
      return nil
    }
    return WatchedSnapshot(position: position)
  }

  /// Returns the snapshot with `otherCount` set, so that later snapshots can be compared with it.
  /// If the writer has committed since the snapshot was opened, `otherCount` stays nil.
  func countingOthers(in snapshot: WatchedSnapshot, on core: ConnectionCore) -> WatchedSnapshot {
    var snapshot = snapshot
    let count = otherCount(in: snapshot.position, on: core)
    if isLast(snapshot.position.last) { snapshot.otherCount = count }
    return snapshot
  }

  /// The outcome of comparing a snapshot with an earlier snapshot.
  enum Following {
    /// The snapshot contains the same commits of other connections as the earlier snapshot, and
    /// every commit of the writer in the snapshot was delivered to the observers.
    case known(WatchedSnapshot)
    /// The snapshot contains commits of other connections that the earlier snapshot lacks.
    case others
    /// The snapshots cannot be compared now, because the writer is reporting a commit.
    case undecided
  }

  /// Compares a snapshot with an earlier snapshot.
  func following(
    _ earlier: WatchedSnapshot, _ snapshot: WatchedSnapshot, on core: ConnectionCore
  ) -> Following {
    guard let known = earlier.otherCount else { return .others }
    guard snapshot.position.isDelivered,
      let count = otherCount(in: snapshot.position, on: core)
    else { return .undecided }
    // The index of the write-ahead log counts all commits up to now, including commits after the
    // snapshot. If the count is the same as for the earlier snapshot, the snapshot contains no new
    // commits of other connections. If the count differs, the difference may also come from later
    // commits of the writer, unless the writer has begun none since the snapshot.
    guard count == known else { return isLast(snapshot.position.last) ? .others : .undecided }
    guard !isPrivate || !snapshot.position.mayContainNext else { return .undecided }
    var snapshot = snapshot
    snapshot.position.mayContainNext = false
    snapshot.otherCount = known
    return .known(snapshot)
  }

  private func otherCount(
    in position: CommitClock.Position, on core: ConnectionCore
  ) -> UInt32? {
    if isPrivate { return 0 }
    return core.logChangeCount.map {
      $0 &- UInt32(truncatingIfNeeded: position.loggedCount)
    }
  }

  /// Whether no other connection can commit to the database.
  var isPrivate: Bool { database.realPath == nil && !database.isRemote }
}
