import SQLCore
import Synchronization

/// A counter of the writer's commits. It shows which of these commits a snapshot contains.
final class CommitClock: Sendable {
  private let begun = Atomic<UInt64>(0)
  private let ended = Atomic<UInt64>(0)
  private let delivered = Atomic<UInt64>(0)
  /// The number of commits that added nothing to the write-ahead log.
  private let unlogged = Atomic<UInt64>(0)

  /// Notes that SQLite is about to commit. From now on, a new snapshot may contain the commit.
  func begin() {
    begun.store(ended.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
  }

  /// Notes that the commit is complete. Every later snapshot contains it. Returns the number of the
  /// commit.
  ///
  /// - Parameter isLogged: whether the commit added to the write-ahead log. A transaction that
  ///   wrote nothing adds nothing.
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

  /// Notes that the transaction has ended without a commit, so that no commit is in progress.
  func cancel() {
    begun.store(ended.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
  }

  /// The commits of the writer that a snapshot contains.
  struct Position {
    /// The last commit that the snapshot certainly contains.
    var last: UInt64
    /// Whether the snapshot may also contain the next commit, because that commit was in progress.
    var mayContainNext: Bool
    /// Whether all observers have received the commits up to `last`.
    var isDelivered = false
    /// The number of commits up to `last` that added to the write-ahead log. The number is exact if
    /// the snapshot does not contain the next commit. Otherwise it may be too small.
    var loggedCount: UInt64 = 0
  }

  /// Returns whether the given commit is the last commit that has begun.
  func isLast(_ commit: UInt64) -> Bool {
    begun.load(ordering: .sequentiallyConsistent) == commit
  }

  /// Opens a snapshot and returns which commits it contains. If one commit overlaps the opening,
  /// `mayContainNext` is true. If several commits overlap it, closes the snapshot and opens another
  /// one, because a `Position` can describe only one uncertain commit.
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

/// A detector of commits that other connections made to the file since the writer's last commit.
///
/// While the writer holds its lock, no other connection can commit. So when the writer's commit
/// hook fires, the file contains all commits before the writer's own commit. A probe, which
/// compares versions of the file's content, runs no statement.
///
/// Only the access that holds the writer uses the detector.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>
final class ForeignCommits {
  enum Finding {
    case none
    /// This was the first probe, so there was no version to compare with. Another connection may
    /// have committed since the watching began.
    case unknown
    case some
  }

  /// The version of the file's content after the writer's last commit, or at the last probe.
  private var version: UInt32?
  private var finding = Finding.none

  /// Compares the version of the file's content that the writer sees now with the remembered
  /// version.
  func probe(on core: ConnectionCore) {
    let current = core.contentVersion
    defer { version = current }
    guard let version else {
      if case .none = finding { finding = .unknown }
      return
    }
    if version != current { finding = .some }
  }

  /// Notes that the writer committed, so that the writer's own change is not reported as a change
  /// of another connection.
  func didCommit(on core: ConnectionCore) {
    version = core.contentVersion
  }

  /// Forgets the version. This is called when there are no observers, because the version is then
  /// not updated after the writer's commits.
  func forget() {
    version = nil
    finding = .none
  }

  /// Returns the finding of the probes since the last call, and resets the finding.
  func takeFinding() -> Finding {
    defer { finding = .none }
    return finding
  }
}
