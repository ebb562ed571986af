import SQLCore
import Synchronization

/// The tracker of a database's changes. While there are subscriptions, the tracker records the
/// writer's changes and delivers its commits to the subscriptions.
///
/// A lock guards the registry of subscriptions; no user code runs under the lock. The state of the
/// writer is not locked, because only the access that holds the writer uses it.
///
/// `@unchecked Sendable`: only the access that holds the writer's lease uses `recordedVersion`,
/// `covered` and `foreignCommits`.
package final class ChangeTracker: @unchecked Sendable {
  private let registry = Lock(SubscriptionRegistry())
  let clock = CommitClock()
  private let foreignCommits = ForeignCommits()
  private let granularity: Recorder.Granularity
  /// The version of the registry when the recorder was created.
  private var recordedVersion = 0
  /// Subscriptions with an id below this number existed when the current access to the writer
  /// began.
  private var covered: UInt64 = 0
  /// Copies of the registry's `version` and `nextID`, which each write reads without taking the
  /// lock.
  private let version = Atomic<Int>(0)
  private let nextID = Atomic<UInt64>(0)
  private let sharedEvaluators = Lock<EvaluatorPool?>(nil)
  /// The results that observers of the same query share.
  let sharedResults = SharedResults()
  let knownRoutes = KnownRoutes()
  /// The estimated number of bytes that the maintained queries hold.
  let heldBytes = Atomic<Int>(0)
  /// The number of times that the whole content of the database was replaced.
  let replacements = Atomic<UInt64>(0)
  private let file = SharedFileWatch<FileWatch?>()
  private let reruns = Lock<RerunReporting?>(nil)

  init(granularity: Recorder.Granularity) {
    self.granularity = granularity
  }

  /// Returns the tracker of a database; creates it for the first observer. Returns nil if the
  /// database has a write observer of another type.
  package static func of(_ database: Database) -> ChangeTracker? {
    database.writeObserver {
      let seesRows = ConnectionCore.hasPreUpdateHook && !database.isRemote
      return ChangeTracker(granularity: seesRows ? .rows : .tables)
    }
  }

  // MARK: Subscriptions

  /// Whether commits are recorded row by row. If not, only the changed tables are recorded.
  var seesRows: Bool { granularity == .rows }

  /// Adds a subscription. The changes of its tables are recorded from the next access to the writer
  /// on.
  package func add(_ subscription: Subscription) -> UInt64 {
    changing { $0.add(subscription) }
  }

  /// Adds a subscription. As long as the subscription exists, also watches the file for commits of
  /// other connections.
  ///
  /// If the database is closed already, the subscription ends at once.
  package func watch(_ subscription: Subscription, in database: Database) -> UInt64 {
    var subscription = subscription
    subscription.watchesFile = database.realPath != nil || database.isRemote
    let id = add(subscription)
    if subscription.watchesFile { file.begin { FileWatch(of: database, tracker: self) } }
    // Closing the database ends the subscriptions that exist at that moment. A subscription that is
    // added afterwards is ended here.
    if database.isClosed { subscription.queue.end() }
    return id
  }

  /// Changes the registry, and then copies its version and its next id. The version is copied
  /// first, so that a thread that sees a new id also sees the version of that change.
  private func changing<Result: Sendable>(
    _ body: (inout SubscriptionRegistry) -> Result
  ) -> Result {
    registry.withLock { registry in
      let result = body(&registry)
      version.store(registry.version, ordering: .sequentiallyConsistent)
      nextID.store(registry.nextID, ordering: .sequentiallyConsistent)
      return result
    }
  }

  /// Removes a subscription. If it was the last subscription, the next write removes the hook.
  package func remove(_ id: UInt64) {
    // The objects that a subscription holds are released outside the lock.
    let subscription = changing { $0.remove(id) }
    if subscription?.watchesFile == true { file.end() }
  }

  /// Whether there are any subscriptions.
  var isWatching: Bool { registry.withLock { !$0.isEmpty } }

  /// The number of tables, rows and subscriptions that were examined so far to find affected
  /// subscriptions.
  var lookupCount: Int { registry.withLock { $0.lookupCount } }

  /// Whether the file is watched for commits of other processes.
  var watchesFile: Bool { file.isWatched }

  /// Returns the evaluators that run queries over single rows. All subscriptions share them.
  func evaluators(for database: Database) -> RowEvaluators {
    sharedEvaluators.withLock { evaluators in
      let known = evaluators ?? EvaluatorPool(of: database)
      evaluators = known
      return RowEvaluators(known)
    }
  }

  /// Sets the closure that reports live queries that run again.
  func reportReruns(_ reporting: RerunReporting?) {
    // The former closure is released outside the lock.
    _ = reruns.withLock { known in
      defer { known = reporting }
      return known
    }
  }

  /// The closure that reports live queries that run again; nil if none is set.
  var rerunReporting: RerunReporting? { reruns.withLock { $0 } }

  /// Reports to the observers an event after which every table counts as changed.
  ///
  /// - Parameter onlyLive: whether to report the event only to live subscriptions, which find out
  ///   themselves what changed.
  func publish(everything event: TableEvent, onlyLive: Bool) {
    wake(append(everything: event, onlyLive: onlyLive))
  }

  /// Appends an event, after which every table counts as changed, to the queues of subscriptions.
  /// Returns these subscriptions.
  private func append(everything event: TableEvent, onlyLive: Bool) -> [Subscription] {
    append(
      Commit(everything: event),
      to: registry.withLock { $0.all }.filter { $0.isLive || !onlyLive })
  }

  private func append(_ commit: Commit, to subscriptions: [Subscription]) -> [Subscription] {
    for subscription in subscriptions { subscription.queue.append(commit) }
    return subscriptions
  }

  private func wake(_ subscriptions: [Subscription]) {
    for subscription in subscriptions { subscription.queue.wake() }
  }

  /// Delivers a commit of the writer. If other connections committed before this commit, first
  /// reports to the observers that other connections committed.
  ///
  /// The observers are woken only after all of them have received the commit. An observer that is
  /// woken earlier could open a snapshot that contains a commit which the observer has not received
  /// yet. It could not use such a snapshot to update its result.
  ///
  /// - Parameter ask: a closure that answers a `RouteQuestion`; it returns nil if the answer is not
  ///   known.
  private func publish(
    _ commit: Commit?, _ finding: ForeignCommits.Finding,
    asking ask: (RouteQuestion) -> [[DatabaseValue]]? = { _ in nil }
  ) {
    var (others, receivers): ([Subscription], [Subscription]) = ([], [])
    defer {
      clock.didDeliver()
      wake(others)
      wake(receivers)
    }
    switch finding {
    case .none: break
    // Another connection may have committed, perhaps before the watching began. This matters only
    // to live observers, which may have fetched before that commit.
    case .unknown: others = append(everything: .changedElsewhere, onlyLive: true)
    case .some: others = append(everything: .changedElsewhere, onlyLive: false)
    }
    guard let commit else { return }
    var (concerned, end) = registry.withLock { registry in
      // Subscriptions may have been added during the access to the writer. If the registry's
      // version has not changed, everything that they watch was recorded anyway. They have missed
      // nothing, so they receive the commit, too.
      let end = registry.version == recordedVersion ? registry.nextID : covered
      return (registry.concerned(by: commit), end)
    }
    // No lock is held while a statement runs.
    for question in concerned.questions {
      let answer = ask(question)
      concerned.ids.formUnion(registry.withLock { $0.concerned(by: question, answer) })
    }
    let ids = concerned.ids
    receivers = append(commit, to: registry.withLock { $0.subscriptions(ids, before: end) })
  }
}

extension ChangeTracker {
  /// Checks, between two accesses to the writer, whether another connection committed. Reads from
  /// the database first, so that SQLite checks the file for changes.
  ///
  /// The finding is reported before the writer can commit again. Otherwise an observer could merge
  /// the rows of the writer's next commit into a result that lacks the other connection's commit.
  func checkForForeignCommits(on core: ConnectionCore) throws {
    guard isWatching else { return }
    _ = try core.dataVersion()
    foreignCommits.probe(on: core)
    publish(nil, foreignCommits.takeFinding())
  }
}

extension ChangeTracker: AccessObserver {
  /// Installs the hook for the current subscriptions, or removes the hook if there are no
  /// subscriptions.
  package func writeWillBegin(on core: ConnectionCore) throws {
    let known = nextID.load(ordering: .sequentiallyConsistent)
    guard version.load(ordering: .sequentiallyConsistent) != recordedVersion else {
      covered = known
      return
    }
    let (version, nextID, wanted) = registry.withLock { ($0.version, $0.nextID, $0.wanted) }
    if let wanted {
      let recorder = Recorder(
        of: wanted, granularity: granularity, on: core, clock: clock,
        foreignCommits: foreignCommits, publish: { [unowned self] in publish($0, $1, asking: $2) })
      try install(recorder, on: core)
    } else {
      try install(nil, on: core)
      foreignCommits.forget()
    }
    recordedVersion = version
    covered = nextID
  }

  private func install(_ recorder: Recorder?, on core: ConnectionCore) throws {
    switch granularity {
    case .rows:
      try core.setObserver(recorder)
    case .tables:
      try core.setObserver(recorder, hooksRows: false)
      core.notesWrittenTables = recorder != nil
    }
  }

  /// Sends an event to the subscriptions that were added during the access, because they may watch
  /// more than was recorded. After this event, every table counts as changed.
  package func writeDidEnd(on core: ConnectionCore) {
    guard nextID.load(ordering: .sequentiallyConsistent) != covered else { return }
    let (late, end) = registry.withLock { registry in
      let missedNothing = registry.version == recordedVersion
      return (missedNothing ? [] : registry.added(since: covered), registry.nextID)
    }
    covered = end
    guard !late.isEmpty else { return }
    wake(append(Commit(everything: .tableChanged), to: late))
  }

  /// Ends every observation, because nothing can be committed any more.
  package func databaseDidClose() {
    file.endForEver()
    for subscription in registry.withLock({ $0.all }) { subscription.queue.end() }
  }

  /// Reports that anything may have changed. SQLite calls no hook when the whole content of the
  /// database is replaced.
  package func contentWasReplaced(on core: ConnectionCore) {
    foreignCommits.didCommit(on: core)
    // The new content may have other tables but the same version of the schema, so the recorder
    // must read the tables again.
    (core.observer as? Recorder)?.schemaVersion = nil
    knownRoutes.forget()
    replacements.add(1, ordering: .sequentiallyConsistent)
    publish(everything: .tableChanged, onlyLive: false)
  }
}
