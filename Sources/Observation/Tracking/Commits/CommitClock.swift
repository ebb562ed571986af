import SQLCore
import Synchronization

/// A counter of the writer's commits, which shows which of them a snapshot contains.
final class CommitClock: Sendable {
  private let begun = Atomic<UInt64>(0)
  private let ended = Atomic<UInt64>(0)
  private let delivered = Atomic<UInt64>(0)
  /// The number of commits that added nothing to the write-ahead log.
  private let unlogged = Atomic<UInt64>(0)

  /// Notes that SQLite is about to commit: from now on a snapshot may contain the commit.
  func begin() {
    begun.store(ended.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
  }

  /// Notes that the commit is done, so that every later snapshot contains it. Returns the number of
  /// the commit.
  ///
  /// - Parameter isLogged: whether it added to the write-ahead log. A transaction that wrote
  ///   nothing did not.
  func end(isLogged: Bool) -> UInt64 {
    let number = begun.load(ordering: .relaxed)
    if !isLogged { unlogged.add(1, ordering: .sequentiallyConsistent) }
    ended.store(number, ordering: .sequentiallyConsistent)
    return number
  }

  /// Notes that all observers have received the last commit.
  func didDeliver() {
    delivered.store(ended.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
  }

  /// Notes that nothing was committed.
  func cancel() {
    begun.store(ended.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
  }

  /// The commits of the writer that a snapshot contains.
  struct Position {
    /// The last commit that the snapshot certainly contains.
    var last: UInt64
    /// Whether the snapshot may also contain the next commit, which was in progress.
    var mayContainNext: Bool
    /// Whether all observers have received the commits up to the last.
    var isDelivered = false
    /// The number of commits up to the last that added to the write-ahead log. It is never too
    /// large, and exact if the snapshot does not contain the next commit.
    var loggedCount: UInt64 = 0
  }

  /// Returns whether no commit has begun since the given one.
  func isLast(_ commit: UInt64) -> Bool {
    begun.load(ordering: .sequentiallyConsistent) == commit
  }

  /// Opens a snapshot and returns which commits it contains. If two commits began meanwhile, the
  /// snapshot is closed and opened again.
  func opening(_ open: () throws -> Void, close: () throws -> Void) rethrows -> Position {
    while true {
      let last = ended.load(ordering: .sequentiallyConsistent)
      let loggedCount = last &- unlogged.load(ordering: .sequentiallyConsistent)
      try open()
      let begun = begun.load(ordering: .sequentiallyConsistent)
      if begun <= last &+ 1 {
        return Position(
          last: last, mayContainNext: begun != last,
          isDelivered: delivered.load(ordering: .sequentiallyConsistent) >= last,
          loggedCount: loggedCount)
      }
      try close()
    }
  }
}

/// A detector of other connections' commits to the file since the writer's last commit.
///
/// While the writer holds its lock, no other connection commits: the state of the file when the
/// writer's commit hook fires contains all that came before its own commit. A probe costs no
/// statement.
///
/// It is used only by the access that holds the writer.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>
final class ForeignCommits {
  enum Finding {
    case none
    /// The first probe has just run: another connection may have committed since the watching
    /// began.
    case unknown
    case some
  }

  /// The version of the file's content after the writer's last commit, or at the last probe.
  private var version: UInt32?
  private var finding = Finding.none

  /// Compares the content that the writer sees now with the content of the last comparison.
  func probe(on core: ConnectionCore) {
    let current = core.contentVersion
    defer { version = current }
    guard let version else {
      if case .none = finding { finding = .unknown }
      return
    }
    if version != current { finding = .some }
  }

  /// Notes that the writer committed, so that the change since the last probe is its own.
  func didCommit(on core: ConnectionCore) {
    version = core.contentVersion
  }

  /// Forgets the version, since there are no observers and the writer's next commits are not
  /// followed.
  func forget() {
    version = nil
    finding = .none
  }

  /// Returns the finding since the last call.
  func takeFinding() -> Finding {
    defer { finding = .none }
    return finding
  }
}
