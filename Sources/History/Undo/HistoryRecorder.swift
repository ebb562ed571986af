import ChangeObservation
import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The history of some tables in memory, with the values that the pre-update hook recorded.
///
/// Commits arrive on the writer's thread, before the write returns. While the history itself
/// writes, it holds the writer, so every commit that arrives is its own.
final class HistoryRecorder: CommitReceiver {
  fileprivate struct State {
    var stack: HistoryStack<WriteChanges>
    var nextID: Int64 = 1
    /// Distinguishes the steps from the steps of other histories in memory.
    let epoch = Int64.random(in: 1 ... .max)
    /// Whether the history itself writes.
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
      // What other processes do is not recorded, and found when it is in the way.
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
      let inverses = try members.map { try inverse(of: $0.transaction) }
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
            try application.apply(inverse.own, resolving: policy)
              + application.restore(inverse.others)
          }
        }
      }
      written = witness.take().flatMap { write in
        var write = write
        write.tables = write.tables.filter { name, changes in
          guard !changes.rows.isEmpty, !tables.contains(name) else { return !changes.rows.isEmpty }
          return name.schema == "main" && reached.contains(name.name) && changes.events.isEmpty
        }
        return write.tables.isEmpty ? nil : write
      }
    }
    state.withLock { $0.stack.move(action, step, with: written) }
    updates.send()
    return HistoryOutcome(step: info, conflicts: conflicts)
  }

  /// Returns the changes that reverse a write, in the tables of the history and in other tables. In
  /// the history's tables they must be complete. In other tables, a row that cannot be written again
  /// is left out.
  private func inverse(
    of write: WriteChanges
  ) throws -> (own: [AnyLogChange], others: [AnyLogChange]) {
    func inverse(isOwn: Bool) throws -> [AnyLogChange] {
      try write.tables.filter { tables.contains($0.key) == isOwn }.flatMap {
        try $0.value.logChanges(exactly: isOwn).map(\.inverted)
      }
    }
    return (try inverse(isOwn: true), try inverse(isOwn: false))
  }
}

extension HistoryRecorder.State {
  fileprivate mutating func add(
    _ write: WriteChanges, of tables: Set<QualifiedTableName>, by author: String?, _ date: Date
  ) {
    var write = write
    write.tables = write.tables.filter { tables.contains($0.key) }
    guard !write.tables.isEmpty else { return }
    // Rows that are not listed cannot be restored.
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
  /// Returns the changes in the form of the change log.
  ///
  /// - Parameter throwsIfInvalid: whether to throw for a row with text that SQLite would not write
  ///   back unchanged. Otherwise the row is left out.
  fileprivate func logChanges(exactly throwsIfInvalid: Bool) throws -> [AnyLogChange] {
    let key = names.keys.compactMap { names.ordered.firstIndex(of: $0) }
    let shape = LogShape(table: names.table, columns: names.ordered, key: key)
    let places = names.columns.map { names.ordered.firstIndex(of: $0) ?? 0 }
    return try rows.compactMap { row in
      guard let change = logChange(row, shape, key, places) else {
        guard throwsIfInvalid else { return nil }
        throw HistoryError.invalidText(table: names.table)
      }
      return change
    }
  }

  /// Returns the change of a row; nil if it has text that SQLite would not write back unchanged.
  ///
  /// - Parameters:
  ///   - key: the indices of the key's columns in the shape.
  ///   - places: the index in the shape of each recorded column.
  private func logChange(
    _ row: NettedRow, _ shape: LogShape, _ key: [Int], _ places: [Int]
  ) -> AnyLogChange? {
    var keyValues = self.key(of: row).values
    if let keyCount = names.keyCount {
      for place in 0..<keyCount {
        guard let value = values.storedValue(of: Int(row.key), at: place, of: keyCount + 1)
        else { return nil }
        keyValues[place] = value
      }
    }
    let kind: RowChangeKind = row.old < 0 ? .inserted : row.new < 0 ? .deleted : .updated
    var old = [DatabaseValue?](repeating: nil, count: names.ordered.count)
    var new = old
    for (index, value) in zip(key, keyValues) {
      if kind != .inserted { old[index] = value }
      if kind != .deleted { new[index] = value }
    }
    for (place, index) in places.enumerated() where kind != .updated || !isSame(row, at: place) {
      if row.old >= 0 {
        guard let value = values.storedValue(of: row.old, at: place, of: places.count)
        else { return nil }
        old[index] = value
      }
      if row.new >= 0 {
        guard let value = values.storedValue(of: row.new, at: place, of: places.count)
        else { return nil }
        new[index] = value
      }
    }
    return AnyLogChange(
      kind: kind, keyValues: keyValues, shape: shape, oldValues: old, newValues: new)
  }
}
