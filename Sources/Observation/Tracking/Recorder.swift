import SQLCore

/// Records what the writer changes: the log of the transaction that runs, and the watched tables.
///
/// Used by the one access that holds the writer, and in the hooks that run within it: what changes
/// with each statement is `@exclusivity(unchecked)`, since no access to it overlaps another one, and
/// looking for that costs as much as the rest.
final class Recorder {
  /// The writer that the recorder is installed on; it owns the recorder.
  unowned let core: ConnectionCore
  let granularity: Granularity
  let wanted: WantedTables
  private let clock: CommitClock
  private let foreignCommits: ForeignCommits
  private let publish: (Commit?, ForeignCommits.Finding) -> Void

  @exclusivity(unchecked) var tables: [TrackedTable] = []
  var places: [QualifiedTableName: Int] = [:]
  /// The schemas for which `tables` is right, by database; empty before the first look.
  var schemaVersions: [String: Int32] = [:]
  /// Whether `tables` was found right since the transaction began.
  @exclusivity(unchecked) var isPrepared = false
  /// Whether the transaction that runs changed the schema.
  @exclusivity(unchecked) var didChangeSchema = false
  /// Where the log stood when it last did.
  @exclusivity(unchecked) var schemaChangePosition = 0
  /// How the watched tables were defined before it.
  var committedDefinitions: [QualifiedTableName: String] = [:]
  @exclusivity(unchecked) var log: EventLog
  /// The places of the tables whose rows changed last; −1 where rows are not recorded.
  @exclusivity(unchecked) var recentPlaces = RecentTables()
  /// The columns that the statement assigns that last changed a row.
  @exclusivity(unchecked) private var assigned: AssignedColumns?
  /// Which hook fired since the statement that runs began.
  @exclusivity(unchecked) private var outcome: Outcome?
  /// A statement of our own runs, which is nobody's business.
  @exclusivity(unchecked) private var isReading = false

  private enum Outcome { case committed, rolledBack }

  /// What is recorded.
  enum Granularity {
    /// Every row, as the pre-update hook tells it.
    case rows
    /// The tables that statements write, as the authorizer tells them, where SQLite was built
    /// without that hook.
    case tables
  }

  init(
    of wanted: WantedTables, granularity: Granularity, on core: ConnectionCore,
    clock: CommitClock, foreignCommits: ForeignCommits,
    publish: @escaping (Commit?, ForeignCommits.Finding) -> Void
  ) {
    self.wanted = wanted
    self.granularity = granularity
    self.core = core
    self.clock = clock
    self.foreignCommits = foreignCommits
    self.publish = publish
    log = EventLog(maximumRows: core.configuration.maximumTrackedRows)
  }

  deinit {
    recentPlaces.removeAll()
  }

  /// Runs statements of our own.
  func reading<Result>(_ body: (Connection) throws -> Result) rethrows -> Result {
    isReading = true
    defer { isReading = false }
    return try body(core.lend())
  }
}

extension Recorder: ConnectionObserver {
  func statementWillRun(_ statement: StatementPointer, on core: ConnectionCore) {
    guard !isReading else { return }
    outcome = nil
    if granularity == .tables, !log.isStatementRunning { core.forgetNotedTables() }
    // How the tables were defined before it is compared with how they are after it. What only writes
    // rows has them read when a row of one of them changes.
    if statement.pointee.effects.contains(.changesSchema), !isPrepared { prepareTables() }
    log.begin(statement)
  }

  func statementDidRun(_ statement: StatementPointer, failed: Bool, on core: ConnectionCore) {
    guard !isReading, let mark = log.end(statement) else { return }
    if failed {
      noteWrites(of: statement)
      cutAfterFailure(since: mark)
    } else {
      didRun(statement)
    }
    guard !core.isInTransaction else { return }
    finish()
  }

  func sharedWriteDidEnd(on core: ConnectionCore) {
    log.endWrite(label: core.writeLabel)
  }

  func commitHookDidFire() {
    outcome = .committed
    // The lock is held: whatever others committed came before this commit.
    foreignCommits.look(on: core)
    clock.begin()
  }

  func rollbackHookDidFire() {
    outcome = .rolledBack
    forget()
  }

  private func didRun(_ statement: StatementPointer) {
    noteWrites(of: statement)
    if let action = statement.pointee.savepointAction, log.apply(action) {
      // What was undone may have been a change of the schema.
      isPrepared = false
    }
    guard statement.pointee.effects.mayChangeTables else { return }
    isPrepared = false
    guard statement.pointee.effects.contains(.changesSchema) else { return }
    didChangeSchema = true
    schemaChangePosition = log.position
    for effect in statement.pointee.tableEffects where effect.kind == .schema {
      let table = QualifiedTableName(schema: effect.database, effect.table)
      if table.isObservable { log.note(.schemaChanged, table) }
    }
  }

  private func noteWrites(of statement: StatementPointer) {
    guard granularity == .tables else { return }
    core.noteTablesAnew(of: statement)
    for effect in statement.pointee.tableEffects where effect.kind == .rows {
      let table = QualifiedTableName(schema: effect.database, effect.table)
      if table.isObservable { log.note(.tableChanged, table) }
    }
  }

  /// Keeps or drops what a statement did before it failed, as SQLite did.
  ///
  /// Under ABORT its rows are undone, under FAIL they stay; the count of changes tells which, but
  /// not where triggers wrote and the statement itself wrote nothing. Then one row is read back.
  private func cutAfterFailure(since mark: Int) {
    // Which tables may have changed is kept, where no rows are recorded.
    guard granularity == .rows else { return }
    guard core.isInTransaction else {
      if outcome != .committed { log.removeAll() }
      return
    }
    let events = log.rows(since: mark)
    guard !events.isEmpty, core.changeCount == 0 else { return }
    if events.contains(where: \.isNested), stands(events) { return }
    log.cut(to: mark)
  }

  /// Whether the events of a statement that failed are in the database: one row of them tells.
  private func stands(_ events: ArraySlice<RowEvent>) -> Bool {
    for (table, netted) in netted(events) {
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
      foreignCommits.look(on: core)
      return publish(nil, foreignCommits.takeFinding())
    }
    // Before anything is read, which may show what others commit from now on.
    foreignCommits.didCommit(on: core)
    var writes: [WriteChanges] = []
    if didChangeSchema || !log.isEmpty {
      if didChangeSchema { noteChangedDefinitions() }
      writes = self.writes()
      foreignCommits.look(on: core)
    }
    let sequence = clock.end()
    let commit = writes.isEmpty ? nil : Commit(sequence: sequence, writes: writes)
    publish(commit, foreignCommits.takeFinding())
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
    let table = tables[place]
    let start = log.values.count
    let row = table.record(
      event, at: place, in: log.values, assigned: assignedColumns(by: event, in: table)
    ) { key in
      try reading { try table.read(key, on: $0) }
    }
    if let row { return log.append(row, of: tables) }
    log.values.truncate(to: start)
    log.note(.tableChanged, table.name)
  }

  /// The columns that may have other values after the row is updated; nil for all.
  ///
  /// Only the statement itself assigns what its text says; what its triggers do is deeper. Where two
  /// statements run, it is not known whose row it is.
  private func assignedColumns(
    by event: borrowing PreUpdateEvent, in table: TrackedTable
  ) -> AssignedColumns? {
    guard event.kind == .update, !table.hasCalculatedColumns, event.depth == 0,
      let assignments = log.onlyStatement?.pointee.assignments, !assignments.isEmpty
    else { return nil }
    if let assigned, assigned.isOf(assignments, table) { return assigned }
    let new = AssignedColumns(assignments, of: table)
    assigned = new
    return new
  }

  /// The place of a row's table; −1 where the row is not recorded, nil where no row of a table of
  /// that name ever is.
  private func place(of event: borrowing PreUpdateEvent) -> Int? {
    if isPrepared, let place = recentPlaces.value(of: event) { return place }
    let name = QualifiedTableName(
      schema: String(cString: event.database), String(cString: event.table))
    guard wanted.contains(name) else { return nil }
    // The schema is looked at here, where the transaction has its lock and nobody else can change
    // it. SQLite's own sessions run statements in this hook as well.
    if !isPrepared { prepareTables() }
    guard isPrepared else {
      log.note(.tableChanged, name)
      return -1
    }
    let place = places[name]
    if place == nil, case .some = wanted {
      // It was not found, and yet it is there: its columns are not known.
      log.note(.tableChanged, name)
      return -1
    }
    recentPlaces.note(place ?? -1, of: event)
    return place ?? -1
  }
}
