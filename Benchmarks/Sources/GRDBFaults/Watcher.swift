import Foundation
import GRDB
import Synchronization

/// An observer of a table. It checks that GRDB's reports about changes of the table agree with the
/// rows of the table. There are two kinds of reports: the events of a transaction observer, which
/// contain the keys of changed rows, and the results of a value observation.
final class Watcher: Following, TransactionObserver {
  private struct State {
    /// The keys that the table should have, according to the events of all reported commits.
    var keys: Set<Int64> = []
    /// The events that were reported but not committed yet.
    var events: [(kind: DatabaseEvent.Kind, key: Int64)] = []
    var result: [Account] = []
    var falsehoods: [String] = []
    var fetchErrors: [any Error] = []
  }

  static let mark = 999_999
  private let database: DatabasePool
  private let state = Mutex(State())
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ database: DatabasePool) throws {
    self.database = database
  }

  private static func rows(_ db: GRDB.Database) throws -> [Account] {
    try Account.order(Account.Columns.id).fetchAll(db)
  }

  /// Begins to watch. Does nothing if an earlier call has succeeded.
  func begin() async throws {
    guard task.withLock({ $0 == nil }) else { return }
    let rows = try await database.read { try Self.rows($0) }
    state.withLock { $0.keys = Set(rows.map { Int64($0.id) }) }
    database.add(transactionObserver: self, extent: .databaseLifetime)
    let observing = Task { [weak self, database] in
      // If a fetch fails, the observation ends with an error. The loop then begins a new
      // observation.
      while !Task.isCancelled {
        do {
          for try await result in ValueObservation.tracking(Self.rows).values(in: database) {
            guard let self else { return }
            self.state.withLock { $0.result = result }
          }
        } catch {
          guard let self else { return }
          self.state.withLock { $0.fetchErrors.append(error) }
          await Task.yield()
        }
      }
    }
    task.withLock { $0 = observing }
  }

  // MARK: TransactionObserver

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    eventKind.tableName == Account.databaseTableName
  }

  func databaseDidChange(with event: DatabaseEvent) {
    state.withLock { $0.events.append((event.kind, event.rowID)) }
  }

  func databaseDidCommit(_ db: GRDB.Database) {
    state.withLock { state in
      for (kind, key) in state.events {
        let isThere = state.keys.contains(key)
        switch kind {
        case .insert where !isThere: state.keys.insert(key)
        case .update where isThere: break
        case .delete where isThere: state.keys.remove(key)
        default:
          let was = isThere ? "was" : "was not"
          state.falsehoods.append("\(kind) of row \(key), which \(was) in the table")
        }
      }
      state.events = []
    }
  }

  func databaseDidRollback(_ db: GRDB.Database) { state.withLock { $0.events = [] } }

  // MARK: Comparing

  /// Waits for a limited time until the last observed result equals the rows of the table. Then
  /// throws if the result is still another one, or if the reported events do not agree with the
  /// rows.
  func settle() async throws {
    let rows = try await database.read { try Self.rows($0) }
    let earlier = state.withLock { $0.fetchErrors.count }
    // The wait is limited. If a report is missing, the checks below describe this, instead of a
    // test that never ends.
    for _ in 0..<6_000 {
      let (result, errors) = state.withLock { ($0.result, $0.fetchErrors) }
      if result == rows { break }
      // While an injected fault lasts, every fetch fails. In this case, the error of the fetch is
      // thrown, and not an error about an old result.
      if errors.count > earlier + 20 { throw errors[earlier] }
      try await Task.sleep(for: .milliseconds(5))
    }
    try state.withLock { state in
      try require(
        state.result == rows, "the observed result is not the latest one",
        kind: "an old result")
      try require(
        state.falsehoods.isEmpty, "observers received wrong changes: \(state.falsehoods)",
        kind: "wrong changes to observers")
      for error in state.fetchErrors {
        try require(OnTrial.isTyped(error), "an observation ended with \(error)")
      }
      try require(
        state.keys.contains(Int64(Self.mark)), "the last row was not reported to observers")
      try require(
        state.keys == Set(rows.map { Int64($0.id) }),
        "the reported changes add up to \(state.keys.count) rows, but there are \(rows.count)")
    }
  }

  func stop() async {
    let running = task.withLock { task in
      defer { task = nil }
      return task
    }
    database.remove(transactionObserver: self)
    running?.cancel()
    await running?.value
  }
}
