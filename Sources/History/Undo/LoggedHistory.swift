import ChangeObservation
import QueryDSL
import SQLCore

/// A history of some tables over the change log.
///
/// The steps are read from the log. An entry that undoes another entry stores the number of that
/// entry. So after a restart, the log still shows which steps were undone.
final class LoggedHistory: HistorySource, CommitReceiver {
  private struct State {
    var stack: HistoryStack<Int64>
    /// The position of the last entry that was read.
    var position: LogPosition
    /// The numbers of entries that are not steps, because they undo or redo a transaction that does
    /// not belong to the history: the transaction is older than the history, or it was already
    /// purged. An entry that undoes or redoes such an entry is not a step, either.
    var outside: Set<Int64> = []
  }

  private let tables: Set<String>
  private let author: String?
  private let start: LogPosition
  private let state: Lock<State>
  let updates = HistoryUpdates()
  let needsWitness = false

  /// - Parameter tables: the names of the tables in lower case.
  init(_ tables: Set<String>, after start: LogPosition, _ options: HistoryOptions) {
    self.tables = tables
    self.start = start
    author = options.author
    state = Lock(
      State(
        stack: HistoryStack(groupsByLabel: options.groupsByLabel, limit: options.limit),
        position: start))
  }

  // MARK: Commits

  func append(_ commit: Commit) { updates.send() }
  func end() { updates.end() }

  // MARK: Reading the log

  func steps(in database: Database) throws -> HistorySteps {
    try database.log.endForeignEntry()
    let state = try database.read { try self.read(on: $0) }
    keep(state)
    return HistorySteps(state.stack)
  }

  func steps(in database: Database) async throws -> HistorySteps {
    try await database.log.endForeignEntry()
    let state = try await database.read { try self.read(on: $0) }
    keep(state)
    return HistorySteps(state.stack)
  }

  /// Reads the entries that were added since the last read.
  private func read(on connection: Connection) throws -> State {
    var state = state.withLock { $0 }
    let purged = try connection.purgedLogPosition()
    state.stack.remove(upTo: purged)
    if state.position.number < purged {
      state.position = try connection.logPosition(ofEntry: purged)
    }
    while true {
      let entries = try connection.logEntries(after: state.position, limit: 500)
      guard let last = entries.last else { break }
      for entry in entries { follow(entry, purged: purged, in: &state) }
      state.position = last.position
    }
    return state
  }

  /// Keeps the state after a read, so that the next read continues after the entries of this one.
  private func keep(_ new: State) {
    state.withLock { known in
      // If another thread has read further entries in the meantime, its state is kept.
      if known.position.number <= new.position.number { known = new }
    }
  }

  /// - Parameter purged: the number up to which the log was purged.
  private func follow(_ entry: LogEntry, purged: Int64, in state: inout State) {
    if let gap = entry.gap {
      // The gap says that the log lacks earlier changes of the table. So the steps before the gap
      // cannot be undone.
      if tables.contains(gap.lowercasedASCII) { state.stack.removeAll() }
      return
    }
    let isOfTables = entry.changes.contains { tables.contains($0.shape.foldedTable) }
    // An entry may undo a transaction in other tables only, because a history of those tables wrote
    // the entry. In this history, such an entry undoes nothing.
    if let undone = entry.undoneSequence, isOfTables || entry.changes.isEmpty {
      let isEmpty = entry.changes.isEmpty
      if state.stack.invert(undone, by: entry.sequence, isEmpty: isEmpty) { return }
      if undone <= max(start.number, purged) || state.outside.contains(undone) {
        state.outside.insert(entry.sequence)
        return
      }
    }
    guard isOfTables, entry.origin == nil, author == nil || entry.author == author else { return }
    let step = HistoryStep(
      id: entry.sequence, label: entry.label, author: entry.author, date: entry.date,
      last: entry.position)
    state.stack.add(entry.sequence, step)
  }

  // MARK: Undo and redo

  func perform(
    _ action: HistoryAction, _ given: HistoryStep?, resolving policy: ConflictPolicy,
    on core: ConnectionCore, _ witness: HistoryWitness
  ) throws -> HistoryOutcome? {
    var found: HistoryStep?
    var conflicts: [ResolvedConflict] = []
    let state = try ChangeApplication.run(on: core, of: tables) { application, connection in
      try connection.endLogEntry()
      let state = try read(on: connection)
      guard let step = state.stack.step(action, given) else {
        // After a restore, another transaction may have the number of the step. The error then says
        // that the position is unknown.
        if let given { try connection.requireKnownLogPosition(given.last) }
        return state
      }
      let info = step.step
      found = info
      // Observers receive the label and the author. The label is set first, because setting the
      // label clears the author.
      core.writeLabel = info.label
      core.writeAuthor = info.author
      for member in action == .redo ? step.members : step.members.reversed() {
        guard let entry = try connection.logEntry(member.transaction) else {
          throw HistoryError.unknownStep(info.id)
        }
        if action != .skip {
          let isOwn = { (change: AnyLogChange) in
            self.tables.contains(change.shape.foldedTable)
          }
          conflicts += try info.naming(action) {
            // If a transaction changed the key of a row, its undo is logged as a deletion and an
            // insertion, which do not show that the key changed. So the changed keys are read from
            // the original transaction.
            try application.apply(
              entry.changes.filter(isOwn).map(\.inverted), resolving: policy,
              rekeyed: { try connection.rekeyedRows(inEntry: member.step.id) })
          }
          // A redo also restores the rows in other tables that the undo changed.
          if member.transaction != member.step.id {
            conflicts += try application.restore(
              entry.changes.filter { !isOwn($0) }.map(\.inverted))
          }
        }
        // This stores the number of the reversed entry. If the step is skipped, the new entry has
        // no changes.
        try connection.endLogEntry(
          undoing: member.transaction, label: info.label, author: info.author)
      }
      return state
    }
    // The state is kept only after the commit. The transaction may have ended an entry of another
    // program; after a rollback, that entry would be open again and might grow.
    keep(state)
    guard let found else {
      if let given { throw HistoryError.unknownStep(given.id) }
      return nil
    }
    return HistoryOutcome(step: found, conflicts: conflicts)
  }
}
