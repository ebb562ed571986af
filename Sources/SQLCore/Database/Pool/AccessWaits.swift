import Synchronization

/// A report from `db.onWait` about an access that had to wait for a connection.
///
/// ```swift
/// let listener = db.onWait { wait in print(wait.lane, wait.duration) }
/// ```
public struct AccessWait: Hashable, Sendable {
  /// The connections that serve one kind of access, as in `PoolStatus`.
  public enum Lane: String, Hashable, Sendable, CaseIterable {
    /// The connection that writes. In memory, and without readers, it serves all accesses.
    case writer
    /// The connections of reads.
    case readers
    /// The connections of streams of rows.
    case streams
    /// The connections on which live queries run again.
    case live
  }

  /// The kind of connection for which the access waited.
  public let lane: Lane
  /// The duration of the wait.
  public let duration: Duration
  /// Whether the access got a connection. Otherwise its task was cancelled, or its deadline passed.
  public let wasGranted: Bool
}

extension Database {
  /// Calls `body` for each access that had to wait for a connection, when the wait ends.
  ///
  /// ```swift
  /// let listener = db.onWait { wait in print(wait.lane, wait.duration) }
  /// try db.remove(listener)
  /// ```
  ///
  /// An access that finds an idle connection, or may open a new one, does not wait. If a write
  /// joins the transaction of earlier writes, its wait ends at that moment. `body` must not use the
  /// database. While `body` runs, another access may be delayed.
  ///
  /// With a listener, each wait reads the clock twice. Without a listener, each wait costs one
  /// comparison.
  @discardableResult
  public func onWait(_ body: @escaping @Sendable (AccessWait) -> Void) -> HookListener {
    let listener = HookListener()
    access.pool.waits.add(Listening(listener: listener, body: body))
    return listener
  }
}

/// The listeners of `db.onWait`. They are notified when an access has waited for a connection.
final class AccessWaits: Sendable {
  private typealias Listeners = HookListeners.List<@Sendable (AccessWait) -> Void>

  /// A wait that has begun. When it ends, the listeners of `waits` are notified.
  struct Running: Sendable {
    let lane: AccessWait.Lane
    let start = Deadline.now
    let waits: AccessWaits

    func end(wasGranted: Bool) {
      let nanoseconds = Deadline.now.nanoseconds &- start.nanoseconds
      waits.report(
        AccessWait(
          lane: lane, duration: .nanoseconds(Int64(clamping: nanoseconds)), wasGranted: wasGranted))
    }
  }

  private let listeners = Lock<Listeners>([])
  private let isObserved = Atomic<Bool>(false)

  /// Begins a wait. Returns nil if there are no listeners.
  func begin(_ lane: ConnectionPool.LaneName) -> Running? {
    guard isObserved.load(ordering: .acquiring) else { return nil }
    return Running(lane: lane.publicLane, waits: self)
  }

  func add(_ listening: Listening<@Sendable (AccessWait) -> Void>) {
    listeners.withLock { $0.append(listening) }
    isObserved.store(true, ordering: .releasing)
  }

  /// Releases the closures of listeners that were removed.
  func purge() {
    // The removed closures are returned by this closure, so that they are released only after the
    // lock is released.
    let removed = listeners.withLock { listeners -> Listeners in
      let removed = listeners.filter { $0.listener.isRemoved }
      listeners.removeAll { $0.listener.isRemoved }
      isObserved.store(!listeners.isEmpty, ordering: .releasing)
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  private func report(_ wait: AccessWait) {
    listeners.withLock { $0 }.forEachBody { $0(wait) }
  }
}

extension ConnectionPool.LaneName {
  fileprivate var publicLane: AccessWait.Lane {
    switch self {
    case .writer: .writer
    case .reader: .readers
    case .stream: .streams
    case .live: .live
    }
  }
}
