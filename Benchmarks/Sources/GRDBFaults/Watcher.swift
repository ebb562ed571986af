import Foundation
import GRDB
import Synchronization

/// An observer of a table that is written to, which compares what was reported with the rows that
/// exist. It uses the events of a transaction observer, which have the keys of rows, and the
/// results of a value observation.
final class Watcher: Following, TransactionObserver {
  private struct State {
    /// The keys in the table according to all reported commits.
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
      // A fetch that fails ends the observation with an error. Then a new observation begins.
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

  /// Waits until the last observed result equals the rows that exist, and compares.
  func settle() async throws {
    let rows = try await database.read { try Self.rows($0) }
    let earlier = state.withLock { $0.fetchErrors.count }
    // The wait is limited, so that a missing report can be described.
    for _ in 0..<6_000 {
      let (result, errors) = state.withLock { ($0.result, $0.fetchErrors) }
      if result == rows { break }
      // While a fault lasts, nothing can be fetched: the error is reported, rather than an old
      // result.
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
