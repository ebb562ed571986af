import SQLCore

/// The commits that a snapshot of the database contains, if they are known.
struct WatchedSnapshot: Sendable {
  /// The commits of the writer.
  var position: CommitClock.Position
  /// The number of commits of other connections, starting anywhere: if two snapshots have the same
  /// number, no other connection committed between them. Nil if it is not known.
  var otherCount: UInt32?

  init(position: CommitClock.Position, otherCount: UInt32? = nil) {
    self.position = position
    self.otherCount = otherCount
  }

  /// Describes a result that was calculated up to a commit without reading a snapshot.
  init(containing last: UInt64) {
    position = CommitClock.Position(last: last, mayContainNext: false)
  }
}

extension TableWatch {
  /// Begins a read transaction and returns the commits that its snapshot contains. Returns nil, and
  /// ends the transaction, if the schema has another version than the given one.
  func openSnapshot(
    on core: ConnectionCore, schemaVersion: Int32
  ) throws -> WatchedSnapshot? {
    var isKnown = true
    let position = try opening {
      try core.run(cached: "BEGIN DEFERRED")
      // The first read takes the snapshot.
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

  /// Returns the snapshot with the number of commits of other connections, so that later snapshots
  /// can be compared with it. The number stays unknown if the writer has committed since the
  /// snapshot was opened.
  func countingOthers(in snapshot: WatchedSnapshot, on core: ConnectionCore) -> WatchedSnapshot {
    var snapshot = snapshot
    let count = otherCount(in: snapshot.position, on: core)
    if isLast(snapshot.position.last) { snapshot.otherCount = count }
    return snapshot
  }

  /// The contents of a snapshot, compared with an earlier snapshot.
  enum Following {
    /// The snapshot has the same commits of other connections as the earlier snapshot. It has no
    /// commit of the writer that the observers have not received, and nothing of a commit in
    /// progress.
    case known(WatchedSnapshot)
    /// It contains commits of other connections that the earlier one lacks.
    case others
    /// The contents cannot be compared while the writer reports a commit.
    case undecided
  }

  /// Compares a snapshot with an earlier one.
  func following(
    _ earlier: WatchedSnapshot, _ snapshot: WatchedSnapshot, on core: ConnectionCore
  ) -> Following {
    guard let known = earlier.otherCount else { return .others }
    guard snapshot.position.isDelivered,
      let count = otherCount(in: snapshot.position, on: core)
    else { return .undecided }
    // The log's index counts all commits until now. If the count equals the count of the position,
    // the snapshot contains no other commits.
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
