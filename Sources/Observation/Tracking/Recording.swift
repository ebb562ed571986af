import SQLCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the writer records: the watched tables, and the log of the transaction that runs.
struct Recording {
  /// The tables that are watched, folded, with the columns to record; nil for all.
  private let wanted: [String: Set<String>?]
  private var tables: [TrackedTable] = []
  private var places: [String: Int] = [:]
  /// The schema for which `tables` is right.
  private var schemaVersion: Int64?
  private var log = EventLog()
  private var lastTable: (pointer: UnsafePointer<CChar>, place: Int?)?
  /// Whether a row of the transaction could not be recorded as it is.
  private var isIncomplete = false
  private var didChangeSchema = false
  /// Which hook fired since the statement that runs began.
  private var outcome: Outcome?
  /// Whether `tables` was found right since the transaction began.
  private var isPrepared = false

  private enum Outcome { case committed, rolledBack }

  init(of subscriptions: [Subscription]) {
    var wanted: [String: Set<String>?] = [:]
    for subscription in subscriptions {
      for (table, interest) in subscription.tables {
        guard let known = wanted[table] else {
          wanted[table] = .some(interest.columns)
          continue
        }
        if let known, let columns = interest.columns {
          wanted[table] = .some(known.union(columns))
        } else {
          wanted[table] = .some(nil)
        }
      }
    }
    self.wanted = wanted
  }

  // MARK: Statements

  mutating func statementWillRun(_ statement: StatementPointer, on core: ConnectionCore) {
    outcome = nil
    if !statement.pointee.isReadOnly, !isPrepared { prepareTables(on: core) }
    log.begin(statement)
  }

  /// What was committed by the statement that ended, if anything was.
  mutating func statementDidRun(
    _ statement: StatementPointer, failed: Bool, on core: ConnectionCore
  ) -> CommittedChanges? {
    guard let mark = log.end(statement) else { return nil }
    if failed {
      cutAfterFailure(since: mark, on: core)
    } else {
      if let action = statement.pointee.savepointAction { log.apply(action) }
      if statement.pointee.effects.contains(.changesSchema) {
        didChangeSchema = true
        isPrepared = false
      }
    }
    lastTable = nil
    guard !core.isInTransaction else { return nil }
    defer {
      log.removeAll()
      isIncomplete = false
      isPrepared = false
      didChangeSchema = false
      outcome = nil
    }
    return outcome == .committed ? committed() : nil
  }

  mutating func commitHookDidFire() { outcome = .committed }

  mutating func rollbackHookDidFire() {
    outcome = .rolledBack
    log.removeAll()
    isIncomplete = false
    isPrepared = false
    didChangeSchema = false
  }

  /// Keeps or drops what a statement did before it failed, as SQLite did.
  ///
  /// Under ABORT its rows are undone, under FAIL they stay; the count of changes tells which, but
  /// not where triggers wrote and the statement itself wrote nothing. Then one row is read back.
  private mutating func cutAfterFailure(since mark: Int, on core: ConnectionCore) {
    guard core.isInTransaction else {
      if outcome != .committed { log.removeAll() }
      return
    }
    let events = log.events(since: mark)
    guard !events.isEmpty, core.changeCount == 0 else { return }
    if events.contains(where: \.isNested), stands(events, on: core) { return }
    log.cut(to: mark)
  }

  /// Whether the events of a statement that failed are in the database: one row of them tells.
  private func stands(_ events: ArraySlice<RowEvent>, on core: ConnectionCore) -> Bool {
    guard let (place, changes) = events.netted().first, let change = changes.first else {
      return false
    }
    let found = try? tables[place].read(change.key, on: core.lend())
    return found == change.new
  }

  private func committed() -> CommittedChanges? {
    var changes = CommittedChanges(isUnknown: isIncomplete || didChangeSchema)
    for (place, rows) in log.events.netted() {
      let table = tables[place]
      changes.tables[table.name.lowercasedASCII] = CommittedChanges.Table(
        keyNames: table.keyNames, columns: table.recorded.map(\.name), rows: rows)
    }
    return changes.isUnknown || !changes.tables.isEmpty ? changes : nil
  }

  // MARK: Tables

  /// Reads the watched tables where the schema is another than before.
  private mutating func prepareTables(on core: ConnectionCore) {
    let connection = core.lend()
    do {
      let version = try connection.row("PRAGMA schema_version")?.get(Int64.self, at: 0)
      isPrepared = true
      guard version != schemaVersion || schemaVersion == nil else { return }
      // Rows that were recorded keep their places: tables are added behind them.
      places = [:]
      for (name, columns) in wanted {
        guard
          let table = try TrackedTable(named: name, recording: columns, on: connection)
        else { continue }
        places[name] = tables.count
        tables.append(table)
      }
      if log.events.isEmpty {
        tables = places.sorted { $0.value < $1.value }.map { tables[$0.value] }
        places = Dictionary(
          uniqueKeysWithValues: tables.enumerated().map { ($1.name.lowercasedASCII, $0) })
      }
      schemaVersion = version
    } catch {
      // Not to know is no reason to be silent.
      isIncomplete = true
    }
  }

  // MARK: Rows

  mutating func rowWillChange(_ event: borrowing PreUpdateEvent) {
    guard let place = place(of: event) else { return }
    let table = tables[place]
    let isNested = event.depth > 0
    let old = event.kind == .insert ? nil : table.oldState(of: event)
    // An incremental BLOB shows as a deletion of which only the old row is told.
    guard event.blobColumn < 0 else {
      isIncomplete = true
      return
    }
    let new = event.kind == .delete ? nil : table.newState(of: event)
    guard (old != nil) == (event.kind != .insert), (new != nil) == (event.kind != .delete) else {
      isIncomplete = true
      return
    }
    log.append(RowEvent(table: place, old: old, new: new, isNested: isNested))
  }

  /// The table of a row; the name is read only where its pointer is another than for the row before.
  private mutating func place(of event: borrowing PreUpdateEvent) -> Int? {
    if let lastTable, lastTable.pointer == event.table { return lastTable.place }
    let isMain = strcmp(event.database, "main") == 0
    let place = isMain ? places[String(cString: event.table).lowercasedASCII] : nil
    lastTable = (event.table, place)
    return place
  }
}
