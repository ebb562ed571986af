import ChangeObservation
import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A history of some tables that is kept in memory. It has the old and new values of the changed
/// rows, which the pre-update hook recorded.
///
/// Commits arrive on the writer's thread, before the write returns. While the history itself undoes
/// or redoes a step, no other write can run. So every commit that arrives during this time was made
/// by the history itself.
final class HistoryRecorder: CommitReceiver {
  fileprivate struct State {
    var stack: HistoryStack<WriteChanges>
    var nextID: Int64 = 1
    /// A random number that distinguishes the steps of this history from the steps of other
    /// histories in memory.
    let epoch = Int64.random(in: 1 ... .max)
    /// Whether the history itself is writing, to undo or redo a step.
    var isWriting = false
  }

  private let tables: Set<QualifiedTableName>
  private let names: Set<String>
  private let author: String?
  private let state: Lock<State>
  let updates = HistoryUpdates()
  let needsWitness = true

  init(_ tables: Set<QualifiedTableName>, _ options: HistoryOptions) {
    self.tables = tables
    names = Set(tables.map(\.name))
    author = options.author
    state = Lock(
      State(
        stack: HistoryStack(groupsByLabel: options.groupsByLabel, limit: options.limit)))
  }

  func append(_ commit: Commit) {
    if let event = commit.everything {
      // `.tableChanged` means that the recorded changes are not complete, so the steps are lost.
      // Changes of other processes are never recorded, and the steps stay. If such a change
      // prevents an undo, the undo reports a conflict.
      if event == .tableChanged { removeAll() }
      return
    }
    let date = Date()
    state.withLock { state in
      for write in commit.writes { state.add(write, of: tables, by: author, date) }
    }
    updates.send()
  }

  func end() {
    removeAll()
    updates.end()
  }

  private func removeAll() {
    let old = state.withLock { state in
      let old = state.stack
      state.stack.removeAll()
      return old
    }
    withExtendedLifetime(old) {}
    updates.send()
  }
}

extension HistoryRecorder: HistorySource {
  func steps(in database: Database) throws -> HistorySteps {
    state.withLock { HistorySteps($0.stack) }
  }

  func steps(in database: Database) async throws -> HistorySteps {
    state.withLock { HistorySteps($0.stack) }
  }

  func perform(
    _ action: HistoryAction, _ given: HistoryStep?, resolving policy: ConflictPolicy,
    on core: ConnectionCore, _ witness: HistoryWitness
  ) throws -> HistoryOutcome? {
    guard let step = state.withLock({ $0.stack.step(action, given) }) else {
      if let given { throw HistoryError.unknownStep(given.id) }
      return nil
    }
    let info = step.step
    var written: WriteChanges?
    var conflicts: [ResolvedConflict] = []
    if action != .skip {
      let members = action == .undo ? step.members.reversed() : step.members
      let inverses = try members.map { member in
        (changes: try inverse(of: member.transaction), keys: rekeyed(in: member.transaction))
      }
      state.withLock { $0.isWriting = true }
      defer { state.withLock { $0.isWriting = false } }
      _ = witness.take()
      var reached: Set<String> = []
      conflicts = try info.naming(action) {
        try ChangeApplication.run(
          on: core, of: names, label: info.label, author: info.author
        ) { application, _ in
          reached = try application.reachedTables()
          return try inverses.flatMap { inverse in
            try application.apply(
              inverse.changes.own, resolving: policy, rekeyed: { inverse.keys })
              + application.restore(inverse.changes.others)
          }
        }
      }
      written = witness.take().flatMap { write in
        var write = write
        write.tables = write.tables.filter { name, changes in
          guard !changes.rows.isEmpty, !tables.contains(name) else { return !changes.rows.isEmpty }
          return name.schema == "main" && reached.contains(name.name) && changes.events.isEmpty
        }
        // If a transaction changed the key of a row, its undo is recorded as a deletion and an
        // insertion. This record does not show that the key changed, so the changed keys are taken
        // from the transaction that was reversed.
        for member in members {
          for (name, table) in member.transaction.tables {
            write.tables[name]?.rekeyedKeys.formUnion(table.rekeyedKeys)
          }
        }
        return write.tables.isEmpty ? nil : write
      }
    }
    state.withLock { $0.stack.move(action, step, with: written) }
    updates.send()
    return HistoryOutcome(step: info, conflicts: conflicts)
  }

  /// Returns the changes that reverse a write: `own` in the tables of the history, and `others` in
  /// other tables. Some rows cannot be restored exactly, because they had text that is not valid.
  /// For such a row, an error is thrown if it is in a table of the history. In other tables, the
  /// row is left out.
  private func inverse(
    of write: WriteChanges
  ) throws -> (own: [AnyLogChange], others: [AnyLogChange]) {
    var (own, others): ([AnyLogChange], [AnyLogChange]) = ([], [])
    for (name, table) in write.tables {
      if tables.contains(name) {
        try table.appendInverse(to: &own, exactly: true)
      } else {
        try table.appendInverse(to: &others, exactly: false)
      }
    }
    return (own, others)
  }

  /// Returns the rows of the history's tables whose keys a write may have changed.
  private func rekeyed(in write: WriteChanges) -> Set<ChangedRow> {
    var rows: Set<ChangedRow> = []
    for (name, table) in write.tables where tables.contains(name) {
      for key in table.rekeyedKeys {
        rows.insert(ChangedRow(table: name.name, key: key.values))
      }
    }
    return rows
  }
}

extension HistoryRecorder.State {
  fileprivate mutating func add(
    _ write: WriteChanges, of tables: Set<QualifiedTableName>, by author: String?, _ date: Date
  ) {
    var write = write
    write.tables = write.tables.filter { tables.contains($0.key) }
    guard !write.tables.isEmpty else { return }
    // If the write does not list all rows that it changed, an undo could not restore these rows. So
    // the history loses all its steps.
    let isIncomplete = write.tables.values.contains { $0.events.contains(.tableChanged) }
    if isIncomplete { stack.removeAll() }
    guard !isIncomplete, !isWriting, write.tables.values.contains(where: { !$0.rows.isEmpty }),
      author == nil || write.author == author
    else { return }
    let step = HistoryStep(
      id: nextID, label: write.label, author: write.author, date: date,
      last: LogPosition(nextID, in: epoch))
    nextID += 1
    stack.add(write, step)
  }
}

extension NettedTable {
  /// For each changed row, appends a change that restores its old values. The appended change has
  /// the same form as a change from the change log.
  ///
  /// - Parameter throwsIfInvalid: whether to throw for a row with text that SQLite would not write
  ///   back unchanged. Otherwise the row is left out.
  fileprivate func appendInverse(
    to changes: inout [AnyLogChange], exactly throwsIfInvalid: Bool
  ) throws {
    let key = names.keys.compactMap { names.ordered.firstIndex(of: $0) }
    let shape = LogShape(table: names.table, columns: names.ordered, key: key)
    let places = names.ordered.map { names.columns.firstIndex(of: $0) }
    let none = [DatabaseValue?](repeating: nil, count: names.ordered.count)
    changes.reserveCapacity(changes.count + rows.count)
    for row in rows {
      if let change = inverseChange(of: row, shape, places, none) {
        changes.append(change)
      } else if throwsIfInvalid {
        throw HistoryError.invalidText(table: names.table)
      }
    }
  }

  /// Returns the change that reverses the change of a row; nil if the row has text that SQLite
  /// would not write back unchanged.
  ///
  /// - Parameters:
  ///   - places: the position of each column of the shape among the recorded columns; nil for the
  ///     columns of the key.
  ///   - none: an array with nil for each column, which stands for a row that does not exist.
  private func inverseChange(
    of row: NettedRow, _ shape: LogShape, _ places: [Int?], _ none: [DatabaseValue?]
  ) -> AnyLogChange? {
    var key = self.key(of: row).values
    if let keyCount = names.keyCount {
      for place in 0..<keyCount {
        guard let value = values.storedValue(of: Int(row.key), at: place, of: keyCount + 1)
        else { return nil }
        key[place] = value
      }
    }
    let isUpdate = row.old >= 0 && row.new >= 0
    func state(_ state: Int) -> [DatabaseValue?]? {
      guard state >= 0 else { return none }
      var result: [DatabaseValue?] = []
      result.reserveCapacity(places.count)
      for (index, place) in places.enumerated() {
        guard let place else {
          result.append(shape.key.firstIndex(of: index).map { key[$0] })
          continue
        }
        if isUpdate, isSame(row, at: place) {
          result.append(nil)
        } else if let value = values.storedValue(of: state, at: place, of: names.columns.count) {
          result.append(value)
        } else {
          return nil
        }
      }
      return result
    }
    guard let old = state(row.new), let new = state(row.old) else { return nil }
    return AnyLogChange(
      kind: row.old < 0 ? .deleted : isUpdate ? .updated : .inserted, keyValues: key, shape: shape,
      oldValues: old, newValues: new, isInverse: true)
  }
}
