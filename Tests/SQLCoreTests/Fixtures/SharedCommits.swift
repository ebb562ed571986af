import CSQLite
import TestRun
import Testing

@testable import SQLCore

/// Writes that stand in line together, and their outcomes.
struct SharedCommits {
  typealias Member = @Sendable (Connection) throws -> Void

  let db: Database
  /// How many transactions the writer committed.
  let commits = Shared(0)

  init() throws {
    db = try Database.temporary(
      configuration: .with { $0.maximumSharedTransactionAge = .seconds(3_600) })
    try db.execute(
      """
      CREATE TABLE note (n INTEGER PRIMARY KEY, text TEXT);
      CREATE TRIGGER refused BEFORE INSERT ON note WHEN new.n = 999
      BEGIN SELECT RAISE(ROLLBACK, 'not 999'); END;
      CREATE TABLE line (note INTEGER REFERENCES note (n) DEFERRABLE INITIALLY DEFERRED);
      """)
    let context = Unmanaged.passUnretained(commits).toOpaque()
    try db.writeWithoutTransaction { connection in
      _ = sqlite3_commit_hook(
        connection.core.handle,
        { context in
          guard let context else { return 0 }
          Unmanaged<Shared<Int>>.fromOpaque(context).takeUnretainedValue().change { $0 += 1 }
          return 0
        }, context)
    }
  }

  static func insert(_ number: Int) -> Member {
    { try $0.execute("INSERT INTO note (n) VALUES (\(number))") }
  }

  struct Outcome {
    /// The error of each member, or nil if it was acknowledged.
    var errors: [(any Error)?] = []
    var commits = 0

    func database(_ index: Int) -> DatabaseError? { errors[index] as? DatabaseError }
    func isUndone(_ index: Int) -> Bool { errors[index] is SharedTransactionRolledBack }
  }

  /// Runs members that stand in line together.
  func run(
    _ members: [Member], whileWaiting: ([Task<Void, any Error>]) -> Void = { _ in }
  ) async -> Outcome {
    let holding = Holding(writerWithoutTransactionOf: db)
    commits.change { $0 = 0 }
    let tasks = members.map { member in
      Task.immediate { [db] in try await db.write { try member($0) } }
    }
    whileWaiting(tasks)
    holding.end()
    var outcome = Outcome()
    for task in tasks {
      do {
        try await task.value
        outcome.errors.append(nil)
      } catch {
        outcome.errors.append(error)
      }
    }
    outcome.commits = commits.current
    return outcome
  }

  func expectRows(
    _ rows: [Int], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await db.fetch((Int).self, "SELECT n FROM note ORDER BY n")
    #expect(found == rows, sourceLocation: sourceLocation)
    #expect(
      try await db.writeWithoutTransaction { try $0.isInTransaction } == false,
      sourceLocation: sourceLocation)
  }
}

/// A suite about shared commits.
protocol SharedCommitSuite {
  var group: SharedCommits { get }
}

extension SharedCommitSuite {
  typealias Member = SharedCommits.Member

  var db: Database { group.db }
  var commits: Shared<Int> { group.commits }

  static func insert(_ number: Int) -> Member { SharedCommits.insert(number) }

  func run(
    _ members: [Member], whileWaiting: ([Task<Void, any Error>]) -> Void = { _ in }
  ) async -> SharedCommits.Outcome {
    await group.run(members, whileWaiting: whileWaiting)
  }

  func expectRows(
    _ rows: [Int], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await group.expectRows(rows, sourceLocation: sourceLocation)
  }
}
