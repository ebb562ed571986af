import SQLCore

/// Notices what other processes, and other connections of this one, commit to a database's file.
///
/// The folder tells that one of the files was written to, which this process does as well; the
/// writer then says whether another connection committed.
final class FileWatch: Sendable {
  private let folder: FolderWatch?
  private let check: FileCheck

  init(path: String, of database: Database, tracker: ChangeTracker) {
    let check = FileCheck(database: database, tracker: tracker)
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
/// after it. So it looks again and again, at greater and greater intervals.
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

  init(database: Database, tracker: ChangeTracker) {
    self.database = WeakReference(database)
    self.tracker = WeakReference(tracker)
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
    repeat {
      await look()
      try? await Task.sleep(for: Self.shortestPause)
    } while mustLookAgain()
    var pause = Self.shortestPause
    while pause < Self.longestPause || keepsLooking {
      // A folder that tells nothing is looked at steadily.
      pause = min(pause * 2, keepsLooking ? Self.steadyPause : Self.longestPause)
      try? await Task.sleep(for: pause)
      guard isCurrent(round) else { return }
      await look()
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

  private func look() async {
    guard let database = database.value, let tracker = tracker.value else { return end() }
    // The lease of the writer puts the look between two of its commits.
    try? await database.askingWriter { try tracker.lookForForeignCommits(on: $0) }
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
