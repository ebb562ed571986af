#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The rows that the writer has changed. They are reported to the cache of the database at each
/// commit.
///
/// This value is part of the state of the writer's connection. The hooks of the connection call its
/// methods.
struct CacheFeed {
  /// The cache; nil until the first entry is stored.
  private var cache: DatabaseCache?
  private var touched = TouchedRows()

  /// Whether the hooks report to a cache.
  @inline(__always)
  var isOn: Bool { cache != nil }

  mutating func use(_ cache: DatabaseCache?) {
    self.cache = cache
    touched.removeAll()
  }

  /// Notes a row of the main database. The pre-update hook calls this method.
  mutating func note(_ table: UnsafePointer<CChar>, rowID: Int64?) {
    touched.note(table, rowID: rowID)
  }

  /// Notes that the connection may make changes that the pre-update hook does not report.
  @inline(__always)
  mutating func noteUnknown() {
    if isOn { touched.noteUnknown() }
  }

  /// Prepares the cache for a commit. The commit hook calls this method, while the connection holds
  /// the write lock.
  func willCommit() {
    cache?.writerWillCommit()
  }

  /// Reports the noted rows to the cache. The WAL hook calls this method after a commit.
  /// `frameCount` is the number of frames in the write-ahead log.
  mutating func didCommit(frameCount: Int) {
    cache?.writerDidCommit(touched, frameCount: frameCount)
    touched.removeAll()
  }

  /// Forgets the noted rows. This method is called when SQLite has rolled back the whole
  /// transaction.
  mutating func didRollBack() {
    guard isOn else { return }
    cache?.writerDidEnd()
    touched.removeAll()
  }

  /// Forgets the rows that are still noted. This method is called when an access to the writer ends
  /// and no transaction is open.
  ///
  /// Rows may still be noted because SQLite does not call the WAL hook for a transaction that
  /// leaves every page unchanged.
  mutating func didEnd() {
    didRollBack()
  }
}

extension DatabaseCache {
  /// Notes whether the cache's `version` of the database is still the newest one. This method is
  /// called before each commit of the writer.
  fileprivate func writerWillCommit() {
    state.withLock { state in
      guard let version = state.version, let index = state.index else { return }
      state.isCommitting = index.isAt(version)
    }
  }

  /// Removes the entries of the touched rows, and moves `version` to this commit. This method is
  /// called after each commit of the writer.
  ///
  /// This is possible only if the hooks have reported all changes since `version`. Otherwise, this
  /// method removes nothing, and the next lookup removes all entries, because `version` is
  /// outdated.
  fileprivate func writerDidCommit(_ touched: TouchedRows, frameCount: Int) {
    let removed = state.withLock { state -> [CacheEntry] in
      let isNext = state.isCommitting && !touched.isUnknown
      state.isCommitting = false
      guard isNext, let version = state.version, let header = state.index?.header,
        header.frameCount == frameCount, header.isOfSameLog(as: version),
        // The counts differ by more than one if another commit, which no hook has reported, came
        // between `version` and this commit.
        header.commitCount == version.commitCount &+ 1
      else { return [] }
      state.version = header
      return state.models.flatMap { $0?.takeUnretainedValue().remove(touched) ?? [] }
    }
    withExtendedLifetime(removed) {}
  }

  /// Notes that the writer is not committing any more.
  fileprivate func writerDidEnd() {
    state.withLock { $0.isCommitting = false }
  }
}

/// The rows that the writer has touched since its last commit, as the pre-update hook reports them.
///
/// They may be more rows than the commit changes, because a savepoint may have been rolled back. If
/// an entry is removed without need, its row is read again.
struct TouchedRows {
  /// The touched rows of one table.
  struct Table {
    /// The name, in lower case.
    let name: String
    /// The table's name as the pre-update hook passes it: a C string that ends with a zero byte.
    fileprivate let text: [CChar]
    /// The rowids of the updated and deleted rows, as they were before the change.
    fileprivate(set) var rowIDs: [Int64] = []
    /// Whether every row counts as touched, because too many rows were touched.
    fileprivate(set) var isWhole = false
  }

  private var tables: [Table] = []
  /// The index in `tables` of the table that was touched last.
  private var last = 0
  /// Whether there may be changes that the hook did not report: changes of the schema, changes by
  /// VACUUM, or changes while a session used the hook.
  private(set) var isUnknown = false

  /// The maximum number of touched rows that are noted for a table. If more rows of a table are
  /// touched, every row of the table counts as touched.
  private static let maximumCount = 10_000

  /// The names of the tables with touched rows, in lower case.
  var tableNames: [String] { tables.map(\.name) }

  /// Returns the touched rows of a table; nil if it was not touched.
  func table(_ name: String) -> Table? {
    tables.first { $0.name == name }
  }

  /// Notes a row of the main database.
  ///
  /// - Parameter rowID: The rowid before the change; nil for an insertion.
  mutating func note(_ table: UnsafePointer<CChar>, rowID: Int64?) {
    if last >= tables.count || strcmp(tables[last].text, table) != 0 { last = place(of: table) }
    guard let rowID, !tables[last].isWhole else { return }
    guard tables[last].rowIDs.count < Self.maximumCount else {
      tables[last].isWhole = true
      tables[last].rowIDs = []
      return
    }
    tables[last].rowIDs.append(rowID)
  }

  /// Notes that there may be changes that the pre-update hook does not report.
  mutating func noteUnknown() { isUnknown = true }

  mutating func removeAll() {
    if !tables.isEmpty { tables.removeAll() }
    last = 0
    isUnknown = false
  }

  private mutating func place(of table: UnsafePointer<CChar>) -> Int {
    if let place = tables.firstIndex(where: { strcmp($0.text, table) == 0 }) { return place }
    tables.append(
      Table(
        name: String(cString: table).lowercasedASCII,
        text: Array(UnsafeBufferPointer(start: table, count: strlen(table) + 1))))
    return tables.count - 1
  }
}
