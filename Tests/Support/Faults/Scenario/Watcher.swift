import Apus
import Foundation
import Synchronization

/// An observer of a table that is written to, which compares what was reported with the rows that
/// exist.
final class Watcher: Following {
  private struct State {
    /// The rows of the table according to all reported changes.
    var rows: [Int: [DatabaseValue]] = [:]
    var result: [[DatabaseValue]] = []
    /// Whether a change was reported without its rows, so that the reports do not determine the
    /// rows.
    var isCoarse = false
    var falsehoods: [String] = []
    var hasMark = false
    var fetchErrors: [any Error] = []
  }

  static let mark = 999_999
  private let database: Database
  private let state = Mutex(State())
  private let tasks = Mutex<[Task<Void, Never>]>([])

  init(_ database: Database) throws {
    self.database = database
  }

  /// Begins to watch; a second call, after one that failed, continues it.
  func begin() async throws {
    guard tasks.withLock(\.isEmpty) else { return }
    let changes = database.changes(of: Account.self)
    let rows = try await database.fetch(Account.order(by: \.$id))
    state.withLock { state in
      for row in rows { state.rows[row.id] = row.values }
    }
    let following = Task { [weak self] in
      for await element in changes { self?.take(element) }
    }
    let observing = Task { [weak self, database] in
      // A fetch that fails ends the observation with an error; then it is begun again.
      while !Task.isCancelled {
        do {
          for try await result in database.observe(Account.order(by: \.$id)) {
            guard let self else { return }
            let values = result.map(\.values)
            self.state.withLock { $0.result = values }
          }
        } catch {
          guard let self else { return }
          self.state.withLock { $0.fetchErrors.append(error) }
          await Task.yield()
        }
      }
    }
    tasks.withLock { $0 = [following, observing] }
  }

  private func take(_ element: ModelChanges<Account>) {
    state.withLock { state in
      if !element.isComplete { state.isCoarse = true }
      for row in element.rows {
        guard case .integer(let key) = row.keyValues.first else { continue }
        let id = Int(key)
        if id == Self.mark, row.kind == .inserted { state.hasMark = true }
        let known = state.rows[id]
        do {
          let before = try row.before
          let after = try row.after
          if !state.isCoarse, before != known {
            state.falsehoods.append(
              "row \(id) was reported as \(before as Any), but was \(known as Any)")
          }
          state.rows[id] = after
        } catch {
          state.falsehoods.append("row \(id): \(error)")
        }
      }
    }
  }

  /// Waits until the last row written, with the number `mark`, was reported, and compares.
  func settle() async throws {
    let rows = try await database.fetch(Account.order(by: \.$id)).map(\.values)
    let earlier = state.withLock { $0.fetchErrors.count }
    // The wait is limited, so that a missing report can be described.
    for _ in 0..<6_000 {
      let state = state.withLock { $0 }
      if state.hasMark || state.isCoarse, state.result == rows { break }
      // While a fault lasts, nothing can be fetched: that error is reported, rather than an old
      // result.
      if state.fetchErrors.count > earlier + 20 { throw state.fetchErrors[earlier] }
      try await Task.sleep(for: .milliseconds(5))
    }
    try state.withLock { state in
      try require(
        state.falsehoods.isEmpty, "observers received wrong changes: \(state.falsehoods)",
        kind: "wrong changes to observers")
      try require(
        state.result == rows, "the observed result is not the latest one",
        kind: "an old result")
      for error in state.fetchErrors {
        try require(OnTrial.isTyped(error), "an observation ended with \(error)")
      }
      guard !state.isCoarse else { return }
      try require(state.hasMark, "the last row was not reported to observers")
      let reported = state.rows.sorted { $0.key < $1.key }.map(\.value)
      try require(
        reported == rows,
        "the reported changes add up to \(reported.count) rows, but there are \(rows.count)")
    }
  }

  func stop() async {
    let running = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in running { task.cancel() }
    for task in running { await task.value }
  }
}

extension Account {
  fileprivate var values: [DatabaseValue] {
    [
      .integer(Int64(id)), .text(name), .integer(Int64(balance)), note.map { .text($0) } ?? .null,
    ]
  }
}

extension RowChange<Account> {
  fileprivate var before: [DatabaseValue]? {
    get throws {
      guard kind != .inserted else { return nil }
      return try [
        .integer(Int64(key)), old(\.$name).map { .text($0) } ?? .null,
        old(\.$balance).map { .integer(Int64($0)) } ?? .null,
        old(\.$note).flatMap { $0 }.map { .text($0) } ?? .null,
      ]
    }
  }

  fileprivate var after: [DatabaseValue]? {
    get throws {
      guard kind != .deleted else { return nil }
      return try [
        .integer(Int64(key)), new(\.$name).map { .text($0) } ?? .null,
        new(\.$balance).map { .integer(Int64($0)) } ?? .null,
        new(\.$note).flatMap { $0 }.map { .text($0) } ?? .null,
      ]
    }
  }
}
