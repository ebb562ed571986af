import QueryDSL
import SQLCore

/// A filter that reduces the changes of a write to the rows for which a query's predicates held
/// before or hold after.
final class RowFilter: Sendable {
  private let statement: SelectStatement
  private let database: Database
  private let evaluators: RowEvaluators?
  private let state = Lock(State.unknown)

  private enum State {
    case unknown
    case known(RowTest)
    /// The predicates need more than the row.
    case impossible(reason: String)
  }

  init(_ statement: SelectStatement, in database: Database) {
    self.statement = statement
    self.database = database
    evaluators = ChangeTracker.of(database)?.evaluators(for: database)
  }

  /// Returns the write with only the rows that match. It runs on no actor, so that its cost is not
  /// the actor's time.
  @concurrent
  func filter(_ write: WriteChanges) async -> WriteChanges {
    guard let layout = LayoutRegistry.shared.layout(number: statement.from.layout) else {
      return write
    }
    let table = QualifiedTableName(layout.tableName)
    guard let changes = write.tables[table] else { return write }
    // The table was changed or replaced, and its columns may be others now.
    if changes.events.contains(.schemaChanged) { state.withLock { $0 = .unknown } }
    var filtered = write
    do {
      let test = try await test()
      guard let evaluators else { return write }
      filtered.tables[table]?.rows = try await evaluators.offloading(rowCount: changes.rows.count) {
        try test.rows(of: changes, evaluators)
      }
    } catch {
      filtered.unfilteredReason = (error as? RowTest.Problem)?.reason ?? "\(error)"
    }
    return filtered
  }

  /// Returns the test of the predicates. If it cannot be prepared now, that is tried again at the
  /// next write.
  private func test() async throws -> RowTest {
    switch state.withLock({ $0 }) {
    case .known(let test): return test
    case .impossible(let reason): throw RowTest.Problem(reason: reason)
    case .unknown: break
    }
    let statement = statement
    let found = try await database.observing(hops: false) { core in
      try core.run(cached: "BEGIN DEFERRED")
      try core.lend().refreshSchema()
      let found = Result { try RowTest(statement, on: core) }
      try core.run(cached: "COMMIT")
      return found
    }
    switch found {
    case .success(let test):
      state.withLock { $0 = .known(test) }
      return test
    case .failure(let problem as RowTest.Problem):
      state.withLock { $0 = .impossible(reason: problem.reason) }
      throw problem
    case .failure(let error): throw error
    }
  }
}
