import SQLCore

/// Finds out whether another connection committed to the file since the writer last did.
///
/// While the writer holds its lock nobody else commits: what it sees of the file when its commit
/// hook fires is everything that came before its own commit. Looking costs no statement.
///
/// Used by the access that holds the writer.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>
final class ForeignCommits {
  enum Finding {
    case none
    /// The writer was not looked at before: another connection may have committed since the
    /// watching began.
    case unknown
    case some
  }

  /// What the writer's copy of the file was like after its last commit, or at the last look.
  private var version: UInt32?
  private var finding = Finding.none

  /// Compares what the writer now sees of the file with what it saw before.
  func look(on core: ConnectionCore) {
    let current = core.contentVersion
    defer { version = current }
    guard let version else {
      if case .none = finding { finding = .unknown }
      return
    }
    if version != current { finding = .some }
  }

  /// The writer committed: what changed now was its own.
  func didCommit(on core: ConnectionCore) {
    version = core.contentVersion
  }

  /// Nobody watches, and what the writer commits from now on is not looked at.
  func forget() {
    version = nil
    finding = .none
  }

  /// What was found since this was last asked.
  func takeFinding() -> Finding {
    defer { finding = .none }
    return finding
  }
}
