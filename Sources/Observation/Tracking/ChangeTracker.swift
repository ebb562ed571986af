import SQLCore

/// Records what the writer changes while somebody watches, and tells of it after the commit.
///
/// The registry of those who watch is shared, behind a lock. All else belongs to the writer, and is
/// used by the one access that holds it.
///
/// `@unchecked Sendable`: `recording` is touched only between `writeWillBegin` and `writeDidEnd`,
/// and in the hooks that run in between, which the lease of the writer makes serial.
final class ChangeTracker: @unchecked Sendable {
  private struct Registry {
    var subscriptions: [UInt64: Subscription] = [:]
    var nextID: UInt64 = 0
    /// Those with a smaller id were there when the current access to the writer began.
    var covered: UInt64 = 0
    /// Counts additions and removals.
    var version = 0
  }

  private let registry = Lock(Registry())
  private var recording: Recording?
  private var recordedVersion = -1

  /// The tracker of a database, made when somebody first watches.
  static func of(_ database: Database) -> ChangeTracker? {
    database.writeObserver { ChangeTracker() }
  }

  // MARK: Who watches

  /// Adds a subscription; from the next access to the writer on, its tables are recorded.
  func add(_ subscription: Subscription) -> UInt64 {
    registry.withLock { registry in
      defer {
        registry.nextID += 1
        registry.version += 1
      }
      registry.subscriptions[registry.nextID] = subscription
      return registry.nextID
    }
  }

  /// Removes a subscription; the hook goes with the last, when the next write begins.
  func remove(_ id: UInt64) {
    // What a subscription holds is released outside the lock.
    _ = registry.withLock { registry in
      registry.version += 1
      return registry.subscriptions.removeValue(forKey: id)
    }
  }
}

extension ChangeTracker: WriteObserver {
  /// Installs the hook for those who watch now, or takes it away where nobody does.
  func writeWillBegin(on core: ConnectionCore) throws {
    let (version, subscriptions) = registry.withLock { registry in
      registry.covered = registry.nextID
      return (
        registry.version,
        registry.version == recordedVersion ? nil : Array(registry.subscriptions.values)
      )
    }
    guard let subscriptions else { return }
    recordedVersion = version
    if subscriptions.isEmpty {
      recording = nil
      if core.observer != nil { try core.setObserver(nil) }
    } else {
      recording = Recording(of: subscriptions)
      if core.observer == nil { try core.setObserver(self) }
    }
  }

  /// Those who came during the access saw nothing of it: they are told that something may have
  /// changed.
  func writeDidEnd(on core: ConnectionCore) {
    let late = registry.withLock { registry in
      defer { registry.covered = registry.nextID }
      let covered = registry.covered
      return registry.subscriptions.filter { $0.key >= covered }.map(\.value)
    }
    for subscription in late {
      subscription.deliver(CommittedChanges(isUnknown: true))
    }
  }

  /// Anything may have changed, and no hook told of it.
  func contentWasReplaced(on core: ConnectionCore) {
    publish(CommittedChanges(isUnknown: true))
  }
}

extension ChangeTracker: ConnectionObserver {
  func statementWillRun(_ statement: StatementPointer, on core: ConnectionCore) {
    guard var recording else { return }
    // The state moves out and back, so that a statement of our own does not copy the log.
    self.recording = nil
    recording.statementWillRun(statement, on: core)
    self.recording = recording
  }

  func statementDidRun(_ statement: StatementPointer, failed: Bool, on core: ConnectionCore) {
    guard var recording else { return }
    self.recording = nil
    let committed = recording.statementDidRun(statement, failed: failed, on: core)
    self.recording = recording
    if let committed { publish(committed) }
  }

  func rowWillChange(_ event: borrowing PreUpdateEvent) {
    recording?.rowWillChange(event)
  }

  func commitHookDidFire() { recording?.commitHookDidFire() }
  func rollbackHookDidFire() { recording?.rollbackHookDidFire() }

  /// Tells those who were there when the access began.
  private func publish(_ changes: CommittedChanges) {
    let subscriptions = registry.withLock { registry in
      let covered = registry.covered
      return registry.subscriptions.filter { $0.key < covered }.sorted { $0.key < $1.key }
        .map(\.value)
    }
    for subscription in subscriptions {
      let isConcerned = subscription.tables.keys.contains { changes.tables[$0] != nil }
      if changes.isUnknown || isConcerned {
        subscription.deliver(changes)
      }
    }
  }
}
