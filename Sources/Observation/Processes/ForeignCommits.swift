import SQLCore

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

  /// Compares the content that the writer sees now with that of the last probe.
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
