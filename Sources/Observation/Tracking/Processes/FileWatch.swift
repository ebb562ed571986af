import SQLCore

/// A watch of a database's file. It detects commits of other processes, and of other connections of
/// this process.
///
/// The system reports writes to the files in the database's folder. This process also writes to
/// these files. So after a report, the writer checks whether another connection committed.
final class FileWatch: Sendable {
  private let folder: FolderWatch?
  private let check: FileCheck

  /// Begins to watch. Returns nil for a database that is neither a file nor remote.
  ///
  /// SQLite creates its log in the folder of the real file, so links to the file and to its folders
  /// are followed. If a folder or a link is renamed later, the watch continues, because the system
  /// watches the folder itself and not its path.
  init?(
    of database: Database, tracker: ChangeTracker,
    pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  ) {
    let check = FileCheck(database: database, tracker: tracker, pause: pause)
    self.check = check
    guard let path = database.realPath else {
      guard database.isRemote else { return nil }
      // A remote database has no file to watch, so its engine is asked at intervals.
      folder = nil
      check.request(keepsProbing: true)
      return
    }
    folder = FolderWatch(containing: path) { check.request() }
    // The first probe records the state with which later probes compare.
    check.request(keepsProbing: folder == nil || !FolderWatch.seesWriting)
  }

  deinit {
    check.end()
  }
}

/// The check that follows a report of a write to the file: it asks the writer whether another
/// connection committed.
///
/// The file is written before the commit is complete, so a check may come too early, and perhaps no
/// later write causes another check. Therefore the check is repeated at growing intervals. If
/// another process holds a lock that prevents the check, the check is also repeated, but the writer
/// never waits for the lock.
///
/// State: idle → probing ⇄ probing again soon, if there was a write meanwhile → probing at growing
/// intervals → idle. Each state can change to ended.
final class FileCheck: Sendable {
  private struct State {
    /// The number of rounds so far. A round is a series of checks at growing intervals after a
    /// write. A new round ends the old one.
    var round = 0
    var isProbingSoon = false
    var mustProbeAgain = false
    /// Whether the checks continue until the watch ends, because the system does not report writes
    /// to the file, or because the database is remote.
    var keepsProbing = false
    var isEnded = false
  }

  private let state = Lock(State())
  private let database: WeakReference<Database>
  private let tracker: WeakReference<ChangeTracker>
  private static let shortestPause = Duration.milliseconds(10)
  /// The pauses between probes grow to this length, and then the probing ends. If a commit takes
  /// longer than all pauses together, it is noticed only after the next write.
  private static let longestPause = Duration.seconds(5)
  private static let steadyPause = Duration.seconds(1)
  private let pause: @Sendable (Duration) async -> Void

  /// - Parameter pause: waits between two probes. Tests pass another closure, so that the tests do
  ///   not depend on time.
  init(
    database: Database, tracker: ChangeTracker,
    pause: @escaping @Sendable (Duration) async -> Void
  ) {
    self.database = WeakReference(database)
    self.tracker = WeakReference(tracker)
    self.pause = pause
  }

  /// Requests a probe after a write. If this is called often, requests are combined: there is at
  /// most one probe in the time of `shortestPause`.
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
      // If the system reports no writes, or if the file is locked, the pause grows only to one
      // second.
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

  /// Asks the writer whether another connection committed. Returns false if a lock prevented the
  /// check.
  private func probe() async -> Bool {
    guard let database = database.value, let tracker = tracker.value else {
      end()
      return true
    }
    // While this closure uses the writer, no other access commits through the writer.
    let answer: Void? = try? await database.askingWriter { core in
      // Another connection may hold a lock for long, and the writer must not wait for it.
      try core.waiting(atMost: .zero) { try tracker.checkForForeignCommits(on: core) }
    }
    return answer != nil
  }
}

/// A weak reference that can be stored in a `Sendable` type.
///
/// `@unchecked Sendable`: the reference is written once, in `init`, and weak references are read
/// atomically.
private final class WeakReference<Object: AnyObject & Sendable>: @unchecked Sendable {
  private(set) weak var value: Object?

  init(_ value: Object) {
    self.value = value
  }
}

/// A watch of a database's file that all observers share. It exists while at least one observer
/// needs it.
///
/// State: unwatched ⇄ watched for some observers → ended, when the database is closed. One lock
/// guards both the count and the watch. So if an observer begins while the last observer ends, it
/// either shares the existing watch, which then stays, or creates a new watch.
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

  /// Begins the watch for one more observer. The first observer creates the watch.
  func begin(_ make: () -> Watch) {
    state.withLock { state in
      switch state {
      case .unwatched: state = .watched(make(), count: 1)
      case .watched(let watch, let count): state = .watched(watch, count: count + 1)
      case .ended: break
      }
    }
  }

  /// Ends the watch for one observer. The last observer releases the watch.
  func end() {
    let last = state.withLock { state -> Watch? in
      guard case .watched(let watch, let count) = state else { return nil }
      state = count > 1 ? .watched(watch, count: count - 1) : .unwatched
      return count > 1 ? nil : watch
    }
    // The watch is released outside the lock.
    withExtendedLifetime(last) {}
  }

  /// Ends the watch, and prevents any new watch.
  func endForEver() {
    let last = state.withLock { state -> Watch? in
      defer { state = .ended }
      guard case .watched(let watch, _) = state else { return nil }
      return watch
    }
    withExtendedLifetime(last) {}
  }
}
