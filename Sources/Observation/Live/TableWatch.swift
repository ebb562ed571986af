import QueryDSL
import SQLCore

/// The watch of one live query or value: the tables that it reads, and the commits that touched
/// these tables.
///
/// State: nothing watched → watching → nothing watched, when the object is released.
final class TableWatch: Sendable {
  let database: Database
  private let tracker: ChangeTracker?
  let queue: CommitQueue
  private let watched = Lock<Watched?>(nil)
  /// The signals of callers that wait for the result that is being fetched.
  private let refreshes = Lock<[Signal]>([])

  private struct Watched {
    let subscription: UInt64
    let tables: [QualifiedTableName: Subscription.Interest]
    var watchesSchema = false
  }

  /// The effect of the waiting commits on the watched tables.
  enum Touch {
    case none
    /// The given commits touched watched rows.
    case rows([Commit])
    /// Something may have changed, but the changed rows are not known.
    case unknown
    /// The schema of a table changed, so the query may now read other tables and columns.
    case schema
  }

  init(_ database: Database) {
    self.database = database
    tracker = ChangeTracker.of(database)
    queue = CommitQueue(maximumRows: database.configuration.maximumTrackedRows)
  }

  deinit {
    if let watched = watched.withLock({ $0 }) { tracker?.remove(watched.subscription) }
  }

  /// Calls `open` to open a snapshot, and returns which of the writer's commits the snapshot
  /// contains. If the snapshot cannot be used, calls `close` and opens another one.
  func opening(
    _ open: () throws -> Void, close: () throws -> Void
  ) throws -> CommitClock.Position {
    guard let clock = tracker?.clock else {
      try open()
      return CommitClock.Position(last: 0, mayContainNext: false)
    }
    return try clock.opening(open, close: close)
  }

  /// A number that changes when functions or collations are registered, and when the whole content
  /// of the database is replaced.
  var generation: UInt64 {
    let replacements = tracker?.replacements.load(ordering: .sequentiallyConsistent) ?? 0
    return database.registrationCount &+ replacements &* (1 << 32)
  }

  /// The greatest number of bytes that all maintained queries together may hold.
  var maximumHeldBytes: Int { database.configuration.maximumLiveMemory }

  /// Adds the given number of bytes, which may be negative, to the total that all maintained
  /// queries hold. Returns the new total.
  @discardableResult
  func countHeldBytes(_ difference: Int) -> Int {
    tracker?.heldBytes.add(difference, ordering: .relaxed).newValue ?? 0
  }

  /// The closure that reports live queries that run again; nil if none is set.
  var rerunReporting: RerunReporting? { tracker?.rerunReporting }

  /// The reason why no query can be maintained: only changed tables are recorded, and not changed
  /// rows. Nil if changed rows are recorded.
  var rowlessReason: RerunReason? {
    guard tracker?.seesRows == false else { return nil }
    return RerunReason(
      database.isRemote
        ? "the database is elsewhere, and reports no rows"
        : "SQLite was built without the pre-update hook")
  }

  /// Returns whether the given commit is still the last commit that the writer has begun.
  func isLast(_ commit: UInt64) -> Bool { tracker?.clock.isLast(commit) ?? false }

  /// Watches the given tables instead of the previous tables.
  func watch(_ tables: [QualifiedTableName: Subscription.Interest]) {
    watch(tables, andSchema: false)
  }

  /// Limits the watched rows to those that meet a query's conditions, if the conditions are known.
  /// Returns the indexes that are missing. If they existed, even fewer rows would be watched.
  ///
  /// - Parameter connection: a connection for reading facts that are not known yet. If it is nil
  ///   and such a fact is needed, the method throws.
  func narrow(
    _ interests: inout [QualifiedTableName: Subscription.Interest],
    by conditions: QueryConditions?, values: [DatabaseValue], schemaVersion: Int32,
    on connection: Connection?
  ) throws -> [SuggestedIndex] {
    guard let conditions, let tracker, tracker.seesRows, database.hasBuiltInCollations else {
      return []
    }
    let schema = RoutedSchema(
      version: schemaVersion, connection: connection, known: tracker.knownRoutes)
    let lacking = try conditions.narrow(&interests, arguments: values, in: schema)
    var indexes: [SuggestedIndex] = []
    for sql in lacking {
      indexes += try schema.missingIndexes(for: sql).filter { !indexes.contains($0) }
    }
    return indexes
  }

  /// Also watches every change of the schema. This is needed if a table or column of the query does
  /// not exist. Returns false if the schema is watched already.
  func watchSchema() -> Bool {
    let (tables, isWatched) = watched.withLock { ($0?.tables ?? [:], $0?.watchesSchema ?? false) }
    if !isWatched { watch(tables, andSchema: true) }
    return !isWatched
  }

  private func watch(
    _ tables: [QualifiedTableName: Subscription.Interest], andSchema watchesSchema: Bool
  ) {
    guard let tracker else { return }
    // The new subscription is added before the old one is removed, so that no commit is missed in
    // between.
    let subscription = Subscription(
      tables: tables, queue: queue, isLive: true, watchesSchema: watchesSchema)
    let id = tracker.watch(subscription, in: database)
    let new = Watched(subscription: id, tables: tables, watchesSchema: watchesSchema)
    let old = watched.withLock { watched in
      defer { watched = new }
      return watched
    }
    if let old { tracker.remove(old.subscription) }
  }

  /// Returns whether all these tables and columns are watched already.
  func covers(_ tables: [QualifiedTableName: Subscription.Interest]) -> Bool {
    guard let known = watched.withLock({ $0?.watchesSchema == false ? $0?.tables : nil }) else {
      return false
    }
    return tables.allSatisfy { table, interest in
      guard let own = known[table] else { return false }
      guard let columns = own.columns else { return true }
      return interest.columns.map { $0.isSubset(of: columns) } ?? false
    }
  }

  /// Waits until a watched table may have been touched. Returns false if the task is cancelled or
  /// the database is closed.
  func wait() async -> Bool {
    await queue.wait() && !Task.isCancelled
  }

  /// Whether the database is closed or the observation was ended. If so, a failed read is not
  /// repeated.
  var hasEnded: Bool { queue.isEnded || database.isClosed }

  /// Requests another fetch of the result, and waits until `answerRefreshes()` is called for the
  /// request.
  func refresh() async {
    let done = Signal()
    if queue.refresh(done) { _ = await done.wait() }
  }

  /// Ends the observation. Nothing is fetched any more, and callers that wait for a fetch resume.
  func end() {
    queue.end()
  }

  /// Resumes the callers of `refresh()` whose requests `takeTouch()` has taken.
  func answerRefreshes() {
    let refreshes = refreshes.withLock { refreshes in
      defer { refreshes = [] }
      return refreshes
    }
    for refresh in refreshes { refresh.giveForEver() }
  }

  /// Takes the commits since the last call, up to the given commit, and returns their effect. Later
  /// commits stay in the queue for the next call.
  func takeTouch(through last: UInt64 = .max) -> Touch {
    let waiting = queue.take(through: last)
    if !waiting.refreshes.isEmpty { refreshes.withLock { $0 += waiting.refreshes } }
    let (tables, watchesSchema) = watched.withLock {
      ($0?.tables ?? [:], $0?.watchesSchema ?? false)
    }
    var isUnknown = !waiting.everything.isEmpty || !waiting.refreshes.isEmpty
    for (table, events) in waiting.dropped ?? [:] where tables[table] != nil || watchesSchema {
      if events.contains(.schemaChanged) { return .schema }
      if tables[table] != nil { isUnknown = true }
    }
    var touching: [Commit] = []
    for commit in waiting.commits {
      var isTouched = false
      for write in commit.writes {
        for (table, changes) in write.tables {
          if watchesSchema, changes.events.contains(.schemaChanged) { return .schema }
          guard let interest = tables[table], changes.touches(interest) else { continue }
          if changes.events.contains(.schemaChanged) { return .schema }
          if !changes.events.isEmpty { isUnknown = true }
          isTouched = true
        }
      }
      if isTouched { touching.append(commit) }
    }
    if isUnknown { return .unknown }
    return touching.isEmpty ? .none : .rows(touching)
  }

  /// Reads from the database for the observation. While another connection holds a lock, tries
  /// again after pauses until the lock is free. No connection is in use during the pauses.
  ///
  /// - Parameter isFirst: Whether the program waits for the read, as for a first result. If true,
  ///   the read has the priority of an ordinary read, which is higher than the priority of live
  ///   queries that run again.
  func reading<Result: Sendable>(
    hops: Bool, isFirst: Bool = false,
    _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    try await retrying { try await database.observing(hops: hops, isFirst: isFirst, body) }
  }

  /// Runs a closure. While another connection locks the database, runs the closure again after a
  /// pause.
  func retrying<Result>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    var pause = Duration.milliseconds(10)
    while true {
      do {
        return try await body()
      } catch let error as DatabaseError where error.isLock {
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(1))
      }
    }
  }
}

extension DatabaseError {
  /// Whether the error is temporary, because another connection holds a lock.
  var isLock: Bool {
    code.primary == .busy || code.primary == .locked || code.primary == .lockingProtocol
  }

  /// Whether the error says that a table, view or column does not exist.
  var isMissingName: Bool {
    code.primary == .error
      && ["no such table", "no such column", "no such view"].contains(where: message.hasPrefix)
  }
}

extension Connection {
  /// Returns the tables and columns to watch, for a query that reads the given columns.
  ///
  /// For a virtual table, its shadow tables are watched, too. If the query reads a VIRTUAL
  /// generated column, the whole table is watched, because SQLite does not report from which
  /// columns the generated column is calculated. The whole table is also watched if the query reads
  /// a rowid that is not the key: REPLACE gives a row another rowid, even if it changes only
  /// columns that the query does not read. SQLite does not report changes of its own tables, such
  /// as `sqlite_schema`. So if the writer changes such a table, no query that reads it is notified.
  func interests(
    of dependencies: Set<ColumnDependency>
  ) throws -> [QualifiedTableName: Subscription.Interest] {
    let virtual = Set(
      try rows("SELECT schema, name FROM pragma_table_list WHERE type = 'virtual'")
        .map { QualifiedTableName(schema: try $0.get(at: 0), try $0.get(at: 1)) })
    var interests: [QualifiedTableName: Subscription.Interest] = [:]
    for dependency in dependencies {
      let table = QualifiedTableName(schema: dependency.database, dependency.table)
      var interest = interests[table] ?? Subscription.Interest(columns: [])
      if !dependency.column.isEmpty {
        interest.columns?.insert(dependency.column.lowercasedASCII)
      }
      interests[table] = interest
    }
    for (table, interest) in interests {
      if virtual.contains(table) {
        for shadow in try shadowTables(of: table) { interests[shadow] = Subscription.Interest() }
      } else if let columns = interest.columns, !columns.isEmpty {
        let declared = try self.columns(of: table)
        let hasKey = declared.contains { $0.primaryKeyPosition > 0 }
        let calculated = declared.filter { $0.generation == .virtual }
        if calculated.contains(where: { columns.contains($0.name.lowercasedASCII) })
          || hasKey && !columns.isSubset(of: declared.map(\.name.lowercasedASCII))
        {
          interests[table]?.columns = nil
        }
      }
    }
    return interests
  }

  private func shadowTables(of table: QualifiedTableName) throws -> [QualifiedTableName] {
    try rows("SELECT schema, name FROM pragma_table_list WHERE type = 'shadow'")
      .map { QualifiedTableName(schema: try $0.get(at: 0), try $0.get(at: 1)) }
      .filter { $0.schema == table.schema && $0.name.hasPrefix(table.name + "_") }
  }
}
