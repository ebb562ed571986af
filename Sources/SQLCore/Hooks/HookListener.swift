import Synchronization

/// A listener: a closure that is called for events of a connection. `onCommit`, `onUpdate` and
/// similar methods add a listener and return this object, by which it can be removed.
///
/// ```swift
/// let listener = try db.onCommit { print("commits") }
/// try db.remove(listener)
/// ```
///
/// The listener is called until you remove it with `try db.remove(listener)`, or until its
/// connection closes. You do not have to keep this value.
/// - SeeAlso: <https://www.sqlite.org/c3ref/commit_hook.html>
public final class HookListener: Sendable {
  private let isRemovedFlag = Atomic<Bool>(false)
  /// The key by which a database finds the listener.
  let key: Registration.Key

  init() {
    key = Registration.Key(
      kind: .listener, name: String(Self.count.add(1, ordering: .relaxed).newValue))
  }

  private static let count = Atomic<UInt64>(0)

  /// Whether the listener was removed. A removed listener is not called again. However, a call that
  /// began before the removal may still be running.
  public var isRemoved: Bool { isRemovedFlag.load(ordering: .acquiring) }

  func remove() { isRemovedFlag.store(true, ordering: .releasing) }
}

/// A listener with its closure.
struct Listening<Body> {
  let listener: HookListener
  let body: Body
}

extension Listening: Sendable where Body: Sendable {}

/// The listeners of one connection, grouped by hook.
///
/// SQLite has one slot for each hook. The function in that slot calls all listeners in the hook's
/// list. A hook is installed only while its list has listeners.
struct HookListeners {
  typealias List<Body> = [Listening<Body>]

  var commit: List<@Sendable () throws -> Void> = []
  var rollback: List<@Sendable () -> Void> = []
  var update: List<@Sendable (UpdateEvent) -> Void> = []
  var preUpdate: List<@Sendable (borrowing PreUpdateEvent) -> Void> = []
  var writeAheadLog: List<@Sendable (WALCommit) -> Void> = []
  var busy: List<@Sendable (Int) throws -> Bool> = []
  var progress: List<ProgressListener> = []
  var trace: List<TraceListener> = []
  var authorizer: List<@Sendable (AuthorizerAction) throws -> AuthorizerDecision> = []

  mutating func purge() {
    commit.removeAll { $0.listener.isRemoved }
    rollback.removeAll { $0.listener.isRemoved }
    update.removeAll { $0.listener.isRemoved }
    preUpdate.removeAll { $0.listener.isRemoved }
    writeAheadLog.removeAll { $0.listener.isRemoved }
    busy.removeAll { $0.listener.isRemoved }
    progress.removeAll { $0.listener.isRemoved }
    trace.removeAll { $0.listener.isRemoved }
    authorizer.removeAll { $0.listener.isRemoved }
  }
}

extension HookListeners.List {
  /// Calls each closure that was in the list when this call began, unless it was removed meanwhile.
  func forEachBody<Body>(
    _ call: (Body) throws -> Void
  ) rethrows where Element == Listening<Body> {
    for listening in self where !listening.listener.isRemoved { try call(listening.body) }
  }
}

extension Registrar {
  /// Adds a listener to a connection, or to all connections of a database.
  func listen<Body: Sendable>(
    _ list: WritableKeyPath<HookListeners, HookListeners.List<Body>> & Sendable, _ body: Body
  ) throws -> HookListener {
    let listener = HookListener()
    try register(
      Registration(listener.key) { core in
        guard !listener.isRemoved else { return }
        let listening = Listening(listener: listener, body: body)
        guard core.state.pointee.hooks.add(listening, to: list) else {
          listener.remove()
          core.purgeListeners()
          throw DatabaseError.sessionIsOpen
        }
        core.installHooks()
      })
    return listener
  }
}

extension Connection {
  /// Removes a listener from this connection. When the last listener of a hook is removed, the hook
  /// is removed from SQLite, unless the library itself needs it.
  public func remove(_ listener: HookListener) throws {
    listener.remove()
    try use().purgeListeners()
  }
}

extension Database {
  /// Removes a listener from every connection. The listener is not called from now on. Each
  /// connection removes its hook when it is next used.
  public func remove(_ listener: HookListener) throws {
    listener.remove()
    access.pool.waits.purge()
    access.registrations.remove(listener.key)
    access.registrations.add(
      Registration(.init(kind: .listener, name: "")) { $0.purgeListeners() })
  }
}

/// The closure of a progress listener, with its interval in steps of SQLite's virtual machine.
final class ProgressListener: Sendable {
  let interval: Int32
  let body: @Sendable () throws -> Void

  init(interval: Int32, body: @escaping @Sendable () throws -> Void) {
    self.interval = interval
    self.body = body
  }
}

extension Registrar {
  /// Calls `body` while a statement waits for a lock that another connection holds. `body` is
  /// called before each new attempt to get the lock. Its argument is the number of earlier calls
  /// during this wait.
  ///
  /// If `body` throws, the wait and the statement end with the message of that error. If `body`
  /// returns true, the statement continues to wait, even beyond the busy timeout. If `body` returns
  /// false, the statement waits as long as the busy timeout allows, as it does without a listener.
  /// While `body` runs, its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/busy_handler.html>
  @discardableResult
  public func onBusy(_ body: @escaping @Sendable (Int) throws -> Bool) throws -> HookListener {
    try listen(\.busy, body)
  }

  /// Calls `body` about every `steps` steps of SQLite's virtual machine while statements run. If
  /// `body` throws, the statement is interrupted and fails with the message of that error.
  ///
  /// Interrupting a statement that writes rolls its transaction back. If several listeners request
  /// different intervals, all of them are called at the shortest one, and at least every 4,000
  /// steps. While `body` runs, its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/progress_handler.html>
  @discardableResult
  public func onProgress(
    every steps: Int = 4_000, _ body: @escaping @Sendable () throws -> Void
  ) throws -> HookListener {
    try listen(
      \.progress, ProgressListener(interval: Int32(clamping: max(1, steps)), body: body))
  }
}

extension HookListeners {
  /// The number of steps between two calls of SQLite's progress handler. The number has an upper
  /// limit, so that a cancelled task ends soon.
  var progressInterval: Int32 {
    progress.reduce(4_000) { min($0, $1.body.interval) }
  }
}
