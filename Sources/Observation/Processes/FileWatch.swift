import SQLCore

/// Notices what other processes, and other connections of this one, commit to a database's file.
///
/// The folder tells that one of the files was written to, which this process does as well; the
/// writer then says whether another connection committed.
final class FileWatch: Sendable {
  private let folder: FolderWatch?
  private let check: FileCheck

  /// Begins to watch; nil for a database that is no file.
  ///
  /// SQLite makes its log beside the file itself: links to it, and to its folders, are followed. A
  /// folder or a link that gets another name later is watched on, since it is the folder that is
  /// watched and not its path.
  init?(
    of database: Database, tracker: ChangeTracker,
    pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  ) {
    guard let path = database.realPath else { return nil }
    let check = FileCheck(database: database, tracker: tracker, pause: pause)
    self.check = check
    folder = FolderWatch(containing: path) { check.request() }
    // The first look says what the others compare with.
    check.request(keepsLooking: folder == nil || !FolderWatch.seesWriting)
  }

  deinit {
    check.end()
  }
}

/// Asks the writer whether another connection committed, after somebody said that one may have.
///
/// A file is written to before its commit stands: a look may come too early, and nothing is written
/// after it. So it looks again and again, at greater and greater intervals. While another process
/// holds a lock that keeps the writer from looking, it goes on, without waiting for it on the writer.
///
/// State: idle → looking ⇄ looking again soon, where something was written meanwhile → looking now
/// and then → idle; from any of them → ended.
final class FileCheck: Sendable {
  private struct State {
    /// Counts the times that it began to look; whoever looks now and then ends with the next.
    var round = 0
    var isLookingSoon = false
    var mustLookAgain = false
    /// Whether it goes on for as long as it is not ended: nobody says that a file was written to.
    var keepsLooking = false
    var isEnded = false
  }

  private let state = Lock(State())
  private let database: WeakReference<Database>
  private let tracker: WeakReference<ChangeTracker>
  private static let shortestPause = Duration.milliseconds(10)
  /// A commit that takes longer than all pauses together is noticed with the next one.
  private static let longestPause = Duration.seconds(5)
  private static let steadyPause = Duration.seconds(1)
  private let pause: @Sendable (Duration) async -> Void

  /// - Parameter pause: waits between two looks; tests, which must not depend on time, give another.
  init(
    database: Database, tracker: ChangeTracker,
    pause: @escaping @Sendable (Duration) async -> Void
  ) {
    self.database = WeakReference(database)
    self.tracker = WeakReference(tracker)
    self.pause = pause
  }

  /// Something was written. It looks at most once in the shortest pause, however often this is said.
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

  /// It looks no more.
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
      // A folder that tells nothing is looked at steadily, and so is a locked file.
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

  /// Asks the writer; false where a lock kept it from answering.
  private func look() async -> Bool {
    guard let database = database.value, let tracker = tracker.value else {
      end()
      return true
    }
    // The lease of the writer puts the look between two of its commits.
    let answer: Void? = try? await database.askingWriter { core in
      // Whoever holds a lock may hold it for long, and the writer is not to wait for it.
      try core.waiting(atMost: .zero) { try tracker.lookForForeignCommits(on: core) }
    }
    return answer != nil
  }
}

/// A reference that keeps nothing alive.
///
/// `@unchecked Sendable`: it is written once, in `init`, and weak references are read atomically.
private final class WeakReference<Object: AnyObject & Sendable>: @unchecked Sendable {
  private(set) weak var value: Object?

  init(_ value: Object) {
    self.value = value
  }
}
