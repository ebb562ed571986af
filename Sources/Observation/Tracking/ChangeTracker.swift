import SQLCore
import Synchronization

/// Knows who watches a database, has the writer recorded meanwhile, and tells of its commits.
///
/// The registry of those who watch is shared, behind a lock, under which nobody's code runs. All
/// else belongs to the writer, and is used by the one access that holds it.
///
/// `@unchecked Sendable`: `recordedVersion`, `covered` and `foreignCommits` are touched only by the
/// access that holds the lease of the writer.
final class ChangeTracker: @unchecked Sendable {
  private let registry = Lock(SubscriptionRegistry())
  let clock = CommitClock()
  private let foreignCommits = ForeignCommits()
  private let granularity: Recorder.Granularity
  /// The version of the registry for which the recorder was made.
  private var recordedVersion = 0
  /// The subscriptions with a smaller id were there when the access to the writer began.
  private var covered: UInt64 = 0
  /// What the registry says of itself, to be read without its lock: each write does.
  private let version = Atomic<Int>(0)
  private let nextID = Atomic<UInt64>(0)
  private let sharedEvaluators = Lock<RowEvaluators?>(nil)
  private let file = SharedFileWatch<FileWatch?>()

  init(granularity: Recorder.Granularity) {
    self.granularity = granularity
  }

  /// The tracker of a database, made when somebody first watches.
  static func of(_ database: Database) -> ChangeTracker? {
    database.writeObserver {
      ChangeTracker(granularity: ConnectionCore.hasPreUpdateHook ? .rows : .tables)
    }
  }

  // MARK: Who watches

  /// Adds a subscription; from the next access to the writer on, its tables are recorded.
  func add(_ subscription: Subscription) -> UInt64 {
    changing { $0.add(subscription) }
  }

  /// Adds a subscription, and watches the file for what others commit as long as it stays.
  ///
  /// Where the database is closed already, the subscription has ended.
  func watch(_ subscription: Subscription, in database: Database) -> UInt64 {
    var subscription = subscription
    subscription.watchesFile = database.realPath != nil
    let id = add(subscription)
    if subscription.watchesFile { file.begin { FileWatch(of: database, tracker: self) } }
    // Closing ends those that it finds; one that comes later finds the database closed.
    if database.isClosed { subscription.queue.end() }
    return id
  }

  /// Changes the registry. Whoever sees a subscription's id sees the version that came with it.
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

  /// Removes a subscription; the hook goes with the last, when the next write begins.
  func remove(_ id: UInt64) {
    // What a subscription holds is let go outside the lock.
    let subscription = changing { $0.remove(id) }
    if subscription?.watchesFile == true { file.end() }
  }

  /// Whether anybody watches.
  var isWatching: Bool { registry.withLock { !$0.isEmpty } }

  /// Whether commits of other processes are looked for.
  var watchesFile: Bool { file.isWatched }

  /// What asks queries of single rows, for all who watch.
  func evaluators(for database: Database) -> RowEvaluators {
    sharedEvaluators.withLock { evaluators in
      let known = evaluators ?? RowEvaluators(of: database)
      evaluators = known
      return known
    }
  }

  /// Tells everybody of something of which is not known what it touched.
  ///
  /// - Parameter liveAlone: only those who look for themselves what changed.
  func publish(everything event: TableEvent, liveAlone: Bool) {
    let commit = Commit(everything: event)
    for subscription in registry.withLock({ $0.all }) where subscription.isLive || !liveAlone {
      subscription.queue.append(commit)
    }
  }

  /// Reports a commit of the writer, and before it that others committed.
  private func publish(_ commit: Commit?, _ finding: ForeignCommits.Finding) {
    switch finding {
    case .none: break
    // What was there before the watching began concerns those who may have fetched before it.
    case .unknown: publish(everything: .changedElsewhere, liveAlone: true)
    case .some: publish(everything: .changedElsewhere, liveAlone: false)
    }
    guard let commit else { return }
    let subscriptions = registry.withLock { registry in
      // Whoever came meanwhile, and asked for nothing that was not recorded anyway, missed nothing.
      let end = registry.version == recordedVersion ? registry.nextID : covered
      return registry.concerned(by: commit, before: end)
    }
    for subscription in subscriptions { subscription.queue.append(commit) }
  }
}

extension ChangeTracker {
  /// Looks whether another connection committed, between two accesses to the writer; it reads
  /// before, so that SQLite looks at the file.
  ///
  /// It is reported before the writer can commit again: nobody merges the rows of a later commit
  /// into a result without knowing of the one before.
  func lookForForeignCommits(on core: ConnectionCore) throws {
    guard isWatching else { return }
    _ = try core.dataVersion()
    foreignCommits.look(on: core)
    publish(nil, foreignCommits.takeFinding())
  }
}

extension ChangeTracker: WriteObserver {
  /// Installs the hook for those who watch now, or takes it away where nobody does.
  func writeWillBegin(on core: ConnectionCore) throws {
    let known = nextID.load(ordering: .sequentiallyConsistent)
    guard version.load(ordering: .sequentiallyConsistent) != recordedVersion else {
      covered = known
      return
    }
    let (version, nextID, wanted) = registry.withLock { ($0.version, $0.nextID, $0.wanted) }
    if let wanted {
      let recorder = Recorder(
        of: wanted, granularity: granularity, on: core, clock: clock,
        foreignCommits: foreignCommits, publish: { [unowned self] in publish($0, $1) })
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

  /// Those who came during the access, and asked for what was not recorded, saw nothing of it: they
  /// are told that something may have changed.
  func writeDidEnd(on core: ConnectionCore) {
    guard nextID.load(ordering: .sequentiallyConsistent) != covered else { return }
    let (late, end) = registry.withLock { registry in
      let missedNothing = registry.version == recordedVersion
      return (missedNothing ? [] : registry.added(since: covered), registry.nextID)
    }
    covered = end
    guard !late.isEmpty else { return }
    let commit = Commit(everything: .tableChanged)
    for subscription in late { subscription.queue.append(commit) }
  }

  /// Ends every observation: nothing can be committed any more.
  func databaseDidClose() {
    file.endForEver()
    for subscription in registry.withLock({ $0.all }) { subscription.queue.end() }
  }

  /// Anything may have changed, and no hook told of it.
  func contentWasReplaced(on core: ConnectionCore) {
    foreignCommits.didCommit(on: core)
    publish(everything: .tableChanged, liveAlone: false)
  }
}
