import QueryDSL
import SQLCore

/// A plan that evaluates what commits changed in a reader's snapshot. The snapshot may contain more
/// commits than those, which are then applied together.
protocol SnapshotPlan<Row>: MaintenancePlan {
  /// Returns the change of a result in an open snapshot; nil if it is cheaper to fetch the result.
  func change(
    of window: ResultWindow, by commits: [Commit], with means: MaintenanceMeans,
    on core: ConnectionCore
  ) throws -> ResultChange?
}

/// The number of times that a snapshot is taken again, if it is not known whether it contains a
/// commit that is being made. This takes as long as a writer needs to report a commit.
private let maximumAttempts = 32

extension SnapshotPlan {
  var readsSnapshots: Bool { true }

  func change(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans
  ) async throws -> MaintenanceOutcome {
    try await changeInSnapshot(of: held, by: commits, with: means)
  }

  /// Returns the change that commits make in a held result, evaluated in a new snapshot.
  func changeInSnapshot(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans
  ) async throws -> MaintenanceOutcome {
    guard held.snapshot.otherCount != nil else { return .unknown }
    let hops = commits.reduce(0) { $0 + $1.rowCount } > 64
    for _ in 0..<maximumAttempts {
      let outcome = try await means.watch.reading(hops: hops) { core in
        try self.change(of: held, by: commits, with: means, on: core)
      }
      if let outcome { return outcome }
      await Task.yield()
    }
    return .unknown
  }

  /// Evaluates what the commits changed, in a new snapshot. Returns nil if it is not known at this
  /// moment which commits that snapshot contains.
  private func change(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans, on core: ConnectionCore
  ) throws -> MaintenanceOutcome? {
    let watch = means.watch
    guard let opened = try watch.openSnapshot(on: core, schemaVersion: means.schemaVersion) else {
      return .unknown
    }
    defer { try? core.run(cached: "COMMIT") }
    let snapshot: WatchedSnapshot
    switch watch.following(held.snapshot, opened, on: core) {
    case .known(let known): snapshot = known
    case .others: return .unknown
    case .undecided: return nil
    }
    // Other commits that the snapshot contains are applied with these.
    var commits = commits
    switch watch.takeTouch(through: snapshot.position.last) {
    case .none: break
    case .rows(let later): commits += later
    case .unknown, .schema: return .unknown
    }
    do {
      guard let change = try change(of: held.window, by: commits, with: means, on: core),
        !change.after.isShort
      else { return .unknown }
      return .changed(change, snapshot)
    } catch is ColumnValueError {
      // The first fetch decides whether the value matters.
      return .unknown
    }
  }
}

extension PlanningContext {
  /// Throws a `RerunReason` if it cannot be known which commits a snapshot contains.
  func requireLog() throws {
    if isPrivate { return }
    // While another connection commits, the count is not known for a moment.
    for _ in 0..<maximumAttempts where try connection.use().logChangeCount != nil { return }
    throw RerunReason("the file has no write-ahead log with a shared index")
  }
}
