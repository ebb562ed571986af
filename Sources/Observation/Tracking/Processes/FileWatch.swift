import SQLCore

/// A watch of a database's file for commits of other processes, and of other connections of this
/// process.
///
/// The folder reports writes to its files. This process writes to them as well, so the writer then
/// finds out whether another connection committed.
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
    let check = FileCheck(database: database, tracker: tracker, pause: pause)
    self.check = check
    guard let path = database.realPath else {
      guard database.isRemote else { return nil }
      // An engine elsewhere is asked at intervals.
      folder = nil
      check.request(keepsProbing: true)
      return
    }
    folder = FolderWatch(containing: path) { check.request() }
    // The first probe records the state that later probes compare with.
    check.request(keepsProbing: folder == nil || !FolderWatch.seesWriting)
  }

  deinit {
    check.end()
  }
}

/// Asks the writer whether another connection committed, after a report that the file was written.
///
/// The file is written before the commit is complete, so a check may come too early, and no later
/// write would cause another. Therefore it checks again, at growing intervals. While another process
/// holds a lock that prevents the check, it keeps trying, but does not make the writer wait for the
/// lock.
///
/// State: idle → probing ⇄ probing again soon, if there was a write meanwhile → probing at growing
/// intervals → idle; from any of them → ended.
final class FileCheck: Sendable {
  private struct State {
    /// The number of times that it began to probe. Probing at growing intervals ends when a new
    /// round begins.
    var round = 0
    var isProbingSoon = false
    var mustProbeAgain = false
    /// Whether the checks continue until the watch ends, because writes to the file are not
    /// reported.
    var keepsProbing = false
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

  /// - Parameter pause: waits between two probes. Tests pass another closure, so that they do not
  ///   depend on time.
  init(
    database: Database, tracker: ChangeTracker,
    pause: @escaping @Sendable (Duration) async -> Void
  ) {
    self.database = WeakReference(database)
    self.tracker = WeakReference(tracker)
    self.pause = pause
  }

  /// Requests a probe after a write. However often it is called, the file is probed once per
  /// shortest pause at most.
  func request(keepsProbing: Bool = false) {
    let round = state.withLock { state -> Int? in
      guard !state.isEnded else { return nil }
      if keepsProbing { state.keepsProbing = true }
      guard !state.isProbingSoon else {
        state.mustProbeAgain = true
        return nil
      }
      state.isProbingSoon = true
      state.round += 1
      return state.round
    }
    guard let round else { return }
    Task.detached { await self.probe(round) }
  }

  /// Ends the probing.
  func end() {
    state.withLock { $0.isEnded = true }
  }

  private func probe(_ round: Int) async {
    var wasAnswered = false
    repeat {
      wasAnswered = await probe()
      await pause(Self.shortestPause)
    } while mustProbeAgain()
    var duration = Self.shortestPause
    while duration < Self.longestPause || keepsProbing || !wasAnswered {
      // If the folder reports no writes, or the file is locked, the pause does not grow beyond this
      // value.
      let isSteady = keepsProbing || !wasAnswered
      duration = min(duration * 2, isSteady ? Self.steadyPause : Self.longestPause)
      await pause(duration)
      guard isCurrent(round) else { return }
      wasAnswered = await probe()
    }
  }

  private var keepsProbing: Bool { state.withLock { $0.keepsProbing } }

  private func mustProbeAgain() -> Bool {
    state.withLock { state in
      state.isProbingSoon = state.mustProbeAgain && !state.isEnded
      state.mustProbeAgain = false
      return state.isProbingSoon
    }
  }

  private func isCurrent(_ round: Int) -> Bool {
    state.withLock { $0.round == round && !$0.isEnded }
  }

  /// Asks the writer. Returns false if a lock kept it from answering.
  private func probe() async -> Bool {
    guard let database = database.value, let tracker = tracker.value else {
      end()
      return true
    }
    // While the writer is leased here, no other access commits through it.
    let answer: Void? = try? await database.askingWriter { core in
      // Another connection may hold a lock for long, and the writer must not wait for it.
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

/// The watch of a database's file, which exists while at least one observer needs it.
///
/// State: unwatched ⇄ watched for some observers → ended, when the database is closed. One lock
/// guards both the count and the watch. An observer that begins while the last one ends either
/// shares the existing watch, which then stays, or creates a new one.
final class SharedFileWatch<Watch: Sendable>: Sendable {
  private enum State {
    case unwatched
    case watched(Watch, count: Int)
    case ended
  }

  private let state = Lock(State.unwatched)

  /// Whether the file is watched.
  var isWatched: Bool {
    state.withLock { if case .watched = $0 { true } else { false } }
  }

  /// Begins the watch for one more observer; the first one creates it.
  func begin(_ make: () -> Watch) {
    state.withLock { state in
      switch state {
      case .unwatched: state = .watched(make(), count: 1)
      case .watched(let watch, let count): state = .watched(watch, count: count + 1)
      case .ended: break
      }
    }
  }

  /// Ends the watch for one observer; the last one releases it.
  func end() {
    let last = state.withLock { state -> Watch? in
      guard case .watched(let watch, let count) = state else { return nil }
      state = count > 1 ? .watched(watch, count: count - 1) : .unwatched
      return count > 1 ? nil : watch
    }
    // The watch is released outside the lock.
    withExtendedLifetime(last) {}
  }

  /// Ends the watch, and prevents any new one.
  func endForEver() {
    let last = state.withLock { state -> Watch? in
      defer { state = .ended }
      guard case .watched(let watch, _) = state else { return nil }
      return watch
    }
    withExtendedLifetime(last) {}
  }
}
