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
/// writes, it holds the writer, so that a commit which arrives is its own.
final class HistoryRecorder: CommitReceiver {
  fileprivate struct State {
    var stack: HistoryStack<WriteChanges>
    var nextID: Int64 = 1
    /// Whether the history itself writes.
    var isWriting = false
    var written: WriteChanges?
  }

  private let tables: Set<QualifiedTableName>
  private let author: String?
  private let state: Lock<State>
  let updates = HistoryUpdates()

  init(_ tables: Set<QualifiedTableName>, _ options: HistoryOptions) {
    self.tables = tables
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
    _ direction: HistoryDirection, _ id: Int64?, resolving policy: ConflictPolicy,
    on core: ConnectionCore
  ) throws -> HistoryOutcome? {
    let step = state.withLock { $0.stack.step(direction, id) }
    guard let step else {
      if let id { throw HistoryError.unknownStep(id) }
      return nil
    }
    let inverses = try step.transactions.reversed().map { write in
      try tables.flatMap { try write.tables[$0]?.logChanges() ?? [] }.map(\.inverted)
    }
    state.withLock { state in
      state.isWriting = true
      state.written = nil
    }
    defer { state.withLock { $0.isWriting = false } }
    let conflicts = try ChangeApplication.run(
      on: core, label: step.step.label, author: step.step.author
    ) { application, _ in
      try inverses.flatMap { try application.apply($0, resolving: policy) }
    }
    state.withLock { state in
      state.stack.move(
        direction, step.step.id, with: state.written.map { [$0] } ?? [])
      state.written = nil
    }
    updates.send()
    return HistoryOutcome(step: step.step, conflicts: conflicts)
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
    guard !isIncomplete, write.tables.values.contains(where: { !$0.rows.isEmpty }) else { return }
    if isWriting {
      written = write
      return
    }
    guard author == nil || write.author == author else { return }
    let step = HistoryStep(id: nextID, label: write.label, author: write.author, date: date)
    nextID += 1
    stack.add(write, step)
  }
}

extension NettedTable {
  /// Returns the changes in the form of the change log.
  fileprivate func logChanges() throws -> [AnyLogChange] {
    let key = names.keys.compactMap { names.ordered.firstIndex(of: $0) }
    let shape = LogShape(table: names.table, columns: names.ordered, key: key)
    let places = names.columns.indices.map { place in
      (place: place, index: names.ordered.firstIndex(of: names.columns[place]) ?? 0)
    }
    return try rows.map { row in
      guard isExact(row, at: Array(names.columns.indices)) else {
        throw HistoryError.invalidText(table: names.table)
      }
      let keyValues = self.key(of: row).values
      let kind: RowChangeKind = row.old < 0 ? .inserted : row.new < 0 ? .deleted : .updated
      var old = [DatabaseValue?](repeating: nil, count: names.ordered.count)
      var new = old
      for (index, value) in zip(key, keyValues) {
        if kind != .inserted { old[index] = value }
        if kind != .deleted { new[index] = value }
      }
      for (place, index) in places where kind != .updated || !isSame(row, at: place) {
        old[index] = self.old(row, at: place)
        new[index] = self.new(row, at: place)
      }
      return AnyLogChange(
        kind: kind, keyValues: keyValues, shape: shape, oldValues: old, newValues: new)
    }
  }
}
