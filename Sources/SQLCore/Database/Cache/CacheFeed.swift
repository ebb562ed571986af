/// The writer's reports to the cache of its database: the rows that each of its commits touches.
///
/// It belongs to the state of the writer's connection, and is used by its hooks.
struct CacheFeed {
  /// The cache; nil as long as nothing is cached.
  private var cache: DatabaseCache?
  private var touched = TouchedRows()

  /// Whether the hooks report to a cache.
  @inline(__always)
  var isOn: Bool { cache != nil }

  mutating func use(_ cache: DatabaseCache?) {
    self.cache = cache
    touched.removeAll()
  }

  /// Notes a row of the main database, before it changes.
  mutating func note(_ table: UnsafePointer<CChar>, rowID: Int64?) {
    touched.note(table, rowID: rowID)
  }

  /// Notes that changes may be made that the pre-update hook does not report.
  @inline(__always)
  mutating func noteUnknown() {
    if isOn { touched.noteUnknown() }
  }

  /// Called by the commit hook. The connection holds the write lock.
  func willCommit() {
    cache?.writerWillCommit()
  }

  /// Called by the log hook, after a commit to the log of the main database.
  mutating func didCommit(frameCount: Int) {
    cache?.writerDidCommit(touched, frameCount: frameCount)
    touched.removeAll()
  }

  /// Called when SQLite has rolled the whole transaction back.
  mutating func didRollBack() {
    guard isOn else { return }
    cache?.writerDidEnd()
    touched.removeAll()
  }

  /// Called when an access to the writer ends. No transaction is open.
  ///
  /// The log hook is not called for a transaction that leaves every page as it was.
  mutating func didEnd() {
    didRollBack()
  }
}

extension DatabaseCache {
  /// Notes whether the commit that now begins directly follows the version.
  fileprivate func writerWillCommit() {
    state.withLock { state in
      guard let version = state.version, let index = state.index else { return }
      state.isCommitting = index.isAt(version)
    }
  }

  /// Removes what a commit touched and keeps the other entries, if the commit directly follows the
  /// version and none follows it yet.
  fileprivate func writerDidCommit(_ touched: TouchedRows, frameCount: Int) {
    let removed = state.withLock { state -> [CacheEntry] in
      let isNext = state.isCommitting && !touched.isUnknown
      state.isCommitting = false
      guard isNext, let version = state.version, let header = state.index?.header,
        header.frameCount == frameCount, header.isOfSameLog(as: version),
        // A commit that no hook reported may lie between.
        header.commitCount == version.commitCount &+ 1
      else { return [] }
      state.version = header
      return state.models.flatMap { $0?.takeUnretainedValue().remove(touched) ?? [] }
    }
    withExtendedLifetime(removed) {}
  }

  /// Notes that no commit is under way.
  fileprivate func writerDidEnd() {
    state.withLock { $0.isCommitting = false }
  }
}
