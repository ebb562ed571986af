import SQLCore

/// The recorder of the writer's changes. It has the log of the current transaction and the watched
/// tables.
///
/// Only the access that holds the writer, and the hooks that run within it, use the recorder.
/// Properties that change with each statement are `@exclusivity(unchecked)`: accesses to them never
/// overlap, and the checks would take as long as all other work of the recorder.
final class Recorder {
  /// The connection of the writer, which owns the recorder.
  unowned let core: ConnectionCore
  let granularity: Granularity
  let wanted: WantedTables
  private let clock: CommitClock
  private let foreignCommits: ForeignCommits
  /// A closure that delivers a commit to the observers. Its second argument says whether other
  /// connections committed before. Its third argument is a closure that answers a `RouteQuestion`
  /// from the state after the commit.
  typealias Publish = (
    Commit?, ForeignCommits.Finding, (RouteQuestion) -> [[DatabaseValue]]?
  ) -> Void

  private let publish: Publish

  @exclusivity(unchecked) var tables: [TrackedTable] = []
  var places: [QualifiedTableName: Int] = [:]
  /// The schema version of the main database when `tables` was read; nil before the first read.
  var schemaVersion: Int32?
  /// The schema versions of attached databases with watched tables, when `tables` was read.
  var attachedVersions: [String: Int32] = [:]
  /// The attached databases that have watched tables; nil for all attached databases.
  let watchedSchemas: Set<String>?
  /// Whether `tables` was checked against the schema since the transaction began.
  @exclusivity(unchecked) var isPrepared = false
  /// Whether the current transaction changed the schema.
  @exclusivity(unchecked) var didChangeSchema = false
  /// The position of the log when the schema last changed.
  @exclusivity(unchecked) var schemaChangePosition = 0
  /// The definitions of the watched tables before the transaction changed the schema.
  var committedDefinitions: [QualifiedTableName: String] = [:]
  @exclusivity(unchecked) var log: RecordedRows
  /// The indices in `tables` of the recently changed tables; −1 if the rows of a table are not
  /// recorded.
  @exclusivity(unchecked) var recentPlaces = RecentTables()
  /// The columns that the last recorded UPDATE assigns.
  @exclusivity(unchecked) private var assigned: AssignedColumns?
  /// A copy of the contents of `assigned`, which can be read without reference counting.
  @exclusivity(unchecked) private var known: KnownAssignment?
  /// The hook that fired since the current statement began: the commit hook or the rollback hook.
  /// Nil if neither of them fired.
  @exclusivity(unchecked) private var outcome: Outcome?
  /// Whether the recorder is running its own statement, which is not recorded.
  @exclusivity(unchecked) private var isReading = false

  /// The number of the writer's commits to the write-ahead log, as it was when the writer last
  /// began to commit.
  @exclusivity(unchecked) private var loggedCount: UInt32?

  private enum Outcome { case committed, rolledBack }

  private struct KnownAssignment: BitwiseCopyable {
    let identity: AssignedColumns.Identity
    let columns: AssignedColumns.Columns?
  }

  /// How detailed the recorded changes are.
  enum Granularity {
    /// Every row, as the pre-update hook reports it.
    case rows
    /// Only the tables that statements write, as the authorizer reports them. This is used if there
    /// is no pre-update hook.
    case tables
  }

  init(
    of wanted: WantedTables, granularity: Granularity, on core: ConnectionCore,
    clock: CommitClock, foreignCommits: ForeignCommits,
    publish: @escaping Publish
  ) {
    self.wanted = wanted
    self.granularity = granularity
    self.core = core
    self.clock = clock
    self.foreignCommits = foreignCommits
    self.publish = publish
    log = RecordedRows(maximumRows: core.configuration.maximumTrackedRows)
    watchedSchemas =
      switch wanted {
      case .all: nil
      case .some(let tables): Set(tables.keys.lazy.map(\.schema)).subtracting(["main"])
      }
  }

  deinit {
    recentPlaces.removeAll()
  }

  /// Runs the recorder's own statements, which are not recorded.
  func reading<Result>(_ body: (Connection) throws -> Result) rethrows -> Result {
    isReading = true
    defer { isReading = false }
    return try body(core.lend())
  }
}

extension Recorder: StatementObserver {
  func statementWillRun(_ statement: StatementPointer, on core: ConnectionCore) {
    guard !isReading else { return }
    outcome = nil
    if granularity == .tables, !log.isStatementRunning { core.forgetNotedTables() }
    // If the statement changes the schema, the tables are read now, because their definitions are
    // compared with the definitions after the change. If a statement only writes rows, the tables
    // are read when a row of a watched table changes.
    if statement.pointee.effects.contains(.changesSchema), !isPrepared { prepareTables() }
    log.begin(statement)
  }

  func statementDidRun(_ statement: StatementPointer, failed: Bool, on core: ConnectionCore) {
    guard !isReading, let mark = log.end(statement) else { return }
    if failed {
      if granularity == .tables { noteWrites(of: statement) }
      cutAfterFailure(since: mark)
    } else {
      didRun(statement)
    }
    guard !core.isInTransaction else { return }
    finish()
  }

  func sharedWriteDidEnd(on core: ConnectionCore) {
    log.endWrite(label: core.writeLabel, author: core.writeAuthor)
  }

  func commitHookDidFire() {
    outcome = .committed
    // The writer holds its lock, so every commit of another connection came before this commit.
    foreignCommits.probe(on: core)
    loggedCount = core.loggedCommitCount
    clock.begin()
  }

  func rollbackHookDidFire() {
    outcome = .rolledBack
    // The transaction changed the schema, and its change was rolled back. The next change of the
    // schema, perhaps by another connection, gets the same version. So `schemaVersion` no longer
    // identifies the schema that was read.
    if didChangeSchema { schemaVersion = nil }
    forget()
  }

  private func didRun(_ statement: StatementPointer) {
    if granularity == .tables { noteWrites(of: statement) }
    if let action = statement.pointee.savepointAction, log.apply(action) {
      // The rollback may have undone a change of the schema.
      isPrepared = false
    }
    guard statement.pointee.effects.mayChangeTables else { return }
    isPrepared = false
    // After DETACH and ATTACH, a database's name may belong to another file with the same schema
    // version.
    if statement.pointee.effects.contains(.changesConnection) { attachedVersions = [:] }
    guard statement.pointee.effects.contains(.changesSchema) else { return }
    didChangeSchema = true
    schemaChangePosition = log.position
    for effect in statement.pointee.tableEffects where effect.kind == .schema {
      let table = QualifiedTableName(schema: effect.database, effect.table)
      if table.isObservable { log.note(.schemaChanged, table) }
    }
  }

  @inline(never)
  private func noteWrites(of statement: StatementPointer) {
    core.noteTablesAgain(of: statement)
    for effect in statement.pointee.tableEffects where effect.kind == .rows {
      let table = QualifiedTableName(schema: effect.database, effect.table)
      if table.isObservable { log.note(.tableChanged, table) }
    }
  }

  /// Drops the recorded rows of a statement that failed, if SQLite has undone its changes.
  ///
  /// With ABORT, SQLite undoes the statement's changes. With FAIL, the changes stay. SQLite's count
  /// of changes shows which is the case, unless only triggers wrote rows. In that case, the
  /// recorder reads one row back.
  private func cutAfterFailure(since mark: Int) {
    // If rows are not recorded, the log keeps the tables, because they may have changed.
    guard granularity == .rows else { return }
    guard core.isInTransaction else {
      if outcome != .committed { log.removeAll() }
      return
    }
    let rows = log.rows(since: mark)
    guard !rows.isEmpty, core.changeCount == 0 else { return }
    if rows.contains(where: \.isNested), stands(rows) { return }
    log.cut(to: mark)
  }

  /// Returns whether the changes of a failed statement are still in the database. Only one row is
  /// read, because SQLite undoes all changes or none.
  private func stands(_ rows: ArraySlice<RecordedRow>) -> Bool {
    for (table, netted) in netted(rows) {
      guard let row = netted.rows.first else { continue }
      let found = try? reading { try table.read(netted.key(of: row), on: $0) }
      guard row.new >= 0 else { return found == nil }
      return found == log.values.values(of: row.new, count: table.recorded.count)
    }
    return false
  }

  // MARK: The end of a transaction

  private func finish() {
    defer { forget() }
    guard outcome == .committed else {
      clock.cancel()
      foreignCommits.probe(on: core)
      return publish(nil, foreignCommits.takeFinding(), answer)
    }
    // The detector must read the version of the file before the recorder reads anything else,
    // because a read may show later commits of other connections.
    foreignCommits.didCommit(on: core)
    var writes: [WriteChanges] = []
    if didChangeSchema || !log.isEmpty {
      if didChangeSchema { noteChangedDefinitions() }
      writes = self.writes()
      foreignCommits.probe(on: core)
    }
    let sequence = clock.end(isLogged: core.loggedCommitCount != loggedCount)
    let commit = writes.isEmpty ? nil : Commit(sequence: sequence, writes: writes)
    publish(commit, foreignCommits.takeFinding(), answer)
  }

  /// Answers a question such as “which users follow the changed feeds?”. The statement of the
  /// question's pattern reads the answer from the state after the commit. Returns nil if the
  /// pattern has no statement, or if the statement fails.
  private func answer(_ question: RouteQuestion) -> [[DatabaseValue]]? {
    guard let path = question.pattern.path else { return nil }
    return try? reading { connection in
      let core = try connection.use()
      let statement = try core.lendStatement(text: path.sql)
      defer { core.giveBack(statement) }
      let values = BoundValue.array(BoundArray(question.values))
      try core.bind(SQL(text: "", bindings: [values]), to: statement)
      var rows: [[DatabaseValue]] = []
      // The writer does not wait for a lock here.
      try core.waiting(atMost: .zero) {
        while try core.step(statement) {
          rows.append(try Row(copying: StatementRow(statement: statement)).values)
        }
      }
      return rows
    }
  }

  private func forget() {
    log.removeAll()
    isPrepared = false
    didChangeSchema = false
  }

  // MARK: Rows

  func rowWillChange(_ event: borrowing PreUpdateEvent) -> Bool {
    guard granularity == .rows, !isReading else { return true }
    guard let place = place(of: event) else { return false }
    if place >= 0 { record(event, at: place) }
    return true
  }

  private func record(_ event: borrowing PreUpdateEvent, at place: Int) {
    // The table and the values are not replaced while the hook runs, so they need not be retained.
    let row = Unmanaged.passUnretained(tables[place])._withUnsafeGuaranteedRef { table in
      let assigned = assignedColumns(by: event, in: table)
      return Unmanaged.passUnretained(log.values)._withUnsafeGuaranteedRef { values in
        let start = values.count
        let row = table.record(
          event, at: place, start: start, in: values, assigned: assigned, by: self)
        if row == nil { values.truncate(to: start) }
        return row
      }
    }
    guard let row else { return log.note(.tableChanged, tables[place].name) }
    if !log.append(row) { log.keepOnlyTables(of: row, among: tables) }
    log.didAppend(to: tables)
  }

  /// Returns the columns that may have other values after the row is updated; nil for all columns.
  ///
  /// The columns are known only for rows that a statement itself updates. If a trigger updates a
  /// row, the event's depth is above 0, and the trigger's assignments are not known. If two
  /// statements run at the same time, it is not known which of them changes a row.
  private func assignedColumns(
    by event: borrowing PreUpdateEvent, in table: TrackedTable
  ) -> AssignedColumns.Columns? {
    guard event.kind == .update, !table.hasCalculatedColumns, event.depth == 0,
      let statement = log.onlyStatement, let address = statement.pointee.assignmentsAddress
    else { return nil }
    let identity = AssignedColumns.Identity(assignments: address, table: ObjectIdentifier(table))
    if let known, known.identity == identity { return known.columns }
    return findAssignedColumns(statement.pointee.assignments, identity, in: table)
  }

  @inline(never)
  private func findAssignedColumns(
    _ assignments: [ColumnDependency], _ identity: AssignedColumns.Identity, in table: TrackedTable
  ) -> AssignedColumns.Columns? {
    // If the last recorded UPDATE assigned the same columns of the same table, its
    // `AssignedColumns` object is used again, even if that UPDATE was another statement.
    if let assigned, assigned.isOf(assignments, table) { return assigned.columns }
    let new = AssignedColumns(assignments, at: identity.assignments, of: table)
    assigned = new
    known = KnownAssignment(identity: new.identity, columns: new.columns)
    return new.columns
  }

  /// Returns the index in `tables` of a row's table. Returns −1 if this row is not recorded, and
  /// nil if no table with this name is watched.
  private func place(of event: borrowing PreUpdateEvent) -> Int? {
    // This is the fast path. A table in `recentPlaces` is known to be wanted. The name of the table
    // is needed only if the schema has changed since the table was added.
    if let place = recentPlaces.value(of: event) {
      if isPrepared { return place }
      prepareTables()
      if isPrepared, let place = recentPlaces.value(of: event) { return place }
    }
    let name = QualifiedTableName(
      schema: String(cString: event.database), String(cString: event.table))
    guard wanted.contains(name) else { return nil }
    // The schema is read here, because the transaction holds its lock now and no other connection
    // can change the schema. Running statements in this hook is safe: SQLite's own session
    // extension does so, too.
    if !isPrepared { prepareTables() }
    guard isPrepared else {
      log.note(.tableChanged, name)
      return -1
    }
    // An earlier transaction may have added the table to `recentPlaces`.
    if let place = recentPlaces.value(of: event) { return place }
    let place = places[name]
    if place == nil, case .some = wanted {
      // The row's table exists, but was not found when the watched tables were read. So its columns
      // are not known.
      log.note(.tableChanged, name)
      return -1
    }
    recentPlaces.note(place ?? -1, of: event)
    return place ?? -1
  }
}
