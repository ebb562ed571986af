import Dispatch
import SQLCore

/// Notices what other processes, and other connections of this one, commit to a database's file.
///
/// The folder tells that one of the files was written to, which this process does as well; the
/// writer then says whether another connection committed. It looks at most once in a while, however
/// much is written.
final class FileWatch: Sendable {
  private let folder: FolderWatch?
  private let check: Check

  init(path: String, of database: Database, tracker: ChangeTracker) {
    let check = Check(database: database, tracker: tracker)
    self.check = check
    folder = FolderWatch(containing: path) { check.request() }
    // The first look says what the others compare with.
    check.request()
  }

  /// State: idle → looking → idle, or looking again where something was written meanwhile.
  private final class Check: Sendable {
    private struct State {
      var isLooking = false
      var mustLookAgain = false
      var version: Int32?
    }

    private let state = Lock(State())
    private let database: WeakReference<Database>
    private let tracker: WeakReference<ChangeTracker>
    private static let pause = Duration.milliseconds(10)

    init(database: Database, tracker: ChangeTracker) {
      self.database = WeakReference(database)
      self.tracker = WeakReference(tracker)
    }

    func request() {
      let begins = state.withLock { state in
        state.mustLookAgain = state.isLooking
        defer { state.isLooking = true }
        return !state.isLooking
      }
      guard begins else { return }
      Task.detached { [self] in
        repeat {
          await look()
          try? await Task.sleep(for: Self.pause)
        } while goesOn()
      }
    }

    private func goesOn() -> Bool {
      state.withLock { state in
        state.isLooking = state.mustLookAgain
        state.mustLookAgain = false
        return state.isLooking
      }
    }

    private func look() async {
      guard let database = database.value, let tracker = tracker.value else { return }
      // The lease of the writer puts the look between two of its commits.
      guard
        let version = try? await database.writeWithoutTransaction({ connection in
          try connection.use().dataVersion()
        })
      else { return }
      let known = state.withLock { state in
        defer { state.version = version }
        return state.version
      }
      guard known != version else { return }
      // What was there before the first look nobody was told of who fetched before it.
      tracker.publish(everything: .changedElsewhere, liveAlone: known == nil)
    }
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
