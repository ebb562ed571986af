import SQLCore

/// A watch of a database's file for commits of other processes, and of other connections of this
/// one.
///
/// The folder reports that one of the files was written to, which this process does as well; the
/// writer then finds out whether another connection committed.
final class FileWatch: Sendable {
  private let folder: FolderWatch?
  private let check: FileCheck

  /// Begins to watch. Returns nil for a database that is not a file.
  ///
  /// SQLite creates its log beside the file itself, so links to the file and to its folders are
  /// followed. If a folder or a link is renamed later, the watch continues, since it watches the
  /// folder itself and not its path.
  init?(
    of database: Database, tracker: ChangeTracker,
    pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  ) {
    guard let path = database.realPath else { return nil }
    let check = FileCheck(database: database, tracker: tracker, pause: pause)
    self.check = check
    folder = FolderWatch(containing: path) { check.request() }
    // The first look records the state that later looks compare with.
    check.request(keepsLooking: folder == nil || !FolderWatch.seesWriting)
  }

  deinit {
    check.end()
  }
}

/// A check that asks the writer whether another connection committed, after a report that one may
/// have.
///
/// A file is written to before the commit is complete, so a look may come too early, and no further
/// write follows it. Therefore it looks again, at growing intervals. While another process holds a
/// lock that prevents the look, it keeps trying, but does not make the writer wait for the lock.
///
/// State: idle → looking ⇄ looking again soon, if there was a write meanwhile → looking at growing
/// intervals → idle; from any of them → ended.
final class FileCheck: Sendable {
  private struct State {
    /// The number of times that it began to look. Looking at growing intervals ends when a new
    /// round begins.
    var round = 0
    var isLookingSoon = false
    var mustLookAgain = false
    /// Whether it looks until it is ended, because writes to the file are not reported.
    var keepsLooking = false
    var isEnded = false
  }

  private let state = Lock(State())
  private let database: WeakReference<Database>
  private let tracker: WeakReference<ChangeTracker>
  private static let shortestPause = Duration.milliseconds(10)
  /// A commit that takes longer than all pauses together is noticed after the next write.
  private static let longestPause = Duration.seconds(5)
  private static let steadyPause = Duration.seconds(1)
  private let pause: @Sendable (Duration) async -> Void

  /// - Parameter pause: waits between two looks. Tests pass another closure, so that they do not
  ///   depend on time.
  init(
    database: Database, tracker: ChangeTracker,
    pause: @escaping @Sendable (Duration) async -> Void
  ) {
    self.database = WeakReference(database)
    self.tracker = WeakReference(tracker)
    self.pause = pause
  }

  /// Requests a look after a write. However often it is called, the file is looked at once per
  /// shortest pause at most.
  func request(keepsLooking: Bool = false) {
    let round = state.withLock { state -> Int? in
      guard !state.isEnded else { return nil }
      if keepsLooking { state.keepsLooking = true }
      guard !state.isLookingSoon else {
        state.mustLookAgain = true
        return nil
      }
      state.isLookingSoon = true
      state.round += 1
      return state.round
    }
    guard let round else { return }
    Task.detached { await self.look(round) }
  }

  /// Ends the looking.
  func end() {
    state.withLock { $0.isEnded = true }
  }

  private func look(_ round: Int) async {
    var wasAnswered = false
    repeat {
      wasAnswered = await look()
      await pause(Self.shortestPause)
    } while mustLookAgain()
    var duration = Self.shortestPause
    while duration < Self.longestPause || keepsLooking || !wasAnswered {
      // If the folder reports no writes, or the file is locked, the pause does not grow beyond
      // this.
      let isSteady = keepsLooking || !wasAnswered
      duration = min(duration * 2, isSteady ? Self.steadyPause : Self.longestPause)
      await pause(duration)
      guard isCurrent(round) else { return }
      wasAnswered = await look()
    }
  }

  private var keepsLooking: Bool { state.withLock { $0.keepsLooking } }

  private func mustLookAgain() -> Bool {
    state.withLock { state in
      state.isLookingSoon = state.mustLookAgain && !state.isEnded
      state.mustLookAgain = false
      return state.isLookingSoon
    }
  }

  private func isCurrent(_ round: Int) -> Bool {
    state.withLock { $0.round == round && !$0.isEnded }
  }

  /// Asks the writer. Returns false if a lock kept it from answering.
  private func look() async -> Bool {
    guard let database = database.value, let tracker = tracker.value else {
      end()
      return true
    }
    // While the writer is leased here, it commits nothing itself.
    let answer: Void? = try? await database.askingWriter { core in
      // Another connection may hold a lock for long, and the writer is not to wait for it.
      try core.waiting(atMost: .zero) { try tracker.checkForForeignCommits(on: core) }
    }
    return answer != nil
  }
}

/// A weak reference that can be stored in a `Sendable` type.
///
/// `@unchecked Sendable`: it is written once, in `init`, and weak references are read atomically.
private final class WeakReference<Object: AnyObject & Sendable>: @unchecked Sendable {
  private(set) weak var value: Object?

  init(_ value: Object) {
    self.value = value
  }
}
